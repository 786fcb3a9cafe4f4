// Tables as Python made them: this file draws them and copies their text, it computes nothing.

import { bdi, copied, h, s } from "../shared/dom.js";

/** @typedef {import("../shared/schema.d.ts").Grid} Grid */
/** @typedef {import("../shared/schema.d.ts").Cell} Cell */

const STRONG = 0.55;
const LANDSCAPE = 12; // with more columns, a page is printed across

/**
 * @param {Grid} table
 * @param {string} label what a reader who does not see it hears
 * @param {string} [kind] a class for its style
 */
export function drawTable(table, label, kind = "") {
  const names = table.names ?? 1;
  const parts = new Set(table.parts ?? []);
  const over = (table.over ?? []).map(([name, columns]) =>
    name ? h("th", { scope: "colgroup", colspan: columns, class: "over" }, bdi(name)) : h("td", { colspan: columns }),
  );
  const head = table.header.map((name, place) =>
    name ? h("th", { scope: "col", class: place < names ? "" : "number" }, bdi(name)) : h("td"),
  );
  const rowHead = Math.max(0, table.header.indexOf("system") < names ? table.header.indexOf("system") : 0);
  const rows = table.rows.map((cells, row) =>
    h(
      "tr",
      { class: parts.has(row) ? "part" : null },
      cells.map((cell, place) => drawnCell(cell, place === rowHead, place < names)),
    ),
  );
  return h(
    "div",
    {
      class: table.header.length > LANDSCAPE ? "scroll many" : "scroll",
      tabindex: "0",
      role: "region",
      "aria-label": label,
    },
    h(
      "table",
      { class: kind || null, style: { "--columns": String(table.header.length) } },
      h("thead", null, over.length > 0 && h("tr", null, over), h("tr", null, head)),
      h("tbody", null, rows),
    ),
  );
}

/** @param {Cell} cell @param {boolean} isRowHead @param {boolean} isName */
function drawnCell(cell, isRowHead, isName) {
  const classes = [!isName && "number", cell.best && "best", cell.right && "right"].filter(Boolean).join(" ");
  const shade = cell.shade ?? 0;
  const text = cell.text ? bdi(cell.text) : "";
  const inside = cell.link
    ? h("a", { class: "plain", href: cell.link, title: cell.title || null }, text)
    : cell.title
      ? h("span", { title: cell.title }, text)
      : text;
  return h(
    isRowHead ? "th" : "td",
    {
      scope: isRowHead ? "row" : null,
      class: `${classes}${shade > STRONG ? " strong" : ""}`.trim() || null,
      style:
        shade > STRONG
          ? { background: "var(--accent)" }
          : shade > 0
            ? { background: `rgba(var(--heat), ${(0.06 + 0.5 * shade).toFixed(3)})` }
            : null,
    },
    inside,
    cell.interval && cell.interval.length > 0 && drawnInterval(cell.interval),
  );
}

/** A value and its interval on the scale of its column. @param {number[]} interval */
function drawnInterval([low, value, high]) {
  const at = (/** @type {number} */ one) => `${(4 + 92 * one).toFixed(2)}%`;
  return s(
    "svg",
    { class: "whisker", "aria-hidden": "true" },
    s("line", { class: "axis", x1: "0", x2: "100%", y1: "50%", y2: "50%" }),
    s("line", { class: "ci", x1: at(low), x2: at(high), y1: "50%", y2: "50%" }),
    s("circle", { class: "dot", cx: at(value), cy: "50%", r: 3.5 }),
  );
}

/** What stands below a table. @param {Grid} table */
export function drawNotes(table) {
  return (table.notes ?? []).map((note) => h("p", { class: "sign" }, note));
}

/** Buttons that copy a table. @param {Record<string, string>} [texts] */
export function copyButtons(texts) {
  const formats = Object.entries(texts ?? {});
  if (!formats.length) return null;
  return h(
    "div",
    { class: "copies" },
    "Copy as ",
    formats.map(
      ([name, text]) => h("button", { type: "button", class: "quiet", onclick: () => copied(text, name) }, name),
    ),
  );
}
