// States of layers as what a text is drawn from when several stand beside each other.

import { sentencesOf } from "../shared/text.js";

/** @typedef {import("./session.js").Passage} Passage */
/** @typedef {import("./state.js").PlainState} PlainState */

/** The sentences of a passage, in code points. @param {Passage} passage */
export function rowsOf(passage) {
  const rows = sentencesOf(passage.words, passage.sentences, []);
  return rows.map((row, place) => ({
    ...row,
    start: place ? passage.start(row.start) : 0,
    end: place + 1 < rows.length ? passage.start(rows[place + 1].start) : passage.source.length,
  }));
}

/**
 * The marks of a state, a mark for every part; classes are numbered as in the figure.
 * @param {PlainState} state
 * @param {Passage} passage
 * @param {(id: string) => { group: number, twin: number, error: string, below?: string }} about
 */
export function spansOfState(state, { components }, about) {
  return Object.entries(state.mentions)
    .flatMap(
      ([id, mention]) =>
        mention.parts.map(
          ([start, end]) => ({ start, end, label: mention.label, minor: components.has(mention.label), ...about(id) }),
        ),
    )
    .sort((a, b) => a.start - b.start || b.end - a.end);
}
