// Documents: every system on every document, and two systems against each other.

import { block, SUMMARY, systemNamed } from "./data.js";
import { bdi, h, picker, put, thousands } from "../shared/dom.js";
import { heat, scatter } from "./plots.js";
import { choicesOf } from "./ranking.js";
import { address, change } from "./route.js";
import { copyButtons, drawTable } from "./tables.js";

/** @typedef {import("../shared/schema.d.ts").Documents} DocumentScores */

const LISTED = 100;
const HEATED = 60;

/** @param {HTMLElement} root @param {URLSearchParams} params */
export async function drawDocuments(root, params) {
  const choice = SUMMARY.measures.find((one) => one.id === params.get("measure")) ??
    SUMMARY.measures.find((one) => one.id === SUMMARY.main) ??
    SUMMARY.measures[0];
  const { systems, documents } = SUMMARY;
  /** @type {DocumentScores} */
  const scores = await block(choice.block);
  const a = systemNamed(params.get("a"));
  const second = params.get("b") ?? "";
  const b = systems.includes(second) ? second : (systems.find((one) => one !== a) ?? a);
  const several = systems.length > 1;
  const against = several && documents.length > 1; // one document is one point
  const sort = params.get("sort") ?? "worst";
  const order = ordered(scores, sort, a, b);
  const open = (/** @type {string} */ system, /** @type {number} */ index) =>
    address("text", { doc: documents[index], system });
  const many = Number(params.get("show")) || LISTED;
  const orders = [
    ["worst", "A's worst first"],
    ["mean", "hardest first"],
    ...(several ? [["difference", "where B is ahead"], ["spread", "systems differ most"]] : []),
    ["text", "as in the key"],
  ];
  put(
    root,
    h(
      "div",
      { class: "row" },
      h(
        "div",
        { class: "controls" },
        picker("Measure", choicesOf(SUMMARY.measures), choice.id, (measure) => change({ measure })),
        picker("System A", systems, a, (one) => change({ a: one })),
        several && picker("System B", systems, b, (one) => change({ b: one })),
        picker("Order", /** @type {[string, string][]} */ (orders), sort, (one) => change({ sort: one })),
      ),
      copyButtons(scores.copies),
    ),
    h(
      "div",
      { class: "panel" },
      h("h2", null, `${choice.label}, system by document`),
      heat(order.slice(0, HEATED), scores, choice.label, open),
      h(
        "p",
        { class: "soft small" },
        "The stronger the colour, the better. A cell opens its document.",
        order.length > HEATED && ` The first ${HEATED} of ${thousands(order.length)} documents in this order.`,
      ),
    ),
    h(
      "div",
      { class: against ? "two" : null },
      against && h("div", { class: "panel" }, h("h2", null, bdi(a), " against ", bdi(b)), scatter(scores, a, b, open)),
      h(
        "div",
        null,
        drawTable(tableOf(scores, order.slice(0, many), a, open), "scores by document"),
        order.length > many &&
          h(
            "p",
            { class: "more" },
            h(
              "button",
              { type: "button", onclick: () => change({ show: many + 500 }) },
              `Show more (${thousands(order.length - many)} left)`,
            ),
          ),
      ),
    ),
  );
}

/**
 * The documents in an order.
 * @param {DocumentScores} scores
 * @param {string} sort
 * @param {string} a
 * @param {string} b
 */
function ordered(scores, sort, a, b) {
  const worth = (/** @type {string} */ system, /** @type {number} */ index) => scores.worth[system][index] ?? NaN;
  const known = (/** @type {number} */ index) =>
    /** @type {number[]} */
    (SUMMARY.systems.map((system) => scores.worth[system][index]).filter((one) => one !== null));
  /** @type {Record<string, (index: number) => number>} */
  const keys = {
    worst: (index) => worth(a, index),
    mean: (index) => known(index).reduce((sum, one) => sum + one, 0) / known(index).length,
    difference: (index) => worth(a, index) - worth(b, index),
    spread: (index) => (known(index).length ? Math.min(...known(index)) - Math.max(...known(index)) : NaN),
    text: (index) => index,
  };
  const key = keys[sort] ?? keys.worst;
  // no value: last
  const place = SUMMARY.documents.map((_, index) => (Number.isNaN(key(index)) ? Infinity : key(index)));
  return SUMMARY.documents.map((_, index) => index).sort((x, y) => place[x] - place[y] || x - y);
}

/**
 * @param {DocumentScores} scores
 * @param {number[]} order
 * @param {string} a
 * @param {(system: string, index: number) => string} open
 * @returns {import("../shared/schema.d.ts").Grid}
 */
function tableOf(scores, order, a, open) {
  const { systems, documents } = SUMMARY;
  return {
    header: ["document", ...systems],
    rows: order.map((index) => {
      const top = Math.max(...systems.map((system) => scores.worth[system][index] ?? -Infinity));
      return [
        { text: documents[index], link: open(a, index) },
        ...systems.map((system) => ({
          text: scores.shown[system][index],
          best: systems.length > 1 && scores.worth[system][index] === top,
          link: open(system, index),
        })),
      ];
    }),
  };
}
