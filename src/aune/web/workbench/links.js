// The same partition as links: every mention of a chain to the one before it. Links turned into classes are the
// partition again.

import { s } from "../shared/dom.js";
import { startOf } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./sheet.js").EditSheet} EditSheet */
/** @typedef {[string, string]} Link a mention and the one before it */

const MOST = 300;

/** @param {State} state @returns {Link[]} */
export function linksOf(state) {
  return [...state.sets.keys()].flatMap((chain) => linksOfChain(state, chain));
}

/** @param {State} state @param {string} chain @returns {Link[]} */
export function linksOfChain(state, chain) {
  const members = state.members(chain);
  return members.slice(1).map((id, place) => [id, members[place]]);
}

/** The classes that links make: whatever hangs together. @param {Iterable<Link>} links @returns {Set<string>[]} */
export function classesOf(links) {
  /** @type {Map<string, Set<string>>} */
  const classes = new Map();
  for (const [a, b] of links) {
    const [mine, theirs] = [classes.get(a) ?? new Set([a]), classes.get(b) ?? new Set([b])];
    const [large, small] = mine.size < theirs.size ? [theirs, mine] : [mine, theirs];
    for (const id of small) large.add(id);
    for (const id of small) classes.set(id, large);
    for (const id of large) if (!classes.has(id)) classes.set(id, large);
  }
  return [...new Set(classes.values())];
}

/**
 * Arcs over the text for the links of a chain; nothing when there is none.
 * @param {EditSheet} sheet
 * @param {string | null} chain
 */
export function drawArcs(sheet, chain) {
  sheet.element.querySelector(".arcs")?.remove();
  if (chain === null) return;
  const { state } = sheet.session;
  const here = sheet.current === null ? 0 : startOf(state.mention(sheet.current));
  const links = linksOfChain(state, chain)
    .sort((a, b) => Math.abs(startOf(state.mention(a[0])) - here) - Math.abs(startOf(state.mention(b[0])) - here))
    .slice(0, MOST);
  draw(sheet, links, sheet.look.chainHue(chain));
}

/** Arcs for the relations of the mention where one is. @param {EditSheet} sheet */
export function drawRelations(sheet) {
  sheet.element.querySelector(".arcs")?.remove();
  const { current } = sheet;
  const { state } = sheet.session;
  if (current === null || !state.mentions.has(current)) return;
  const links = state.relationsOf(current).flatMap(
    ([, { source, targets }]) => targets.map((target) => /** @type {Link} */ ([source, target])),
  );
  if (links.length) draw(sheet, links.slice(0, MOST), sheet.look.hue(state.mention(current)));
}

/** @param {EditSheet} sheet @param {Link[]} links @param {number} hue */
function draw(sheet, links, hue) {
  const box = sheet.element.getBoundingClientRect();
  const place = (/** @type {string} */ id) => {
    const rect = sheet.elementsOf(id)[0]?.getBoundingClientRect();
    return rect && { x: rect.left + rect.width / 2 - box.left, y: rect.top - box.top + 3 };
  };
  const arcs = links.map(([anaphor, antecedent]) => {
    const [from, to] = [place(anaphor), place(antecedent)];
    if (!from || !to) return null;
    const lift = Math.min(30, 8 + Math.abs(from.x - to.x) / 12);
    const bend = from.y === to.y
      ? `Q ${(from.x + to.x) / 2} ${from.y - lift}`
      : `C ${from.x} ${from.y - lift}, ${to.x} ${to.y + lift + 18},`;
    return s("path", { d: `M ${from.x} ${from.y} ${bend} ${to.x} ${to.y}` });
  });
  sheet.element.append(
    s(
      "svg",
      {
        class: "arcs",
        "aria-hidden": "true",
        width: box.width,
        height: box.height,
        style: { "--h": hue },
      },
      arcs,
    ),
  );
}
