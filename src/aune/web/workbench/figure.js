// Two partitions of the same mentions, drawn as in figure 1 of Popescu-Belis 1999: key classes with a full line,
// response
// classes dotted, and the projections of one class in grey.

import { h, s } from "../shared/dom.js";

/** @typedef {{ other: number, mentions: number[] }} Fragment what a chain shares with one of the other side */
/**
 * @typedef {{ chain: string | null, mentions: number[], projections: Fragment[], core: number, exclusive?: number |
 * null, pair?: number | null }} Fate
 */
/** @typedef {{ side: 0 | 1, chain: number }} Chosen */

const [COLUMN, MARGIN, LINE, ACROSS] = [112, 34, 22, 4];
const LARGEST = 9; // classes a side that are drawn when none is chosen
const SIGNS = ["K", "R"];

/** The name of a class, as the paper writes it. @param {number} side @param {number} chain */
export const className = (side, chain) => `${SIGNS[side]}${subscript(chain + 1)}`;

/** @param {number} number */
const subscript = (number) => String(number).replace(/\d/g, (digit) => String.fromCharCode(0x2080 + Number(digit)));

/**
 * The classes to draw: the chosen one and those it meets, or the first ones of each side.
 * @param {Fate[][]} sides
 * @param {Chosen | null} chosen
 * @returns {number[][]}
 */
export function drawnClasses(sides, chosen) {
  const small = sides.every((side) => side.length <= LARGEST);
  if (!chosen || small) return sides.map((side) => side.slice(0, LARGEST).map((_, chain) => chain));
  const met = sides[chosen.side][chosen.chain].projections.slice(0, LARGEST).map(
    (part) => part.other,
  ).sort((a, b) => a - b);
  return chosen.side === 0 ? [[chosen.chain], met] : [met, [chosen.chain]];
}

/**
 * @param {[Fate[], Fate[]]} sides key and response
 * @param {Chosen | null} chosen the class whose projections are grey
 * @param {(chosen: Chosen) => void} choose
 * @param {(mention: number) => void} show a mention in the text
 */
export function drawFigure(sides, chosen, choose, show) {
  const [keys, responses] = drawnClasses(sides, chosen);
  const rowHeights = keys.map(
    (key) =>
      12 + LINE * Math.max(
        1,
        ...responses.map((response) => Math.ceil(shared(sides[0][key], response).length / ACROSS))
      ),
  );
  const tops = rowHeights.map(
    (_, row) => MARGIN + 12 + rowHeights.slice(0, row).reduce((sum, height) => sum + height + 12, 0),
  );
  const bottom = (tops.at(-1) ?? MARGIN) + (rowHeights.at(-1) ?? 0) + 14;
  const width = MARGIN + responses.length * (COLUMN + 12) + 14;
  const left = (/** @type {number} */ column) => MARGIN + 12 + column * (COLUMN + 12);
  const isChosen = (/** @type {0 | 1} */ side, /** @type {number} */ chain) =>
    chosen?.side === side && chosen.chain === chain;
  const cells = keys.flatMap((key, row) =>
    responses.map((response, column) => {
      const mentions = shared(sides[0][key], response);
      const grey = mentions.length > 0 && (isChosen(0, key) || isChosen(1, response));
      return s(
        "g",
        { transform: `translate(${left(column)} ${tops[row]})` },
        grey && s("rect", { class: "fragment", x: 3, y: 3, width: COLUMN - 6, height: rowHeights[row] - 6, rx: 9 }),
        mentions.map((mention, place) => dot(mention, place, show)),
      );
    }),
  );
  const label = (
    /** @type {0 | 1} */ side,
    /** @type {number} */ chain,
    /** @type {number} */ x,
    /** @type {number} */ y,
  ) =>
    s(
      "text",
      {
        class: isChosen(side, chain) ? "class chosen" : "class",
        x,
        y,
        "text-anchor": "middle",
        role: "button",
        tabindex: "0",
        onclick: () => choose({ side, chain }),
        onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && choose({ side, chain }),
      },
      className(side, chain),
    );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "key and response classes" },
    s(
      "svg",
      { class: "classes", width, height: bottom, viewBox: `0 0 ${width} ${bottom}` },
      keys.map(
        (_, row) =>
          s(
            "rect",
            {
              class: "key-class",
              x: MARGIN + 4,
              y: tops[row] - 2,
              width: width - MARGIN - 10,
              height: rowHeights[row] + 4,
              rx: 14,
            },
          ),
      ),
      responses.map(
        (_, column) =>
          s(
            "rect",
            {
              class: "response-class",
              x: left(column) - 3,
              y: MARGIN - 2,
              width: COLUMN + 6,
              height: bottom - MARGIN - 4,
              rx: 14,
            },
          ),
      ),
      cells,
      keys.map((key, row) => label(0, key, MARGIN / 2, tops[row] + rowHeights[row] / 2 + 5)),
      responses.map((response, column) => label(1, response, left(column) + COLUMN / 2, MARGIN / 2 + 6)),
    ),
  );
}

/** The mentions that a key class shares with a response class. @param {Fate} key @param {number} response */
const shared = (key, response) => key.projections.find((part) => part.other === response)?.mentions ?? [];

/** @param {number} mention @param {number} place @param {(mention: number) => void} show */
function dot(mention, place, show) {
  const [x, y] = [COLUMN / ACROSS / 2 + (place % ACROSS) * (COLUMN / ACROSS), 22 + LINE * Math.floor(place / ACROSS)];
  return s("text", { class: "expression", x, y, "text-anchor": "middle", onclick: () => show(mention) }, mention + 1);
}

/** What becomes of a class, in the paper's signs. @param {[Fate[], Fate[]]} sides @param {Chosen} chosen */
export function fateOf(sides, { side, chain }) {
  const fate = sides[side][chain];
  const other = side === 0 ? 1 : 0;
  const name = className(side, chain);
  const set = (/** @type {number[]} */ mentions) => `{${mentions.map((one) => one + 1).join(", ")}}`;
  const line = (/** @type {string} */ term, /** @type {string} */ value) => [h("dt", null, term), h("dd", null, value)];
  const core = fate.projections.find((part) => part.other === fate.core);
  return h(
    "dl",
    { class: "both fate" },
    line(`${side ? "σ" : "π"}(${name})`, fate.projections.map((part) => set(part.mentions)).join(" ")),
    line(`${side ? "σ" : "π"}*(${name})`, fate.projections.map((part) => className(other, part.other)).join(" ")),
    line(`c(${name})`, `${core ? set(core.mentions) : "∅"} in ${className(other, fate.core)}`),
    side === 0
      ? line(
          `xc*(${name})`,
          fate.exclusive === null || fate.exclusive === undefined ? "∅" : className(1, fate.exclusive),
        )
      : [],
    line(
      "denotes the same",
      fate.pair === null || fate.pair === undefined ? "no class of the other side" : className(other, fate.pair),
    ),
  );
}
