// Small plots whose marks lead somewhere: systems by documents, and two systems against each other.

import { SUMMARY } from "./data.js";
import { bdi, h, s, thousands } from "../shared/dom.js";

/** @typedef {import("../shared/schema.d.ts").Documents} DocumentValues */
/** @typedef {(system: string, index: number) => string} Opens */

/** @param {string} text @param {number} most */
const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** @param {number[]} indices @param {DocumentValues} scores @param {string} label @param {Opens} open */
export function heat(indices, scores, label, open) {
  const { systems, documents } = SUMMARY;
  const worths = systems.flatMap((system) => indices.map((index) => scores.worth[system][index]));
  const known = /** @type {number[]} */ (worths.filter((one) => one !== null));
  const low = Math.min(...known);
  const high = Math.max(...known);
  const left = 10 + 6.6 * Math.min(22, Math.max(...systems.map((one) => one.length)));
  const wide = Math.max(14, Math.min(104, 1040 / Math.max(indices.length, 1)));
  const tall = 26;
  const width = left + wide * indices.length;
  const cell = (
    /** @type {string} */ system,
    /** @type {number} */ row,
    /** @type {number} */ index,
    /** @type {number} */ column,
  ) => {
    const worth = scores.worth[system][index];
    const share = worth === null ? 0 : high > low ? (worth - low) / (high - low) : 1;
    const fill = worth === null ? "var(--sunken)" : `rgba(var(--heat), ${(0.06 + 0.9 * share).toFixed(3)})`;
    const shape = s("rect", { x: left + column * wide, y: row * tall, width: wide, height: tall, style: { fill } });
    const written =
      wide >= 44 &&
      s(
        "text",
        {
          x: left + (column + 0.5) * wide,
          y: row * tall + 17,
          "text-anchor": "middle",
          style: { fill: share > 0.6 ? "var(--raised)" : "var(--ink)", "pointer-events": "none" },
        },
        scores.shown[system][index],
      );
    const title = s("title", null, `${documents[index]}\n${system}: ${scores.shown[system][index]}`);
    return s("a", { href: open(system, index), tabindex: "-1", "aria-hidden": "true" }, title, shape, written);
  };
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": `${label} of each system on each document` },
    s(
      "svg",
      {
        class: "plot heat",
        viewBox: `0 0 ${width} ${tall * systems.length + 2}`,
        role: "group",
        "aria-label": "the table below has the numbers",
        style: { "max-width": `${width}px`, "min-width": `${width}px` },
      },
      systems.map(
        (system, row) => s("text", { x: left - 8, y: row * tall + 17, "text-anchor": "end" }, cut(system, 22)),
      ),
      systems.map((system, row) => indices.map((index, column) => cell(system, row, index, column))),
    ),
  );
}

/** Round numbers between two others. @param {number} low @param {number} high */
export function ticks(low, high) {
  const raw = (high - low) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= raw * (1 - 1e-9)) ?? raw;
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, place) => Number(((first + place) * step).toPrecision(10)));
}

/** @param {DocumentValues} scores @param {string} a @param {string} b @param {Opens} open */
export function scatter(scores, a, b, open) {
  const across = scores.values[a];
  const up = scores.values[b];
  const known = SUMMARY.documents.map((_, index) => index).filter(
    (index) => across[index] !== null && up[index] !== null,
  );
  const values = known.flatMap((index) => [across[index] ?? 0, up[index] ?? 0]);
  const room = (Math.max(...values) - Math.min(...values) || 1) * 0.05;
  const low = Math.min(...values) - room;
  const high = Math.max(...values) + room;
  const size = 420;
  const left = 46;
  const bottom = 38;
  const inner = size - left - 12;
  const x = (/** @type {number} */ value) => left + (inner * (value - low)) / (high - low);
  const y = (/** @type {number} */ value) => size - bottom - (inner * (value - low)) / (high - low);
  const ahead = known.filter((index) => (scores.worth[b][index] ?? 0) > (scores.worth[a][index] ?? 0));
  const behind = known.filter((index) => (scores.worth[b][index] ?? 0) < (scores.worth[a][index] ?? 0));
  const better = new Set(ahead);
  const percent = scores.shown[a].some((text, index) => Math.abs(Number(text) - 100 * (across[index] ?? NaN)) < 0.01);
  const written = (/** @type {number} */ mark) =>
    `${Number((percent ? 100 * mark : mark).toPrecision(6))}`.replace("-", "−");
  return h(
    "div",
    null,
    s(
      "svg",
      {
        class: "plot",
        viewBox: `0 0 ${size} ${size}`,
        role: "group",
        "aria-label": `each document, ${a} across and ${b} up`,
        style: { "max-width": "34rem" },
      },
      ticks(low, high).map((mark) => [
        s("line", { class: "grid", x1: x(mark), x2: x(mark), y1: y(low), y2: y(high) }),
        s("line", { class: "grid", x1: x(low), x2: x(high), y1: y(mark), y2: y(mark) }),
        s("text", { x: x(mark), y: size - bottom + 16, "text-anchor": "middle" }, written(mark)),
        s("text", { x: left - 6, y: y(mark) + 4, "text-anchor": "end" }, written(mark)),
      ]),
      s("line", { class: "frame", "stroke-dasharray": "4 3", x1: x(low), y1: y(low), x2: x(high), y2: y(high) }),
      known.map((index) =>
        s(
          "a",
          { href: open(a, index), tabindex: "-1", "aria-hidden": "true" },
          s(
            "title",
            null,
            `${SUMMARY.documents[index]}\n${a}: ${scores.shown[a][index]}\n${b}: ${scores.shown[b][index]}`,
          ),
          s(
            "circle",
            {
              class: `point${better.has(index) ? " win" : ""}`,
              cx: x(across[index] ?? 0),
              cy: y(up[index] ?? 0),
              r: known.length > 300 ? 3 : 5,
            },
          ),
        ),
      ),
      s("text", { class: "title", x: left + inner / 2, y: size - 4, "text-anchor": "middle" }, cut(a, 44)),
      s(
        "text",
        { class: "title", transform: `translate(11 ${size / 2 - 12}) rotate(-90)`, "text-anchor": "middle" },
        cut(b, 44),
      ),
    ),
    h(
      "p",
      { class: "soft small" },
      bdi(b),
      ` is better on ${thousands(ahead.length)}, `,
      bdi(a),
      ` on ${thousands(behind.length)} of ${thousands(known.length)} documents. A point opens its document.`,
    ),
  );
}
