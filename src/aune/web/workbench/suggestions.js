// The likely chains of a mention, best first. The formula is in workbench/suggestions.py; its weights,
// windows and traits come with the text. It is applied here because a list must be there within a key's time, and
// without a network.

import { endOf, inReadingOrder, isZero, startOf } from "./state.js";

/** @typedef {import("./session.js").Passage} Passage */
/** @typedef {import("./state.js").Mention} Mention */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Change} Change */
/** @typedef {{ chain: string, score: number, why: string }} Suggestion */
/** @typedef {string[]} Traits gender, number, person, being: "" where nothing is known */
/**
 * The formula of the ranking: see `Formula` in workbench/suggestions.py.
 * @typedef {object} Formula
 * @property {number} before
 * @property {number} after
 * @property {number} similar
 * @property {number} smoothing
 * @property {Record<string, number>} pronoun
 * @property {Record<string, number>} other
 * @property {Record<string, string>} reasons
 * @property {Record<string, Record<string, string>>} traits
 * @property {string[][]} rivals
 */
/**
 * @typedef {object} Lexical
 * @property {Record<string, Traits>} pronouns
 * @property {Record<string, Traits>} words
 * @property {string[]} determiners
 * @property {Formula} formula
 */
/** @typedef {[string, number]} Likeness the feature that makes a chain like a mention, and its value */
/** @typedef {{ string: string, words: Set<string>, pronoun: boolean, traits: Traits }} Known */

/** A formula that suggests nothing, for texts without chains. @type {Formula} */
const NO_FORMULA = {
  ...{ before: 0, after: 0, similar: 0, smoothing: 0 },
  ...{ pronoun: {}, other: {}, reasons: {}, traits: {}, rivals: [] },
};
/** @type {Lexical} */
const NO_WORDS = { pronouns: {}, words: {}, determiners: [], formula: NO_FORMULA };
/** @type {Likeness} */
const NOTHING_ALIKE = ["", 0];

/** The mentions of a state by word, and what is known of each chain; it follows the state from event to event. */
export class Ranking {
  /** @param {Passage} passage @param {State} state @param {Lexical | null | undefined} lexical */
  constructor(passage, state, lexical) {
    this.passage = passage;
    this.lexical = lexical ?? NO_WORDS;
    this.formula = this.lexical.formula;
    this.determiners = new Set(this.lexical.determiners);
    this.state = state;
    /** @type {WeakMap<Mention, Known>} */
    this.said = new WeakMap();
    /** The mentions that hold a word, or are a string. @type {Map<string, Set<string>>} */
    this.like = new Map();
    /** How often each trait is said of the mentions of each chain. @type {Map<string, Map<string, number>>} */
    this.traits = new Map();
    for (const [id, mention] of state.mentions) this.count(id, mention, 1);
  }

  /** Follow what an event changed. @param {Change[]} inverse what puts back what was */
  follow(inverse) {
    const before = new Map(
      inverse.filter(([table]) => table === "mentions").map(([, id, was]) => [id, /** @type {Mention | null} */ (was)]),
    );
    for (const [id, was] of before) {
      const now = this.state.mentions.get(id);
      if (was) this.count(id, was, -1);
      if (now) this.count(id, now, 1);
    }
  }

  /** @param {string} id @param {Mention} mention @param {1 | -1} by */
  count(id, mention, by) {
    const known = this.known(mention);
    for (const sign of signs(known)) {
      const ids = this.like.get(sign) ?? new Set();
      this.like.set(sign, ids);
      if (by > 0) ids.add(id);
      else ids.delete(id);
    }
    if (mention.chain === null) return;
    const counts = this.traits.get(mention.chain) ?? new Map();
    this.traits.set(mention.chain, counts);
    for (const trait of known.traits) if (trait) counts.set(trait, (counts.get(trait) ?? 0) + by);
  }

  /** What the words of a mention say. @param {Mention} mention @returns {Known} */
  known(mention) {
    const old = this.said.get(mention);
    if (old) return old;
    const { lexical } = this;
    const string = this.passage.shown(mention).toLowerCase().trim();
    const pronoun = Object.hasOwn(lexical.pronouns, string) || isZero(mention);
    const words = string.match(/[\p{L}\p{N}_]+/gu) ?? [];
    let traits = Object.entries(this.formula.traits).map(([name, values]) =>
      values[(mention.features[name] ?? "").slice(0, 1).toLowerCase()] ?? "");
    const entryOf = (/** @type {string} */ word) =>
      Object.hasOwn(lexical.words, word) ? lexical.words[word] : undefined;
    for (const entry of pronoun ? [lexical.pronouns[string]] : words.map(entryOf))
      if (entry) traits = traits.map((trait, place) => trait || entry[place]);
    const telling = pronoun ? [] : words.filter((word) => [...word].length > 2 && !this.determiners.has(word));
    const known = { string, words: new Set(telling), pronoun, traits };
    this.said.set(mention, known);
    return known;
  }

  /**
   * The likely chains, best first.
   * @param {Mention} mention that may not be marked yet
   * @param {string | null} id its own, when it is
   * @returns {Suggestion[]}
   */
  chains(mention, id) {
    const said = this.known(mention);
    const { formula, state } = this;
    const weights = said.pronoun ? formula.pronoun : formula.other;
    const marked = id !== null && state.mentions.has(id);
    const here = marked ? state.place(id) : this.placeOf(mention);
    const earlier = state.order.slice(Math.max(here - formula.before, 0), here).reverse();
    const later = state.order.slice(here + Number(marked), here + Number(marked) + formula.after);
    const { since, near, across } = this.around(mention, earlier, later);
    const alike = said.pronoun ? this.calledSo(said, earlier) : this.alike(said, mention, id);
    return [...new Set([...alike.keys(), ...since.keys()])]
      .map((chain) => {
        const [likeness, value] = alike.get(chain) ?? NOTHING_ALIKE;
        const features = {
          [likeness]: value,
          recency: Math.log(1 + (since.get(chain) ?? formula.before)),
          near: Math.log(1 + (near.get(chain) ?? 0)),
          agreement: this.agreement(said.traits, chain),
          across: Number(across.has(chain)),
        };
        let score = 0;
        for (const [name, worth] of Object.entries(features)) if (name) score += weights[name] * worth;
        return { chain, score: Math.round(score * 1e6) / 1e6, why: formula.reasons[likeness || "recency"] };
      })
      .sort((a, b) => b.score - a.score || (a.chain < b.chain ? -1 : 1));
  }

  /** Where a mention that is not marked yet would stand. @param {Mention} mention */
  placeOf(mention) {
    const { state } = this;
    let place = state.placeFrom(startOf(mention));
    while (place < state.order.length && inReadingOrder(state.mention(state.order[place]), mention) < 0) place += 1;
    return place;
  }

  /**
   * How many other chains were mentioned since each chain was, how often each is near, and which overlap.
   * @param {Mention} mention
   * @param {string[]} earlier
   * @param {string[]} later
   */
  around(mention, earlier, later) {
    /** @type {Map<string, number>} */
    const since = new Map();
    /** @type {Map<string, number>} */
    const near = new Map();
    /** @type {Set<string>} */
    const across = new Set();
    for (const id of earlier) {
      const other = this.state.mention(id);
      if (other.chain === null) continue;
      if (!since.has(other.chain)) since.set(other.chain, since.size);
      near.set(other.chain, (near.get(other.chain) ?? 0) + 1);
      if (endOf(other) > startOf(mention)) across.add(other.chain);
    }
    for (const id of later) {
      const other = this.state.mention(id);
      if (other.chain === null) continue;
      if (!since.has(other.chain)) since.set(other.chain, since.size);
      if (startOf(other) < endOf(mention)) across.add(other.chain);
    }
    return { since, near, across };
  }

  /**
   * The chains near a pronoun that were called so.
   * @param {Known} said
   * @param {string[]} earlier
   * @returns {Map<string, Likeness>}
   */
  calledSo(said, earlier) {
    /** @type {Map<string, number>} */
    const times = new Map();
    for (const id of earlier) {
      const other = this.state.mention(id);
      if (
        other.chain !== null && this.known(other).string === said.string
      ) times.set(other.chain, (times.get(other.chain) ?? 0) + 1);
    }
    return new Map([...times].map(([chain, count]) => [chain, ["called_so", Math.log(1 + count)]]));
  }

  /**
   * The chains that share words with a mention, or its string.
   * @param {Known} said
   * @param {Mention} mention
   * @param {string | null} id
   * @returns {Map<string, Likeness>}
   */
  alike(said, mention, id) {
    /** @type {Map<string, Likeness>} */
    const best = new Map();
    for (const sign of signs(said))
      for (const name of this.nearest(sign, mention)) {
        const { chain } = this.state.mention(name);
        if (name === id || chain === null) continue;
        const [feature, value] = best.get(chain) ?? NOTHING_ALIKE;
        if (feature === "same_string") continue;
        const likeness = likenessOf(said, this.known(this.state.mention(name)));
        if (likeness[0] === "same_string" || likeness[1] > value) best.set(chain, likeness);
      }
    return best;
  }

  /**
   * The mentions with a sign around one, the nearest before it first of all.
   * @param {string} sign
   * @param {Mention} mention
   */
  nearest(sign, mention) {
    const ids = [...(this.like.get(sign) ?? [])].sort((a, b) => this.state.compared(a, b));
    const found = ids.findIndex((id) => inReadingOrder(this.state.mention(id), mention) >= 0);
    const middle = found < 0 ? ids.length : found;
    return ids.slice(Math.max(middle - this.formula.similar, 0), middle + this.formula.after);
  }

  /** How well a mention agrees with those of a chain, as a logarithm. @param {Traits} traits @param {string} chain */
  agreement(traits, chain) {
    const said = this.traits.get(chain) ?? new Map();
    let total = 0;
    traits.forEach((value, place) => {
      if (!value) return;
      const same = said.get(value) ?? 0;
      const others = this.formula.rivals[place].filter((rival) => rival !== value);
      const against = others.reduce((sum, rival) => sum + (said.get(rival) ?? 0), 0);
      total += Math.log((same + this.formula.smoothing) / (same + against + this.formula.smoothing));
    });
    return total;
  }
}

/** @param {Known} one @param {Known} other @returns {Likeness} */
function likenessOf(one, other) {
  if (one.string === other.string) return ["same_string", 1];
  const shared = [...one.words].filter((word) => other.words.has(word)).length;
  return shared ? ["same_words", (2 * shared) / (one.words.size + other.words.size)] : NOTHING_ALIKE;
}

/** @param {Known} said */
const signs = (said) => [`=${said.string}`, ...[...said.words].sort()];
