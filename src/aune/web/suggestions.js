// The chains that a mention most likely belongs to, best first, and the words that most likely are the next mention.
// Both learn from what is marked already, so that they work in any language and without a network.

import { endOf, isZero, startOf } from "./state.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./state.js").Mention} Mention */
/** @typedef {import("./state.js").Part} Part */
/** @typedef {{ chain: string, score: number, why: string }} Suggestion */

const AGREEING = ["gender", "number", "sense"];

/** @type {WeakMap<Mention, { whole: string, words: string[], short: boolean }>} */
const strings = new WeakMap();

/** The words of a mention, in small letters. @param {Session} session @param {Mention} mention */
function stringOf(session, mention) {
  const known = strings.get(mention);
  if (known) return known;
  const whole = session.passage.shown(mention).toLowerCase();
  const words = whole.match(/[\p{L}\p{N}]+/gu) ?? [whole];
  const made = { whole, words, short: words.length === 1 && words[0].length <= 4 && !/^\p{Lu}/u.test(session.passage.shown(mention).slice(1)) };
  strings.set(mention, made);
  return made;
}

/**
 * The chains before a mention, best first: the same string, the same last word, words in common; agreement; recency; size.
 * @param {Session} session
 * @param {Mention} mention that may not be marked yet
 * @param {string | null} id its own, when it is
 * @returns {Suggestion[]}
 */
export function likelyChains(session, mention, id) {
  const { state } = session;
  const mine = stringOf(session, mention);
  /** @type {Map<string, { same: number, head: number, shared: number, against: number, last: number, size: number }>} */
  const chains = new Map();
  const until = id !== null && state.mentions.has(id) ? state.place(id) : state.placeFrom(startOf(mention) + 1);
  for (let place = 0; place < state.order.length; place += 1) {
    const name = state.order[place];
    const other = state.mention(name);
    if (other.chain === null || name === id) continue;
    let about = chains.get(other.chain);
    if (!about) chains.set(other.chain, (about = { same: 0, head: 0, shared: 0, against: 0, last: Number.NEGATIVE_INFINITY, size: 0 }));
    if (place < until) about.last = place;
    else if (about.last === Number.NEGATIVE_INFINITY) about.last = until - 3 * (place - until) - 20;
    about.size += 1;
    const theirs = stringOf(session, other);
    if (theirs.whole === mine.whole) about.same += 1;
    else if (!mine.short && !theirs.short) {
      if (theirs.words.at(-1) === mine.words.at(-1)) about.head += 1;
      else if (mine.words.some((word) => word.length > 3 && theirs.words.includes(word))) about.shared += 1;
    }
    if (AGREEING.some((name) => other.features[name] && mention.features[name] && other.features[name] !== mention.features[name])) about.against += 1;
  }
  return [...chains]
    .map(([chain, about]) => {
      const recency = 1 / (1 + Math.log2(1 + Math.max(0, until - 1 - about.last)));
      const share = about.same / about.size;
      const string = about.same ? (mine.short ? 0.5 + share : 3) : 0;
      const score = string + (about.head ? 1.6 : 0) + (about.shared ? 1.2 : 0) + 1.2 * recency + 0.25 * Math.log2(about.size) - 2 * (about.against / about.size);
      const why = about.same ? "same string" : about.head ? "same head" : about.shared ? "a word in common" : "recent";
      return { chain, score, why };
    })
    .sort((a, b) => b.score - a.score || (a.chain < b.chain ? -1 : 1));
}

/** What is known of a layer's mentions, for proposing more. */
class Habits {
  /** @param {Session} session */
  constructor(session) {
    const { state, passage } = session;
    /** The extents that began with a word, in words, longest first. @type {Map<string, string[][]>} */
    this.strings = new Map();
    /** First words of longer mentions, and how long these are. @type {Map<string, number[]>} */
    this.openers = new Map();
    /** @type {Set<string>} */
    this.taken = new Set();
    /** @type {Set<string>} */
    this.plain = new Set();
    for (let word = 0; word < passage.words; word += 1) {
      const text = passage.source.slice(passage.start(word), passage.end(word));
      if (/^\p{Ll}/u.test(text)) this.plain.add(text);
    }
    const seen = new Set();
    for (const id of state.order) {
      const mention = state.mention(id);
      if (isZero(mention) || mention.parts.length > 1) continue;
      this.taken.add(`${startOf(mention)} ${endOf(mention)}`);
      const words = wordsIn(session, startOf(mention), endOf(mention));
      if (!words.length) continue;
      const lengths = this.openers.get(words[0]);
      if (lengths) lengths.push(words.length);
      else this.openers.set(words[0], [words.length]);
      if (seen.has(words.join(" "))) continue;
      seen.add(words.join(" "));
      const known = this.strings.get(words[0]);
      if (known) known.push(words);
      else this.strings.set(words[0], [words]);
    }
    for (const list of this.strings.values()) list.sort((a, b) => b.length - a.length);
  }
}

/** @param {Session} session @param {number} start @param {number} end */
function wordsIn(session, start, end) {
  const { passage } = session;
  const words = [];
  for (let word = passage.wordAt(start); word < passage.words && passage.start(word) < end; word += 1)
    words.push(passage.source.slice(passage.start(word), passage.end(word)).toLowerCase());
  return words;
}

/**
 * The next words that look like a mention and are none yet: a string that was marked before, a name, words that begin like mentions do.
 * @param {Session} session
 * @param {number} from a code point
 * @returns {Part | null}
 */
export function nextCandidate(session, from) {
  const { passage } = session;
  const habits = new Habits(session);
  const text = (/** @type {number} */ word) => passage.source.slice(passage.start(word), passage.end(word));
  const firsts = new Set(passage.sentences);
  let word = passage.wordAt(from);
  if (passage.start(word) < from) word += 1;
  for (; word < passage.words; word += 1) {
    const length = likelyLength(habits, text, word, passage.words, firsts.has(word));
    if (!length) continue;
    /** @type {Part} */
    const part = [passage.start(word), passage.end(word + length - 1)];
    if (!habits.taken.has(part.join(" "))) return part;
  }
  return null;
}

/**
 * How many words from one on look like a mention: 0 when none do.
 * @param {Habits} habits
 * @param {(word: number) => string} text
 * @param {number} word
 * @param {number} words
 * @param {boolean} first whether it begins a sentence
 */
function likelyLength(habits, text, word, words, first) {
  const small = text(word).toLowerCase();
  for (const string of habits.strings.get(small) ?? [])
    if (string.every((one, place) => word + place < words && text(word + place).toLowerCase() === one)) return string.length;
  let names = 0;
  while (word + names < words && /^\p{Lu}/u.test(text(word + names)) && !(first && !names && habits.plain.has(small))) names += 1;
  if (names) return names;
  const lengths = habits.openers.get(small);
  if (!lengths) return 0;
  const usual = lengths.sort((a, b) => a - b)[lengths.length >> 1];
  return /^[\p{L}\p{N}]/u.test(text(Math.min(word + usual, words) - 1)) ? Math.min(usual, words - word) : 0;
}
