// What screen readers say when the annotator moves: where they are, and what is there.

import { h } from "../shared/dom.js";

/** @typedef {import("./editor.js").Editor} Editor */

export class Announcer {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.element = h("p", { class: "unseen", role: "status", "aria-label": "where you are" });
  }

  /** Say where we are, if that is not where we were. */
  moved() {
    const sentence = this.sentence();
    if (sentence !== this.element.textContent) this.element.textContent = sentence;
  }

  /** What there is to say of a mention. @param {import("./state.js").Mention} mention */
  described(mention) {
    const { current, look, session } = this.editor;
    if (session.task === "anaphora" && current !== null) return look.spoken(mention, current);
    return look.described(mention);
  }

  /** The place of the annotator in words. */
  sentence() {
    const { editor } = this;
    const { state, session, look } = editor;
    const mention = editor.mention();
    if (!mention) return "";
    const words = session.passage.shown(mention);
    if (editor.extent) {
      const [first] = editor.choices();
      return `selected: ${words}${first ? `; 1 takes ${first.label}` : ""}`;
    }
    const place = editor.current === null ? 0 : state.place(editor.current) + 1;
    const size = mention.chain === null ? 0 : state.size(mention.chain);
    const among = size > 1 ? `, ${size} mentions` : "";
    return `${words}; mention ${place} of ${state.order.length}; ${this.described(mention)}${among}`;
  }
}
