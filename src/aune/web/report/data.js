// The data of a report: a summary at once, and blocks that are unpacked when they are asked for.

import { byId } from "../shared/dom.js";

/** @typedef {import("../shared/schema.d.ts").Summary} Summary */
/** @typedef {import("../shared/schema.d.ts").PackedErrors} PackedErrors */

/** @type {Summary} */
export const SUMMARY = JSON.parse(byId("summary").textContent ?? "{}");

/** What stands for nothing, in texts and in addresses. */
export const NOTHING = "∅";

/** @type {Map<string, Promise<any>>} */
const unpacked = new Map();

/** @param {string} id @returns {Promise<any>} */
export function block(id) {
  const known = unpacked.get(id) ?? unpack(/** @type {HTMLScriptElement} */ (byId(id)));
  unpacked.set(id, known);
  return known;
}

/** @param {HTMLScriptElement} element */
async function unpack(element) {
  const text = element.textContent ?? "";
  if (element.type === "application/json") return JSON.parse(text);
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser cannot unpack the data: use one from 2023 or later, or make the report with --plain");
  return new Response(new Blob([bytesOf(text.trim())]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** @param {string} letters */
const bytesOf = (letters) => Uint8Array.from(atob(letters), (one) => one.charCodeAt(0));

/**
 * Numbers from letters, as `packing.numbers` wrote them.
 * @param {string} text
 * @returns {Uint8Array | Uint16Array | Uint32Array}
 */
export function numbersOf(text) {
  const [size, letters] = text.split(":");
  const bytes = bytesOf(letters);
  return size === "1" ? bytes : size === "2" ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
}

/**
 * @param {string} name
 * @returns {Promise<import("../shared/schema.d.ts").Text | null>}
 */
export async function textOf(name) {
  const place = SUMMARY.texts[SUMMARY.documents.indexOf(name)];
  return place ? (await block(`texts-${place[0]}`))[place[1]] : null;
}

/** All errors of a system. */
export class SystemErrors {
  /** @param {PackedErrors} packed */
  constructor(packed) {
    this.total = packed.total;
    this.kinds = packed.kinds;
    this.strings = packed.strings;
    this.columns = new Map(Object.entries(packed.columns).map(([name, text]) => [name, numbersOf(text)]));
    this.contexts = new Map(packed.listed.map((index, place) => [index, packed.contexts[place]]));
    this.attributes = [...this.columns.keys()].filter(
      (one) => one.startsWith("attribute."),
    ).map((one) => one.slice(10));
  }

  /** @param {string} name @param {number} index */
  number(name, index) {
    return this.columns.get(name)?.[index] ?? 0;
  }

  /** A field or an attribute of an error, as text. @param {string} name @param {number} index */
  text(name, index) {
    if (name === "document") return SUMMARY.documents[this.number(name, index)];
    const column = this.columns.get(name) ?? this.columns.get(`attribute.${name}`);
    return column ? this.strings[column[index]] : "";
  }
}

/** @type {Map<string, Promise<SystemErrors>>} */
const known = new Map();

/** @param {string} system */
export function errorsOf(system) {
  const found =
    known.get(system) ?? block(`errors-${SUMMARY.systems.indexOf(system)}`).then((packed) => new SystemErrors(packed));
  known.set(system, found);
  return found;
}

/** The system that an address names, or the first one. @param {string | null} name */
export const systemNamed = (name) => (name && SUMMARY.systems.includes(name) ? name : SUMMARY.systems[0]);
