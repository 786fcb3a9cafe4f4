// Pronouns and their antecedents: what a pronoun may refer to, and what it refers to.

import { endOf, startOf } from "./state.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Mention} Mention */
/** @typedef {import("./state.js").Part} Part */
/** @typedef {{ part: Part, id: string | null, why: string }} Candidate */

export const [PRONOUN, NONE, EXPLETIVE, ANTECEDENT] = ["pronoun", "none", "expletive", "antecedent"];
const MOST = 9; // candidates that digits take

/** Whether a mention is a pronoun, whatever it refers to. @param {Mention} mention */
export const isPronoun = ({ label }) => label === PRONOUN || label === NONE || label === EXPLETIVE;

/** The antecedents of a pronoun, in the order of the text. @param {State} state @param {string} id */
export function antecedentsOf(state, id) {
  const targets = state.relationsFrom(id).filter(([, { kind }]) => kind === ANTECEDENT)
    .flatMap(([, relation]) => relation.targets);
  return [...new Set(targets)].sort((a, b) => state.compared(a, b));
}

/** Whether a pronoun waits for an answer. @param {State} state @param {string} id */
export const isOpen = (state, id) => state.mention(id).label === PRONOUN && !antecedentsOf(state, id).length;

/**
 * What a pronoun may refer to: mentions and likely phrases before it, the nearest first, those that pronouns refer to
 * already before others as far away.
 * @param {Session} session
 * @param {Mention} mention the pronoun
 * @param {string | null} id its id, when it is marked
 * @returns {Candidate[]}
 */
export function candidates(session, mention, id) {
  const { state, passage } = session;
  const here = startOf(mention);
  const taken = new Set(id === null ? [] : antecedentsOf(state, id));
  /** @type {Map<string, { part: Part, id: string | null, uses: number }>} */
  const pool = new Map();
  for (const part of session.candidates)
    if (part[1] <= here && !session.pronouns.has(part.join())) pool.set(part.join(), { part, id: null, uses: 0 });
  for (let place = state.placeFrom(here) - 1; place >= 0; place -= 1) {
    const other = state.order[place];
    const record = state.mention(other);
    if (endOf(record) > here || record.parts.length > 1 || record.label === NONE || record.label === EXPLETIVE)
      continue;
    pool.set(record.parts[0].join(), { part: record.parts[0], id: other, uses: state.relationsTo(other).length });
  }
  const word = passage.wordAt(here);
  return [...pool.values()].filter((one) => one.id === null || !taken.has(one.id))
    .map((one) => ({ ...one, far: word - passage.wordAt(one.part[1] - 1) }))
    .sort((a, b) => Math.log1p(a.far) - 0.6 * Math.log1p(a.uses) - (Math.log1p(b.far) - 0.6 * Math.log1p(b.uses)))
    .slice(0, MOST)
    .map(({ part, id: known, far }) => ({ part, id: known, why: `${far} ${far === 1 ? "word" : "words"} before` }));
}

/**
 * What a pronoun refers to, in words.
 * @param {{ state: State, passage: import("./session.js").Passage }} session
 * @param {string} id
 */
export function shownAnswer({ state, passage }, id) {
  const { label } = state.mention(id);
  if (label !== PRONOUN) return label === ANTECEDENT ? "" : label;
  const targets = antecedentsOf(state, id).map((target) => passage.shown(state.mention(target)));
  return targets.length ? `→ ${targets.join(" + ")}` : "?";
}
