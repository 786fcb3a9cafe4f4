// Scores of one layer against another, as a table.

import { h } from "../shared/dom.js";

/**
 * @typedef {{ measure: string, short: string, values: Record<string, number | null>, main: string, better: string,
 * signature: string, percent?: boolean, direction?: string, undefined?: Record<string, string> }} Score
 */

const TRIPLES = [["recall", "precision", "f1"], ["recall", "precision", "f"]];

/** A share, times 100. @param {number | null | undefined} value */
export const hundredths = (value) =>
  (value === null || value === undefined ? "–" : (100 * value).toFixed(2).replace("-", "−"));

/** A value as its measure writes it: times 100, or as it is. @param {Score} score @param {string} name */
function written(score, name) {
  const value = score.values[name];
  return score.percent === false ? (value?.toFixed(4).replace("-", "−") ?? "–") : hundredths(value);
}

/**
 * Measures with recall, precision and F in columns; what the others give in their own words.
 * @param {Score[]} scores
 * @param {string} [caption]
 */
export function scoreTable(scores, caption = "") {
  const columns = (/** @type {Score} */ score) => TRIPLES.find((names) => names.every((name) => name in score.values));
  const cell = (/** @type {Score} */ score, /** @type {string} */ name) =>
    h(
      "td",
      { class: `number${name === score.main ? " best" : ""}`, title: score.undefined?.[name] ?? null },
      written(score, name),
    );
  const row = (/** @type {Score} */ score) => {
    const names = columns(score);
    const others = Object.keys(score.values).filter((name) => !names?.includes(name));
    const named = (/** @type {string} */ name) =>
      (name === score.short && others.length === 1 ? "" : `${name.replaceAll("_", " ")} `);
    const rest = others.map((name) => named(name) + written(score, name)).join(", ");
    const side = score.direction ? ` (${score.direction === "r" ? "recall" : "precision"})` : "";
    return h(
      "tr",
      null,
      h(
        "th",
        { scope: "row", title: score.signature },
        score.short.split("_").map((part, place) => (place ? ["_", h("wbr"), part] : part)),
      ),
      names ? names.map((name) => cell(score, name)) : h("td", { colspan: "3", class: "number other" }, rest + side),
    );
  };
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "scores" },
    h(
      "table",
      { class: "scores" },
      caption && h("caption", null, caption),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ["measure", "recall", "precision", "F"].map(
            (name, place) => h("th", { scope: "col", class: place ? "number" : null }, name),
          ),
        ),
      ),
      h("tbody", null, scores.map(row)),
    ),
  );
}
