// Errors: all of them counted and listed, chosen by what is known of them, of one system or of two compared.

import { errorsOf, NOTHING, SUMMARY, systemNamed } from "./data.js";
import { bdi, h, picker, put, thousands } from "../shared/dom.js";
import { address, change, go } from "./route.js";
import { drawTable } from "./tables.js";

/** @typedef {import("./data.js").SystemErrors} SystemErrors */
/** @typedef {{ of: SystemErrors, index: number, owner: string, status: string }} Row */

const PAGE = 40;
const FIRST = 8;
const MOST = 200;

/** @param {HTMLElement} root @param {URLSearchParams} params */
export async function drawErrors(root, params) {
  const system = systemNamed(params.get("system"));
  const asked = params.get("versus") ?? "";
  const versus = SUMMARY.systems.includes(asked) && asked !== system ? asked : "";
  const own = await errorsOf(system);
  const rows = versus ? compared(own, system, await errorsOf(versus), versus) : rowsOf(own, system, "");
  const filters = [...params]
    .filter(([name]) => name.startsWith("f."))
    .map(([name, value]) => /** @type {[string, string]} */ ([name.slice(2), value]));
  const searched = found(rows, params.get("q") ?? "");
  const passes = (/** @type {Row} */ row, besides = "") =>
    filters.every(([name, value]) => name === besides || facetOf(row, name) === (value === NOTHING ? "" : value));
  const chosen = searched.filter((row) => passes(row));
  const named = [versus && "status", versus && "kind", ...SUMMARY.facets, "document", ...filters.map(([name]) => name)];
  const names = [...new Set(named.filter(Boolean))].filter((name) => versus || name !== "kind");
  const limit = Number(params.get("show")) || PAGE;
  put(
    root,
    errorControls(system, versus, params),
    versus ? verdict(system, versus, rows) : kindsPanel(own, filters),
    h(
      "div",
      { class: "gallery" },
      h(
        "div",
        { class: "facets" },
        filters.length > 0 &&
          h(
            "button",
            { type: "button", onclick: () => go("errors", { system, versus, q: params.get("q") }) },
            h("span", null, "✕ all filters"),
            h("span"),
          ),
        names.map((name) => facet(name, searched.filter((row) => passes(row, name)), filters)),
      ),
      h(
        "div",
        null,
        h(
          "p",
          { class: "soft", role: "status" },
          `${thousands(chosen.length)} of ${thousands(rows.length)} errors`,
          sampled(own),
        ),
        h("ul", { class: "cards" }, chosen.slice(0, limit).map((row) => card(row, system, versus))),
        chosen.length > limit &&
          h(
            "p",
            { class: "more" },
            h(
              "button",
              { type: "button", onclick: () => change({ show: limit + 100 }) },
              `Show more (${thousands(chosen.length - limit)} left)`,
            ),
          ),
        !chosen.length && h("p", { class: "empty" }, rows.length ? "No error passes these filters." : "No errors."),
      ),
    ),
  );
}

/** What the page does not show of some errors. @param {SystemErrors} errors */
function sampled(errors) {
  const kept = errors.contexts.size;
  return kept < errors.total
    ? `. All are counted; ${thousands(kept)}, drawn evenly, are shown in their context, the others lead to it.`
    : "";
}

/** @param {SystemErrors} errors @param {string} owner @param {string} status @returns {Row[]} */
const rowsOf = (errors, owner, status) =>
  Array.from({ length: errors.total }, (_, index) => ({ of: errors, index, owner, status }));

/**
 * What an error is about: two systems' errors are the same when they expect the same at the same place.
 * @param {Row} row
 */
function subject({ of, index }) {
  const about = of.text("key", index) || `\n${of.text("kind", index)}`;
  return `${of.number("document", index)}\t${of.number("start", index)}\t${of.number("end", index)}\t${about}`;
}

/**
 * @param {SystemErrors} own
 * @param {string} system
 * @param {SystemErrors} other
 * @param {string} versus
 * @returns {Row[]}
 */
function compared(own, system, other, versus) {
  const first = rowsOf(own, system, "fixed");
  const second = rowsOf(other, versus, "broken");
  const split = (/** @type {Row[]} */ rows, /** @type {Row[]} */ others) => {
    /** @type {Map<string, number>} */
    const left = new Map();
    for (const row of others) left.set(subject(row), (left.get(subject(row)) ?? 0) + 1);
    for (const row of rows) {
      const shared = left.get(subject(row)) ?? 0;
      if (shared) {
        left.set(subject(row), shared - 1);
        row.status = "both wrong";
      }
    }
  };
  split(first, second);
  split(second, first.map((row) => ({ ...row })));
  return [...first, ...second.filter((row) => row.status === "broken")];
}

/** @param {Row} row @param {string} name */
const facetOf = (row, name) => (name === "status" ? row.status : row.of.text(name, row.index));

/** Those whose key, response or document has some words. @param {Row[]} rows @param {string} query */
function found(rows, query) {
  if (!query) return rows;
  const wanted = query.toLowerCase();
  return rows.filter(({ of, index }) =>
    ["key", "response", "document"].some((name) => of.text(name, index).toLowerCase().includes(wanted)),
  );
}

/** @param {string} system @param {string} versus @param {URLSearchParams} params */
function errorControls(system, versus, params) {
  const others = SUMMARY.systems.filter((one) => one !== system);
  return h(
    "div",
    { class: "controls" },
    picker(
      "System",
      SUMMARY.systems,
      system,
      (one) => change({ system: one, versus: versus === one ? "" : versus, show: "" }),
    ),
    others.length > 0 &&
      picker(
        "compared with",
        [["", "none"], ...others],
        versus,
        (one) => change({ versus: one, "f.status": "", show: "" }),
      ),
    h(
      "label",
      null,
      "Search in key, response and document",
      h("input", {
        type: "search",
        value: params.get("q") ?? "",
        placeholder: "words…",
        onchange: (/** @type {Event} */ event) =>
          change({ q: /** @type {HTMLInputElement} */ (event.target).value, show: "" }),
      }),
    ),
  );
}

/**
 * The errors by kind, as `aune errors` prints them: a kind chooses its errors.
 * @param {SystemErrors} errors
 * @param {[string, string][]} filters
 */
function kindsPanel(errors, filters) {
  const chosen = filters.find(([name]) => name === "kind")?.[1];
  const panel = h("div", { class: "titled" }, drawTable(errors.kinds, "errors by kind", "kinds"));
  panel.append(...(errors.kinds.notes ?? []).map((note) => h("p", { class: "soft small" }, note)));
  for (const row of panel.querySelectorAll("tbody tr"))
    if (row.querySelector("th")?.textContent === chosen) row.setAttribute("aria-current", "true");
  return panel;
}

/** @param {string} name @param {Row[]} rows @param {[string, string][]} filters */
function facet(name, rows, filters) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const row of rows) counts.set(facetOf(row, name), (counts.get(facetOf(row, name)) ?? 0) + 1);
  const chosen = filters.find(([one]) => one === name)?.[1];
  const values = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  if (!values.length || (values.length === 1 && values[0][0] === "" && chosen === undefined)) return null;
  const button = (/** @type {[string, number]} */ [value, count]) => {
    const id = value || NOTHING;
    return h(
      "button",
      {
        type: "button",
        "aria-pressed": chosen === id ? "true" : "false",
        title: id,
        onclick: () => change({ [`f.${name}`]: chosen === id ? "" : id, show: "" }),
      },
      h("span", null, bdi(id)),
      h("span", null, thousands(count)),
    );
  };
  const rest = values.slice(FIRST, MOST);
  return h(
    "fieldset",
    null,
    h("legend", null, name.replaceAll("_", " ")),
    values.slice(0, FIRST).map(button),
    rest.length > 0 &&
      h(
        "details",
        { open: rest.some(([value]) => value === chosen) },
        h(
          "summary",
          { class: "small" },
          `${thousands(rest.length)} more${values.length > MOST ? ` of ${thousands(values.length - FIRST)}` : ""}`,
        ),
        rest.map(button),
      ),
  );
}

/** @param {Row} row @param {string} system @param {string} versus */
function card(row, system, versus) {
  const { of, index, owner, status } = row;
  const place = `${of.number("start", index)}-${of.number("end", index)}`;
  const document = of.text("document", index);
  const cost = of.text("cost", index);
  const notes = of.attributes
    .map((name) => [name, of.text(name, index)])
    .filter(([name, value]) => value && value !== document && !(name === "mentions" && value === "1"))
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`)
    .join(" · ");
  const side = (/** @type {string} */ text) =>
    (text ? h("dd", null, bdi(text)) : h("dd", { class: "void" }, `${NOTHING} nothing`));
  const href = address("text", {
    doc: document,
    system: owner,
    versus: !versus ? "" : owner === system ? versus : system,
    at: place,
    in: of.text("utterance", index),
  });
  return h(
    "li",
    { class: "card" },
    h(
      "div",
      { class: "top" },
      status && h("span", { class: `chip ${status.split(" ")[0]}` }, status),
      h("span", { class: "chip" }, of.text("kind", index)),
      h("span", null, bdi(notes)),
      cost !== "1" && h("span", null, `cost ${cost}`),
      h("a", { href }, bdi(document)),
    ),
    h(
      "dl",
      { class: "both" },
      h("dt", null, "key"),
      side(of.text("key", index)),
      h("dt", null, "response"),
      side(of.text("response", index)),
    ),
    inContext(of.contexts.get(index) ?? ""),
  );
}

/** @param {string} context */
function inContext(context) {
  if (!context) return null;
  const open = context.indexOf("[");
  const close = open < 0 ? -1 : context.indexOf("]", open + 1);
  const parts =
    close < 0
      ? [context]
      : [context.slice(0, open), h("mark", null, context.slice(open + 1, close).trim()), context.slice(close + 1)];
  return h("p", { class: "context", dir: "auto" }, parts);
}

/** @param {string} system @param {string} versus @param {Row[]} rows */
function verdict(system, versus, rows) {
  const part = (/** @type {string} */ status, /** @type {(Node | string)[]} */ ...words) =>
    h(
      "div",
      null,
      h(
        "a",
        { class: "large", href: address("errors", { system, versus, "f.status": status }) },
        thousands(rows.filter((row) => row.status === status).length),
      ),
      h("div", { class: "soft small" }, words),
    );
  return h(
    "div",
    { class: "panel row" },
    part("fixed", "fixed by ", bdi(versus)),
    part("broken", "broken by ", bdi(versus)),
    part("both wrong", "wrong in both"),
  );
}
