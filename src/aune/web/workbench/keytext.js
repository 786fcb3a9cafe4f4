// A key and the annotations it is made from, beside each other. Colours and numbers are those of the key's chains,
// which
// keep them; after a decision only the sentences that it changed are drawn again.

import { shownAnswer } from "./anaphora.js";
import { rowsOf } from "./sides.js";
import { sentencesAt, TextSheet } from "../shared/text.js";

/** @typedef {import("./session.js").Passage} Passage */
/** @typedef {import("./state.js").Change} Change */
/** @typedef {import("./state.js").Mention} Mention */
/** @typedef {import("./state.js").State} State */
/** @typedef {{ name: string, state: State }} Annotation */

/**
 * Where a mention is and of which type: what mentions of two annotations have in common.
 * @param {Mention} mention
 * @param {string} [answer] what it refers to, of a pronoun
 */
const placeOf = (mention, answer) => JSON.stringify([mention.parts, mention.order, mention.label, answer ?? ""]);

export class KeyText {
  /** @param {Passage} passage @param {Annotation[]} sides the key first @param {string} task */
  constructor(passage, sides, task) {
    this.sides = sides;
    this.passage = passage;
    this.hasPronouns = task === "anaphora";
    this.key = sides[0].state;
    this.components = passage.components;
    this.sentences = rowsOf(passage);
    /** The number of each chain of each side, by the order of reading. @type {Map<string, number>[]} */
    this.numbers = sides.map(() => new Map());
    sides.forEach(({ state }, side) => state.order.forEach((id) => this.number(side, state.mention(id).chain)));
    /** The chain of the key at each place. @type {Map<string, string | null>} */
    this.homes = this.homesOfKey();
    /** The mentions in each sentence of each side. @type {Set<string>[][]} */
    this.inside = sides.map(({ state }) => {
      const rows = this.sentences.map(() => new Set());
      for (const [id, mention] of state.mentions) for (const row of this.rowsOf(mention)) rows[row].add(id);
      return rows;
    });
    const labels = [
      ...new Set(sides.flatMap(({ state }) => [...state.mentions.values()].map(({ label }) => label)))
    ].filter(Boolean);
    const drawn = sides.map(
      ({ name, state }, side) => ({ name, spans: state.order.flatMap((id) => this.spansOf(side, id)) }),
    );
    this.sheet = new TextSheet({ source: passage.source, sentences: this.sentences, sides: drawn, labels }, () => {});
  }

  homesOfKey() {
    return new Map([...this.key.mentions].map(([id, one]) => [placeOf(one, this.answer(0, id)), one.chain]));
  }

  /** What a pronoun refers to, in words. @param {number} side @param {string} id */
  answer(side, id) {
    return this.hasPronouns ? shownAnswer({ state: this.sides[side].state, passage: this.passage }, id) : undefined;
  }

  /** @param {number} side @param {string | null} chain */
  number(side, chain) {
    if (chain === null) return -1;
    const known = this.numbers[side].get(chain) ?? this.numbers[side].size;
    this.numbers[side].set(chain, known);
    return known;
  }

  /** The sentences that a mention is in. @param {Mention} mention */
  rowsOf({ parts }) {
    return new Set(parts.flatMap(([start, end]) => [...sentencesAt(this.sentences, start, end)]));
  }

  /** @param {number} side @param {string} id */
  spansOf(side, id) {
    const mention = this.sides[side].state.mention(id);
    const { parts, label, chain } = mention;
    const below = this.answer(side, id);
    const home = this.homes.get(placeOf(mention, below));
    const about = {
      label,
      below,
      minor: this.components.has(label),
      group: label ? -1 : this.number(side, chain),
      twin: home === undefined ? -1 : this.number(0, home),
      error: home === undefined ? "not in the key" : "",
    };
    return parts.map(([start, end]) => ({ start, end, ...about }));
  }

  /**
   * The sentences of the pronoun that a relation of the key begins at.
   * @param {unknown} relation
   * @param {Set<number>} rows
   */
  rowsOfPronoun(relation, rows) {
    const source = this.key.mentions.get(/** @type {{ source?: string } | null} */ (relation)?.source ?? "");
    if (source) for (const row of this.rowsOf(source)) rows.add(row);
  }

  /** Take changes of the key in, and draw the sentences where something else is seen now. @param {Change[]} changes */
  update(changes) {
    const inverse = this.key.fold(changes);
    /** @type {Set<number>} */
    const rows = new Set();
    /** @type {Set<string>} */
    const chains = new Set();
    const moved = (
      /** @type {Mention | null | undefined} */ mention,
      /** @type {(row: Set<string>) => unknown} */ does,
    ) => {
      if (!mention) return;
      if (mention.chain) chains.add(mention.chain);
      for (const row of this.rowsOf(mention)) {
        does(this.inside[0][row]);
        rows.add(row);
      }
    };
    for (const [table, id, was] of inverse) {
      if (table === "relations") for (const one of [was, this.key.relations.get(id)]) this.rowsOfPronoun(one, rows);
      if (table !== "mentions") continue;
      const now = this.key.mentions.get(id);
      if (was) this.homes.delete(placeOf(was));
      moved(was, (row) => row.delete(id));
      if (now) this.homes.set(placeOf(now), now.chain);
      moved(now, (row) => row.add(id));
    }
    if (this.hasPronouns) this.homes = this.homesOfKey();
    // a chain of one looks otherwise than a chain of two
    for (const chain of chains)
      if (
        this.key.size(chain) <= 2
      ) for (const id of this.key.members(chain)) for (const row of this.rowsOf(this.key.mention(id))) rows.add(row);
    for (const row of rows)
      this.sides.forEach(({ state }, side) => {
        const ids = [...this.inside[side][row]].sort((a, b) => state.compared(a, b));
        this.sheet.spans[side][row] = ids.flatMap((id) => this.spansOf(side, id));
      });
    this.sheet.redraw(rows);
  }
}
