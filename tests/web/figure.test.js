// Classes drawn against each other, with the example of the paper.

import { className, drawFigure, drawnClasses, fateOf } from "../../src/aune/web/workbench/figure.js";
import { hundredths, scoreTable } from "../../src/aune/web/workbench/scores.js";
import { same } from "./checks.js";

/** @typedef {import("../../src/aune/web/workbench/figure.js").Fate} Fate */

/** What becomes of the classes of one partition in another. @param {number[][]} mine @param {number[][]} theirs @returns {Fate[]} */
const fates = (mine, theirs) =>
  mine.map((mentions) => {
    const projections = theirs
      .map((other, number) => ({ other: number, mentions: mentions.filter((one) => other.includes(one)) }))
      .filter((part) => part.mentions.length)
      .sort((a, b) => b.mentions.length - a.mentions.length);
    return { chain: "c", mentions, projections, core: projections[0].other, exclusive: null, pair: 0 };
  });

const KEY = [[0, 1], [2, 3, 4], [5, 6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16]];
const RESPONSE = [[0, 1, 5, 6, 7, 8, 9], [2, 3, 4, 10, 11, 12, 13, 14, 15], [16]];

/** @type {[Fate[], Fate[]]} */
const PAPER = [fates(KEY, RESPONSE), fates(RESPONSE, KEY)];

export function test_figure_1() {
  /** @type {number[]} */
  const shown = [];
  const drawn = drawFigure(PAPER, { side: 1, chain: 1 }, () => {}, (mention) => shown.push(mention));
  same(drawn.querySelectorAll(".key-class").length, 4);
  same(drawn.querySelectorAll(".response-class").length, 3);
  same(drawn.querySelectorAll(".fragment").length, 3);
  same([...drawn.querySelectorAll(".expression")].map((one) => Number(one.textContent)).sort((a, b) => a - b), Array.from({ length: 17 }, (_, place) => place + 1));
  drawn.querySelector(".expression")?.dispatchEvent(new Event("click"));
  same(shown, [0]);
}

export function test_projections_in_the_signs_of_the_paper() {
  const said = fateOf(PAPER, { side: 0, chain: 2 }).textContent;
  same(said, "π(K₃){6, 7, 8, 9, 10} {11, 12}π*(K₃)R₁ R₂c(K₃){6, 7, 8, 9, 10} in R₁xc*(K₃)∅denotes the sameR₁");
  same(className(1, 11), "R₁₂");
}

export function test_large_partitions_show_what_a_class_meets() {
  const many = Array.from({ length: 40 }, (_, place) => [place]);
  const one = [many.flat()];
  same(drawnClasses([fates(many, one), fates(one, many)], { side: 0, chain: 30 }), [[30], [0]]);
  same(drawnClasses([fates(many, one), fates(one, many)], null)[0].length, 9);
}

export function test_scores_in_columns() {
  const score = { measure: "coref.b_cubed", short: "b_cubed", values: { recall: 0.7378, precision: 0.4921, f1: null }, main: "f1", better: "high", signature: "s" };
  const other = { ...score, measure: "coref.distribution", short: "distribution", values: { d_error: -0.5 }, direction: "p" };
  const cells = [...scoreTable([score, other]).querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent));
  same(cells, [["b_cubed", "73.78", "49.21", "–"], ["distribution", "d error −50.00 (precision)"]]);
  same(hundredths(undefined), "–");
}
