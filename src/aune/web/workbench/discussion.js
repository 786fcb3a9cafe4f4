// Comments and flags on passages, beside the text: those where one is, then all others, open before resolved.

import { bdi, counted, h, put, toast } from "../shared/dom.js";
import { answered, asked } from "./queue.js";

/** @typedef {import("./editor.js").Editor} Editor */
/**
 * @typedef {object} Comment
 * @property {string} id
 * @property {string | null} answers the comment that it answers
 * @property {number} start
 * @property {number} end
 * @property {string} body
 * @property {boolean} flag
 * @property {string} author
 * @property {boolean} own
 * @property {string} made
 * @property {boolean} resolved
 * @property {string} resolver
 */
/** @typedef {{ start: number, end: number, body: string, author: string, key: string }} Reason */

export class Discussion {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.session = editor.session;
    /** @type {Comment[]} */
    this.comments = [];
    /** @type {Reason[]} */
    this.reasons = [];
    this.list = h("ol", { class: "comments" });
    this.heading = h("summary", null, "Discussion");
    this.about = h("p", { class: "soft small" });
    this.body = /** @type {HTMLTextAreaElement} */ (
      h("textarea", { rows: "2", maxlength: "4000", "aria-label": "comment" })
    );
    this.flag = h("input", { type: "checkbox" });
    this.send = h("button", { type: "button", onclick: () => this.add("") }, "comment");
    this.box = /** @type {HTMLDetailsElement} */ (
      h(
        "details",
        null,
        this.heading,
        this.about,
        this.body,
        h("div", { class: "acts" }, this.send, h("label", { class: "check" }, this.flag, "flag")),
        this.list,
      )
    );
    this.element = h("section", { class: "card-part discussion", "aria-label": "discussion", hidden: true }, this.box);
    this.load();
  }

  get address() {
    return `${this.session.api}comments`;
  }

  async load() {
    try {
      const { comments, reasons } = await answered(this.address);
      Object.assign(this, { comments, reasons });
      this.element.hidden = false;
      this.draw();
    } catch {
      this.element.hidden = true; // of proposals nothing is discussed; without a network there is nothing to show
    }
  }

  /** Where one is: what a comment would be about. @returns {[number, number] | null} */
  place() {
    const mention = this.editor.mention();
    if (!mention) return null;
    return [mention.parts[0][0], mention.parts[mention.parts.length - 1][1]];
  }

  /** Write a comment on what is selected. */
  write() {
    if (this.element.hidden) return toast("nothing can be discussed here");
    this.box.open = true;
    this.moved();
    this.body.focus();
  }

  /** Show what is said of where one is. */
  moved() {
    if (this.box.open) this.draw();
  }

  draw() {
    const here = this.place();
    const first = this.comments.filter(({ answers }) => !answers);
    const open = first.filter(({ resolved }) => !resolved).length;
    this.heading.textContent = open ? `Discussion: ${open} open` : "Discussion";
    const words = here ? this.session.passage.source.slice(...here) : "";
    this.about.textContent = here ? `about “${words.length > 60 ? `${words.slice(0, 59)}…` : words || "∅"}”` :
      "Select words or go to a mention to comment on it.";
    this.send.disabled = !here;
    const near = (/** @type {{ start: number, end: number }} */ { start, end }) =>
      here !== null && start <= here[1] && end >= here[0];
    const rank = (/** @type {Comment} */ one) => (near(one) ? 0 : 2) + (one.resolved ? 1 : 0);
    const sorted = [...first].sort((a, b) => rank(a) - rank(b) || a.start - b.start);
    put(
      this.list,
      sorted.map((one) => this.thread(one)),
      this.reasons.filter((one) => near(one) || !here).map((one) => this.reason(one)),
    );
  }

  /** @param {Comment} comment */
  thread(comment) {
    const answers = this.comments.filter(({ answers: first }) => first === comment.id);
    return h(
      "li",
      { class: comment.resolved ? "resolved" : "" },
      this.said(comment),
      answers.map((one) => h("div", { class: "answer" }, this.said(one))),
      h(
        "div",
        { class: "acts" },
        h("button", { type: "button", class: "quiet small", onclick: () => this.goTo(comment) }, "show"),
        h("button", { type: "button", class: "quiet small", onclick: () => this.add(comment.id) }, "answer"),
        h(
          "button",
          { type: "button", class: "quiet small", onclick: () => this.resolve(comment) },
          comment.resolved ? "reopen" : "resolve",
        ),
      ),
    );
  }

  /** @param {Comment} comment */
  said(comment) {
    const words = this.session.passage.source.slice(comment.start, comment.end);
    return h(
      "p",
      { class: "small" },
      comment.flag && h("strong", null, "⚑ "),
      !comment.answers && h("q", { dir: "auto" }, words.length > 40 ? `${words.slice(0, 39)}…` : words || "∅"),
      " ",
      bdi(comment.author),
      ": ",
      bdi(comment.body),
      comment.resolved && h("span", { class: "soft" }, ` (resolved by ${comment.resolver})`),
    );
  }

  /** @param {Reason} reason */
  reason({ body, author, key }) {
    return h("li", { class: "reason" }, h("p", { class: "small" }, bdi(author), " in ", bdi(key), ": ", bdi(body)));
  }

  /** @param {Comment} comment */
  goTo({ start, end }) {
    const { state, passage } = this.session;
    const there = state.order.find((id) => state.mention(id).parts[0][0] === start);
    if (there) this.editor.go(there);
    else if (end > start) this.editor.select(start, end);
    else this.editor.selectWord(passage.wordAt(start));
  }

  /** A comment where one is, or an answer: what is typed stays until the server has it. @param {string} answers */
  async add(answers) {
    const text = this.body.value.trim();
    const first = this.comments.find(({ id }) => id === answers);
    const place = first ? [first.start, first.end] : this.place();
    if (!text || !place) {
      this.body.focus();
      return toast(text ? "select words or go to a mention first" : "type a comment first");
    }
    const [start, end] = place;
    await this.ask(this.address, { start, end, body: text, flag: this.flag.checked && !answers, answers }, () => {
      this.body.value = "";
      this.flag.checked = false;
    });
  }

  /** @param {Comment} comment */
  resolve({ id, resolved }) {
    return this.ask(`/api/comment/${encodeURIComponent(id)}/resolved`, { resolved: !resolved }, () => {});
  }

  /** @param {string} address @param {unknown} body @param {() => void} done */
  async ask(address, body, done) {
    const response = await asked(address, body).catch(() => null);
    if (!response) return toast("no network: try again");
    if (!response.ok) return toast((await response.json()).problems.join("; "));
    done();
    await this.load();
    toast(counted(this.comments.length, "comment"));
  }
}
