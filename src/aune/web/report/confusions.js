// Confusions: what was expected against what was given, every error counted.

import { block, SUMMARY, systemNamed } from "./data.js";
import { h, picker, put, thousands } from "../shared/dom.js";
import { change } from "./route.js";
import { copyButtons, drawTable } from "./tables.js";

/** @param {HTMLElement} root @param {URLSearchParams} params */
export async function drawConfusions(root, params) {
  const system = systemNamed(params.get("system"));
  const diagonal = params.get("diagonal") !== "no";
  /** @type {import("../shared/schema.d.ts").Confusion} */
  const { table, hidden } = await block(`confusion-${SUMMARY.systems.indexOf(system)}`);
  put(
    root,
    h(
      "div",
      { class: "row" },
      h(
        "div",
        { class: "controls" },
        picker("System", SUMMARY.systems, system, (one) => change({ system: one })),
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            checked: diagonal,
            onchange: (/** @type {Event} */ event) =>
              change({ diagonal: /** @type {HTMLInputElement} */ (event.target).checked ? "" : "no" }),
          }),
          "show what is right",
        ),
      ),
      copyButtons(table.copies),
    ),
    drawTable(table, `what ${system} took for what`, `matrix${diagonal ? "" : " bare"}`),
    h(
      "p",
      { class: "soft small" },
      "All errors are counted. The stronger the colour, the more errors; a number leads to its cases.",
      hidden > 0 && ` ${thousands(hidden)} labels with fewer errors are not shown.`,
    ),
  );
}
