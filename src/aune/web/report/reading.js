// The view of a text: key and responses beside each other or word under word, and what belongs to a mark.

import { AlignedSheet, columnsOf, signOf } from "./aligned.js";
import { block, NOTHING, SUMMARY, systemNamed, textOf } from "./data.js";
import { bdi, counted, finder, h, picker, put, s } from "../shared/dom.js";
import { address, change } from "./route.js";
import { fromWords, hue, sentencesOf, spansOf, TextSheet } from "../shared/text.js";

/** @typedef {import("../shared/text.js").Mark} Mark */
/** @typedef {import("../shared/text.js").Span} Span */

const TYPED = 60; // more documents than this are found by typing

/** @param {HTMLElement} root @param {URLSearchParams} params */
export async function drawReading(root, params) {
  const asked = params.get("doc") ?? "";
  const name = SUMMARY.documents.includes(asked) ? asked : SUMMARY.documents[0];
  const first = systemNamed(params.get("system"));
  const systems = [first, ...SUMMARY.systems.filter((one) => one === params.get("versus") && one !== first)];
  const text = await textOf(name);
  if (!text) {
    put(root, readingControls(name, systems), h("p", { class: "empty" }, "There is no text to show for this task."));
    return;
  }
  const layers = systems.map((system) => text.layers?.[SUMMARY.systems.indexOf(system)] ?? {});
  const words = text.words ?? [];
  const sentences = sentencesOf(words.length, text.sentences ?? [], text.names ?? []);
  const key = spansOf(text.key);
  for (const [place, error] of Object.entries(layers[0].missed ?? {})) key[Number(place)].error = error;
  const aligned = layers.some((layer) => (layer.columns ?? []).length > 0);
  const reader = h("div", { class: "reader" });
  const scores = await scoresOf(name, systems);
  const head = h("div", { class: "row" }, h("h2", null, bdi(name)), h("span", { class: "soft" }, scores));
  /** @type {TextSheet | AlignedSheet} */
  let sheet;
  if (aligned) {
    sheet = alignedSheet(text, key, layers, systems, sentences);
  } else {
    const sides = [
      { name: "Key", spans: key },
      ...layers.map((layer, place) => ({ name: systems[place], spans: spansOf(layer.spans) })),
    ];
    sheet = new TextSheet({ source: fromWords(words), sentences, sides, labels: SUMMARY.labels }, (mark) =>
      openPanel(reader, /** @type {TextSheet} */ (sheet), mark),
    );
  }
  reader.append(sheet.element);
  put(root, readingControls(name, systems), head, legend(sheet), reader);
  const at = params.get("at");
  if (at) sheet.show(...inWords(text, sentences, at, params.get("in")));
}

/** @param {string} name @param {string[]} systems */
function readingControls(name, systems) {
  const { documents } = SUMMARY;
  const index = documents.indexOf(name);
  const open = (/** @type {string} */ doc) => change({ doc, at: "", in: "" });
  const step = (/** @type {number} */ by) => open(documents[(index + by + documents.length) % documents.length]);
  const arrow = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {number} */ by) =>
    h("button", { type: "button", class: "icon", "aria-label": label, onclick: () => step(by) }, sign);
  return h(
    "div",
    { class: "controls" },
    (documents.length > TYPED ? finder : picker)("Document", documents, name, open),
    h("span", { class: "steps" }, arrow("previous document", "‹", -1), " ", arrow("next document", "›", 1)),
    picker("System", SUMMARY.systems, systems[0], (system) => change({ system })),
    SUMMARY.systems.length > 1 &&
      picker(
        "beside",
        [["", "none"], ...SUMMARY.systems.filter((system) => system !== systems[0])],
        systems[1] ?? "",
        (versus) => change({ versus }),
      ),
    SUMMARY.errors &&
      h(
        "a",
        { href: address("errors", { system: systems[0], "f.document": name }), class: "small" },
        "errors in this document",
      ),
  );
}

/** What the systems get on a document, by the measure that ranks. @param {string} name @param {string[]} systems */
async function scoresOf(name, systems) {
  const choice = SUMMARY.measures.find((one) => one.id === SUMMARY.main) ?? SUMMARY.measures[0];
  if (!choice) return "";
  /** @type {import("../shared/schema.d.ts").Documents} */
  const known = await block(choice.block);
  const index = SUMMARY.documents.indexOf(name);
  return systems.map((system) => `${system}: ${choice.label} ${known.shown[system][index]}`).join(" · ");
}

/**
 * @param {import("../shared/schema.d.ts").Text} text
 * @param {Span[]} key
 * @param {import("../shared/schema.d.ts").Layer[]} layers
 * @param {string[]} systems
 * @param {import("../shared/text.js").Sentence[]} sentences
 */
function alignedSheet(text, key, layers, systems, sentences) {
  const drawn = layers.map((layer, place) => {
    const words = layer.words ?? text.words ?? [];
    const tags = layer.tags ?? text.tags ?? [];
    return { system: systems[place], words, tags, columns: columnsOf(layer, words, tags) };
  });
  return new AlignedSheet({ sentences, key, layers: drawn, labels: SUMMARY.labels, signs: SUMMARY.signs });
}

/** @param {TextSheet | AlignedSheet} sheet */
function legend(sheet) {
  if (sheet instanceof AlignedSheet) {
    const errors = new Set(
      sheet.model.layers.flatMap((layer) => layer.columns.flatMap((sentence) => sentence.map((one) => one.error))),
    );
    const signs = [...errors]
      .filter(Boolean)
      .sort()
      .map((kind) => {
        const sign = signOf(sheet.model, kind);
        return h("span", null, h("b", { class: `pair ${sign.tone}` }, sign.text), ` ${kind}`);
      });
    const nothing = h("span", null, `${NOTHING} nothing on this side`);
    return h("div", { class: "legend" }, signs, nothing, h("span", null, "key above, response below"));
  }
  const sample = (/** @type {string} */ label, /** @type {string} */ kind, /** @type {string} */ below) =>
    h(
      "span",
      null,
      h("span", { class: `m ${kind}`, "data-below": below || null, style: { "--h": hue(0) } }, "word"),
      ` ${label}`,
    );
  const spans = sheet.model.sides.flatMap((side) => side.spans);
  if (spans.some((one) => one.group >= 0))
    return h(
      "div",
      { class: "legend" },
      sample("colour: the key's chain, on both sides; number: the chain on that side", "", "1"),
      sample("wrong or missed", "wrong", ""),
      sample("not in the key", "none", ""),
      h("span", null, "Click a mention, or use ← → and Enter in the text, to see its chain."),
    );
  return h(
    "div",
    { class: "legend" },
    sample("as in the key", "", "type"),
    sample("wrong or missed", "wrong", "type"),
    sample("not in the key", "none", "type"),
    spans.some((one) => one.minor) && sample("component", "minor", "type"),
  );
}

/**
 * A place as the list of errors has it, in words of the document: it may count characters, or words of an utterance.
 * @param {import("../shared/schema.d.ts").Text} text
 * @param {import("../shared/text.js").Sentence[]} sentences
 * @param {string} at
 * @param {string | null} name
 * @returns {[number, number]}
 */
function inWords(text, sentences, at, name) {
  let [start, end] = at.split("-").map(Number);
  const places = text.places ?? [];
  if (places.length) {
    const word = (/** @type {number} */ place) => Math.max(0, places.findLastIndex((one) => one <= place));
    [start, end] = [word(start), word(Math.max(start, end - 1)) + 1];
  }
  const sentence = name ? sentences.find((one) => one.name === name) : null;
  return sentence ? [sentence.start + start, sentence.start + end] : [start, end];
}

/** @param {HTMLElement} reader @param {TextSheet} sheet @param {Mark} mark */
function openPanel(reader, sheet, mark) {
  reader.querySelector(".aside")?.remove();
  const { side, span } = mark;
  const chained = span.group >= 0;
  const { sides } = sheet.model;
  const mine = sides[side].spans.filter((one) => (chained ? one.group === span.group : one.label === span.label));
  const panel = h(
    "aside",
    { class: "panel aside", "aria-label": "chain" },
    h(
      "div",
      { class: "row" },
      h("h3", null, bdi(sides[side].name), chained ? ` chain ${span.group + 1}` : ` ${span.label}`),
      h("button", { class: "quiet", type: "button", "aria-label": "close", onclick: () => close() }, "✕"),
    ),
    h("p", { class: "soft small" }, counted(mine.length, chained ? "mention" : "span")),
    chained && minimap(sheet, side, span.group, mine),
    h("ol", null, mine.map((one) => h("li", null, memberLink(sheet, side, one)))),
  );
  const close = () => {
    panel.remove();
    reader.classList.remove("open");
    sheet.element.focus({ preventScroll: true });
  };
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  reader.append(panel);
  reader.classList.add("open");
  panel.querySelector("button")?.focus({ preventScroll: true });
  sheet.light(mark, false);
}

/** @param {TextSheet} sheet @param {number} side @param {Span} span */
function memberLink(sheet, side, span) {
  const [note, bad] = counterpart(sheet, side, span);
  const show = (/** @type {Event} */ event) => {
    event.preventDefault();
    sheet.show(span.start, span.end);
  };
  return h(
    "a",
    { href: "#", onclick: show },
    h("span", null, bdi(sheet.wordsOf(span))),
    h("span", { class: bad ? "bad" : null }, bdi(note)),
  );
}

/**
 * Where a span is on the other side, and whether that is wrong.
 * @param {TextSheet} sheet
 * @param {number} side
 * @param {Span} span
 * @returns {[string, boolean]}
 */
function counterpart(sheet, side, span) {
  if (span.group < 0) return [span.error, Boolean(span.error)];
  if (side > 0) return span.twin >= 0 ? [`key ${span.twin + 1}`, false] : ["not in the key", true];
  const response = sheet.model.sides[1];
  const same = response?.spans.find((one) => one.start === span.start && one.end === span.end);
  return same ? [`${response.name} ${same.group + 1}`, false] : [span.error || "missed", true];
}

/**
 * The document as a line, a tick per mention: the chain, then each chain of the other sides that shares mentions with
 * it.
 * @param {TextSheet} sheet
 * @param {number} side
 * @param {number} group
 * @param {Span[]} mine
 */
function minimap(sheet, side, group, mine) {
  const total = Math.max(sheet.model.source.length, 1);
  const width = 300;
  const places = new Set(mine.map((one) => `${one.start}-${one.end}`));
  const others = side === 0 ? sheet.model.sides.slice(1) : [sheet.model.sides[0]];
  /** @type {[string, Span[]][]} */
  const rows = [[side === 0 ? "key" : "this chain", mine]];
  for (const other of others) {
    const touching = side === 0
      ? other.spans.filter((one) => one.twin === group).map((one) => one.group)
      : mine.map((one) => one.twin);
    for (const chain of [...new Set(touching)].filter((one) => one >= 0).slice(0, 7))
      rows.push(
        [
          `${others.length > 1 || side > 0 ? `${other.name} ` : ""}${chain + 1}`,
          other.spans.filter((one) => one.group === chain),
        ],
      );
  }
  const tick = (/** @type {Span} */ one, /** @type {number} */ row) => {
    const tall = row === 0 || places.has(`${one.start}-${one.end}`);
    return s(
      "g",
      { class: "tick", onclick: () => sheet.show(one.start, one.end) },
      s("title", null, sheet.wordsOf(one)),
      s("rect", {
        x: 78 + ((width - 81) * one.start) / total,
        y: tall ? 0 : 3,
        width: 3,
        height: tall ? 14 : 8,
        style: { fill: one.twin >= 0 ? `hsl(${sheet.colour(one)} 55% var(--line-l))` : "var(--bad)" },
      }),
    );
  };
  const line = (/** @type {[string, Span[]]} */ [name, spans], /** @type {number} */ row) =>
    s(
      "g",
      { transform: `translate(0 ${row * 17})` },
      s("text", { x: 0, y: 10 }, name.length > 12 ? `${name.slice(0, 11)}…` : name),
      s("rect", { class: "track", x: 78, y: 2, width: width - 78, height: 10, rx: 2 }),
      spans.map((one) => tick(one, row)),
    );
  return s(
    "svg",
    {
      class: "map",
      viewBox: `0 0 ${width} ${rows.length * 17}`,
      role: "img",
      "aria-label": "where the mentions are in the document",
    },
    rows.map(line),
  );
}
