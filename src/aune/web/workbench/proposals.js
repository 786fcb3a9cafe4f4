// What looks like the next mention: what the server proposes, a string that was marked before, a name.

import { endOf, isZero, startOf } from "./state.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Passage} Passage */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Part} Part */

/** The strings that are marked, by their first word, the longest first; and the extents that are taken. */
class Habits {
  /** @param {Session} session */
  constructor({ state, passage }) {
    this.folds = state.folds;
    /** @type {Map<string, string[][]>} */
    this.strings = new Map();
    /** @type {Set<string>} */
    this.taken = new Set();
    const seen = new Set();
    for (const id of state.order) {
      const mention = state.mention(id);
      if (isZero(mention) || mention.parts.length > 1) continue;
      this.taken.add(`${startOf(mention)} ${endOf(mention)}`);
      const words = wordsOf(passage, startOf(mention), endOf(mention));
      if (!words.length || seen.has(words.join(" "))) continue;
      seen.add(words.join(" "));
      const known = this.strings.get(words[0]);
      if (known) known.push(words);
      else this.strings.set(words[0], [words]);
    }
    for (const list of this.strings.values()) list.sort((a, b) => b.length - a.length);
  }
}

/** @type {WeakMap<State, Habits>} */
const habits = new WeakMap();

/** @param {Session} session */
function habitsOf(session) {
  const known = habits.get(session.state);
  if (known && known.folds === session.state.folds) return known;
  const made = new Habits(session);
  habits.set(session.state, made);
  return made;
}

/** @type {WeakMap<Passage, Set<string>>} */
const common = new WeakMap();

/**
 * The words that are written with a small letter somewhere: at the beginning of a sentence they are no names.
 * @param {Passage} passage
 */
function commonOf(passage) {
  const known = common.get(passage);
  if (known) return known;
  /** @type {Set<string>} */
  const made = new Set();
  for (let word = 0; word < passage.words; word += 1) {
    const text = passage.word(word);
    if (/^\p{Ll}/u.test(text)) made.add(text);
  }
  common.set(passage, made);
  return made;
}

/** @param {Passage} passage @param {number} start @param {number} end */
function wordsOf(passage, start, end) {
  const words = [];
  for (let word = passage.wordAt(start); word < passage.words && passage.start(word) < end; word += 1) words.push(
    passage.word(word).toLowerCase(),
  );
  return words;
}

/**
 * The first extent from a place on that looks like a mention and is none yet.
 * @param {Session} session
 * @param {number} from a code point
 * @param {Part} after where one is: what begins there and is no shorter was seen already
 * @returns {Part | null}
 */
export function nextProposal(session, from, after) {
  const { passage } = session;
  const { strings, taken } = habitsOf(session);
  const names = session.proposals.length ? null : commonOf(passage);
  const seen = (/** @type {Part} */ [start, end]) =>
    taken.has(`${start} ${end}`) || (start === after[0] && end >= after[1]);
  let place = session.proposals.findIndex(([start]) => start >= from);
  for (let word = passage.wordAt(from); word < passage.words; word += 1) {
    const start = passage.start(word);
    if (start < from) continue;
    /** @type {Part[]} */
    const here = [];
    while (place >= 0 && place < session.proposals.length && session.proposals[place][0] <= start) {
      here.push(session.proposals[place]);
      place += 1;
    }
    const length = repeated(passage, strings, word) || (names ? named(passage, names, word) : 0);
    if (length) here.push([start, passage.end(word + length - 1)]);
    const next = here.filter((part) => !seen(part)).sort((a, b) => b[1] - a[1])[0];
    if (next) return next;
  }
  return null;
}

/**
 * How many words repeat a string that is marked.
 * @param {Passage} passage
 * @param {Map<string, string[][]>} strings
 * @param {number} word
 */
function repeated(passage, strings, word) {
  const known = strings.get(passage.word(word).toLowerCase()) ?? [];
  return known.find(
    (words) =>
      words.every((one, place) => word + place < passage.words && passage.word(word + place).toLowerCase() === one),
  )?.length ?? 0;
}

/**
 * How many words are a name. Words of a heading, in capitals that are small letters elsewhere, are none.
 * @param {Passage} passage
 * @param {Set<string>} common
 * @param {number} word
 */
function named(passage, common, word) {
  let names = 0;
  for (; word + names < passage.words; names += 1) {
    const text = passage.word(word + names);
    const shouted = text.length > 1 && text === text.toUpperCase();
    if (!/^\p{Lu}/u.test(text) || ((shouted || !names) && common.has(text.toLowerCase()))) break;
  }
  return names;
}
