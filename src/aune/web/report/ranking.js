// The ranking: the table that `aune score --layout paper` prints, the differences that are sure, and breakdowns.

import { block, SUMMARY } from "./data.js";
import { h, picker, put } from "../shared/dom.js";
import { change } from "./route.js";
import { copyButtons, drawNotes, drawTable } from "./tables.js";

/** @typedef {import("../shared/schema.d.ts").Choice} Choice */

/** @param {HTMLElement} root @param {URLSearchParams} params */
export async function drawRanking(root, params) {
  const choice =
    SUMMARY.rankings.find((one) => one.id === params.get("measure")) ??
    SUMMARY.rankings.find((one) => one.id === SUMMARY.main) ??
    SUMMARY.rankings[0];
  /** @type {import("../shared/schema.d.ts").Ranking} */
  const { table, differences, said } = await block(choice.block);
  const labelled = SUMMARY.groups.find((one) => one.id === params.get("by")) ?? SUMMARY.groups[0];
  put(
    root,
    h(
      "div",
      { class: "row" },
      h(
        "div",
        { class: "controls" },
        picker("Rank by", choicesOf(SUMMARY.rankings), choice.id, (measure) => change({ measure })),
      ),
      copyButtons(table.copies),
    ),
    drawTable(table, "scores of the systems", "ranking"),
    h("p", { class: "soft small" }, said),
    h("details", null, h("summary", null, "How these numbers were made"), drawNotes(table)),
    differences && titled(
      "Which differences are sure",
      differences,
      "differences between systems",
      "A difference leads to what one system fixed and broke.",
      "on-screen",
    ),
    labelled && (await breakdown(labelled)),
  );
}

/** Moves the table until the value that ranks is in sight; names stay where they are. @param {HTMLElement} root */
export function showRanked(root) {
  const cell = root.querySelector(".ranking .whisker")?.closest("td");
  const frame = cell?.closest(".scroll");
  if (!cell?.parentElement || !frame) return;
  const cells = /** @type {HTMLElement[]} */ ([...cell.parentElement.children]);
  const held = cells.filter(
    (one) => getComputedStyle(one).position === "sticky",
  ).reduce((width, one) => width + one.offsetWidth, 0);
  const needed = cell.offsetLeft + cell.offsetWidth - frame.clientWidth;
  const starts = cells.slice(0, cells.indexOf(cell) + 1).map((one) => one.offsetLeft - held);
  const whole = starts.find((left) => left >= needed); // no number is cut: 2,832 is not 832
  frame.scrollLeft = needed > 0 ? (whole ?? needed) : 0;
}

/** @param {Choice[]} choices @returns {[string, string][]} */
export const choicesOf = (choices) => choices.map(({ id, label }) => [id, label]);

/** @param {Choice} choice */
async function breakdown(choice) {
  /** @type {import("../shared/schema.d.ts").Grid} */
  const table = await block(choice.block);
  const part = titled(`By ${choice.label}`, table, `scores by ${choice.label}`, (table.notes ?? [])[0] ?? "");
  if (SUMMARY.groups.length > 1)
    part.firstChild?.after(
      h("div", { class: "controls" }, picker("By", choicesOf(SUMMARY.groups), choice.id, (by) => change({ by }))),
    );
  return part;
}

/**
 * @param {string} title
 * @param {import("../shared/schema.d.ts").Grid} table
 * @param {string} label
 * @param {string} below
 * @param {string} where
 */
function titled(title, table, label, below, where = "") {
  return h(
    "div",
    { class: "titled" },
    h("div", { class: "row" }, h("h2", null, title), copyButtons(table.copies)),
    drawTable(table, label),
    h("p", { class: `soft small ${where}`.trim() }, below),
  );
}
