// The chains that a mention most likely belongs to, best first: the twin of workbench/suggestions.py, where the formula
// stands. It is here because a list must be there within a key's time, and without a network; a test compares the two.

import { endOf, inReadingOrder, isZero, startOf } from "./state.js";

/** @typedef {import("./session.js").Passage} Passage */
/** @typedef {import("./state.js").Mention} Mention */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Change} Change */
/** @typedef {{ chain: string, score: number, why: string }} Suggestion */
/** @typedef {string[]} Traits gender, number, person, being: "" where nothing is known */
/** @typedef {{ pronouns: Record<string, Traits>, words: Record<string, Traits>, determiners: string[] }} Lexical */
/** @typedef {{ string: string, words: Set<string>, pronoun: boolean, traits: Traits }} Known */

const [BEFORE, BEHIND] = [150, 15];
const MOST_ALIKE = 300;
const [SAME_STRING, SAME_WORDS, CALLED_SO] = [20, 18, 0.8];
const [PRONOUN_RECENCY, RECENCY] = [0.75, 0.95];
const [SIZE, AGREEMENT, ACROSS] = [0.3, 0.45, 2];
const RIVALS = [
  ["masculine", "feminine", "neuter"],
  ["singular", "plural"],
  ["first", "second", "third"],
  ["person", "thing"],
];
/** What features say, however they are written. @type {[string, Record<string, string>][]} */
const VALUES = [
  ["gender", { m: "masculine", f: "feminine", n: "neuter" }],
  ["number", { s: "singular", p: "plural" }],
  ["person", { 1: "first", 2: "second", 3: "third" }],
  ["being", {}],
];
/** @type {Lexical} */
const NO_WORDS = { pronouns: {}, words: {}, determiners: [] };

/** The mentions of a state by word, and what is known of each chain; it follows the state from event to event. */
export class Ranking {
  /** @param {Passage} passage @param {State} state @param {Lexical | null | undefined} lexical */
  constructor(passage, state, lexical) {
    this.passage = passage;
    this.lexical = lexical ?? NO_WORDS;
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
    let traits = VALUES.map(([name, values]) => values[(mention.features[name] ?? "").slice(0, 1).toLowerCase()] ?? "");
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
    const { order } = this.state;
    const marked = id !== null && this.state.mentions.has(id);
    const here = marked ? this.state.place(id) : this.placeOf(mention);
    const earlier = order.slice(Math.max(here - BEFORE, 0), here).reverse();
    const later = order.slice(here + Number(marked), here + Number(marked) + BEHIND);
    const { since, near, across } = this.around(mention, earlier, later);
    const alike = said.pronoun ? this.calledSo(said, earlier) : this.alike(said, mention, id);
    const candidates = new Set([...alike.keys(), ...since.keys()]);
    return [...candidates]
      .map((chain) => {
        const [likeness, why] = alike.get(chain) ?? [0, "recent"];
        const recency = (said.pronoun ? PRONOUN_RECENCY : RECENCY) * Math.log(1 + (since.get(chain) ?? BEFORE));
        const nearness = SIZE * Math.log(1 + (near.get(chain) ?? 0));
        const score = likeness - recency
          + nearness
          + AGREEMENT * this.agreement(said.traits, chain) - ACROSS * Number(across.has(chain));
        return { chain, score: Math.round(score * 1e6) / 1e6, why };
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
   * @returns {Map<string, [number, string]>}
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
    return new Map([...times].map(([chain, count]) => [chain, [CALLED_SO * Math.log(1 + count), "called so"]]));
  }

  /**
   * The chains that share words with a mention, or its string.
   * @param {Known} said
   * @param {Mention} mention
   * @param {string | null} id
   * @returns {Map<string, [number, string]>}
   */
  alike(said, mention, id) {
    /** @type {Map<string, [number, string]>} */
    const best = new Map();
    for (const sign of signs(said))
      for (const name of this.nearest(sign, mention)) {
        const other = this.state.mention(name);
        const known = other.chain === null ? 0 : (best.get(other.chain)?.[0] ?? 0);
        if (name === id || other.chain === null || known === SAME_STRING) continue;
        const likeness = likenessOf(said, this.known(other));
        if (likeness[0] > known) best.set(other.chain, likeness);
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
    return ids.slice(Math.max(middle - MOST_ALIKE, 0), middle + BEHIND);
  }

  /** How well a mention agrees with those of a chain, as a logarithm. @param {Traits} traits @param {string} chain */
  agreement(traits, chain) {
    const said = this.traits.get(chain) ?? new Map();
    let total = 0;
    traits.forEach((value, place) => {
      if (!value) return;
      const same = said.get(value) ?? 0;
      const against = RIVALS[place].reduce((sum, rival) => sum + (rival === value ? 0 : (said.get(rival) ?? 0)), 0);
      total += Math.log((same + 0.5) / (same + against + 0.5));
    });
    return total;
  }
}

/** @param {Known} one @param {Known} other @returns {[number, string]} */
function likenessOf(one, other) {
  if (one.string === other.string) return [SAME_STRING, "same string"];
  const shared = [...one.words].filter((word) => other.words.has(word)).length;
  return shared ? [(2 * SAME_WORDS * shared) / (one.words.size + other.words.size), "shares words"] : [0, ""];
}

/** @param {Known} said */
const signs = (said) => [`=${said.string}`, ...[...said.words].sort()];
