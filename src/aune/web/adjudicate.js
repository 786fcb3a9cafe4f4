// A key out of several annotations: one question after the other, the most important first, each answered with a reason.

import { bdi, counted, h, put, toast } from "./dom.js";
import { answered, asked } from "./queue.js";
import { Passage } from "./session.js";
import { rowsOf, spansOfState } from "./sides.js";
import { TextSheet } from "./text.js";

/** @typedef {import("./state.js").PlainState} PlainState */
/** @typedef {import("./state.js").Part} Part */
/** @typedef {{ about: string, parts: Part[], order: number, choices: { label: string, layers: string[] }[], without: string[], worth: number }} ExtentQuestion is this a mention? */
/** @typedef {{ about: string[], first: string, second: string, together: string[], apart: string[], worth: number }} TieQuestion are these two chains one? */
/** @typedef {{ version: number, operation: string, about: string[], reason: string, author: string }} Decision */
/**
 * @typedef {object} AdjudicationAnswer
 * @property {ExtentQuestion[]} mentions
 * @property {TieQuestion[]} ties
 * @property {Decision[]} decisions
 * @property {number} agreed
 * @property {{ characters: string, tokens: number[], sentences: number[] }} text
 * @property {string[]} names
 * @property {Record<string, PlainState>} states
 * @property {PlainState} key
 * @property {{ id: string, name: string, version: number, editable: boolean }} layer
 * @property {number[]} undo
 * @property {number[]} redo
 */
/** @typedef {{ label: string, key: string, operation: string, about: string[], value?: string, who: string[] }} Way an answer that can be given */

const BESIDE = 2; // annotations beside the key, until more are asked for
const SAID = { accept: "a mention", reject: "no mention", join: "one entity", apart: "two entities" };

class Adjudication {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.api = root.dataset.api ?? "";
    /** The question that is shown, among those that are open. */
    this.place = 0;
    /** The annotations that stand beside the key. @type {string[] | null} */
    this.beside = null;
    this.reason = h("input", { type: "text", placeholder: "why (kept with the decision)", "aria-label": "reason" });
    this.card = h("section", { class: "panel", "aria-label": "question", "aria-live": "polite" });
    this.log = h("section", { class: "panel", "aria-label": "decisions" });
    this.aside = h("aside", { class: "titled beside", tabindex: "0", "aria-label": "question and decisions" }, this.card, this.log);
    this.aside.addEventListener("keydown", (event) => this.key(event));
  }

  async load() {
    this.show(await answered(this.api));
    this.aside.focus({ preventScroll: true });
    document.body.dataset.ready = "adjudicate";
  }

  /** @param {AdjudicationAnswer} found */
  show(found) {
    this.found = found;
    this.passage = new Passage(found.text);
    this.sheet = this.textSheet(found);
    this.place = Math.min(this.place, Math.max(0, this.questions().length - 1));
    put(this.root, found.names.length > BESIDE && this.sides(found), h("div", { class: "bench steps" }, this.sheet.element, this.aside));
    this.draw();
  }

  /** Which annotations stand beside the key. @param {AdjudicationAnswer} found */
  sides(found) {
    const shown = this.beside ?? found.names.slice(0, BESIDE);
    const tick = (/** @type {string} */ name) => {
      const box = h("input", { type: "checkbox", checked: shown.includes(name), onchange: () => {
        this.beside = found.names.filter((one) => (one === name ? box.checked : shown.includes(one)));
        this.show(found);
      } });
      return h("label", { class: "check" }, box, bdi(name));
    };
    return h("fieldset", { class: "acts rules" }, h("legend", null, "beside the key"), found.names.map(tick));
  }

  /** Mentions first, chains second. @returns {(ExtentQuestion | TieQuestion)[]} */
  questions() {
    return this.found ? [...this.found.mentions, ...this.found.ties] : [];
  }

  /** The key and the annotations beside each other; colours are those of the key's chains. @param {AdjudicationAnswer} found */
  textSheet(found) {
    const numbers = new Map(Object.keys(found.key.chains).map((chain, number) => [chain, number]));
    const place = (/** @type {import("./state.js").Mention} */ mention) => JSON.stringify([mention.parts, mention.order, mention.label]);
    const homes = new Map(Object.values(found.key.mentions).map((mention) => [place(mention), numbers.get(mention.chain ?? "") ?? -1]));
    const sides = [found.layer.name, ...(this.beside ?? found.names.slice(0, BESIDE))].map((name, side) => {
      const state = side ? found.states[name] : found.key;
      const own = new Map(Object.keys(state.chains).map((chain, number) => [chain, number]));
      return {
        name,
        spans: spansOfState(state, (id) => {
          const mention = state.mentions[id];
          const home = homes.get(place(mention));
          return { group: mention.label ? -1 : (own.get(mention.chain ?? "") ?? -1), twin: home ?? -1, error: home === undefined ? "not in the key" : "" };
        }),
      };
    });
    const labels = [...new Set(sides.flatMap((side) => side.spans.map((span) => span.label)))].filter(Boolean);
    const { source } = /** @type {Passage} */ (this.passage);
    return new TextSheet({ source, sentences: rowsOf(/** @type {Passage} */ (this.passage)), sides, labels }, () => {});
  }

  /** The words of an extent, as decisions name it. @param {string} about */
  words(about) {
    const parts = about.split("@")[0].split("+").map((part) => /** @type {Part} */ (part.split("-").map(Number)));
    return /** @type {Passage} */ (this.passage).shown({ parts, order: 0, chain: null, features: {}, label: "" });
  }

  /** What can be answered. @param {ExtentQuestion | TieQuestion} question @returns {Way[]} */
  ways(question) {
    if ("parts" in question) {
      const yes = question.choices.map(({ label, layers }, place) => ({ label: label ? `yes, ${label}` : "yes, a mention", key: place ? String(place + 1) : "y", operation: "accept", about: [question.about], value: label, who: layers }));
      return [...yes, { label: "no mention", key: "n", operation: "reject", about: [question.about], who: question.without }];
    }
    const about = [question.first, question.second];
    return [
      { label: "one entity", key: "y", operation: "join", about, who: question.together },
      { label: "two entities", key: "n", operation: "apart", about, who: question.apart },
    ];
  }

  draw() {
    const { found } = this;
    if (!found) return;
    const questions = this.questions();
    const question = questions[this.place];
    const button = (/** @type {Way} */ way) =>
      h("li", null, h("button", { type: "button", class: "choice", onclick: () => this.decide(way) }, h("kbd", null, way.key), h("span", { class: "what" }, way.label), h("span", { class: "soft small" }, way.who.length ? bdi(way.who.join(", ")) : "nobody")));
    const step = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {number} */ by) => h("button", { type: "button", "aria-label": label, onclick: () => this.go(this.place + by) }, sign);
    put(
      this.card,
      h("p", { class: "soft small" }, `${counted(found.mentions.length, "mention")} and ${counted(found.ties.length, "pair")} of chains undecided; ${found.decisions.length} decided; all agreed on ${counted(found.agreed, "mention")}`),
      question
        ? [
            h("div", { class: "row" }, h("h2", null, "parts" in question ? "Is this a mention?" : "Are these one entity?"), h("span", { class: "acts" }, step("previous question", "‹", -1), `${this.place + 1} of ${questions.length}`, step("next question", "›", 1))),
            ("parts" in question ? [question.about] : question.about).map((about) => h("p", { class: "quoted", dir: "auto" }, bdi(this.words(about)))),
            !("parts" in question) && this.chainsOf(question),
            found.layer.editable && h("ol", { class: "choices" }, this.ways(question).map(button)),
            found.layer.editable && this.reason,
            h("p", { class: "soft small" }, `worth ${question.worth.toFixed(2)} mentions of B³; keys: y, n, j and k for the next and the previous, u undoes, r gives a reason`),
          ]
        : h("h2", null, "Everything is decided"),
    );
    this.drawLog(found);
    if (question) this.sheet?.show(...this.span(question));
  }

  /** Where a question is in the text. @param {ExtentQuestion | TieQuestion} question @returns {[number, number]} */
  span(question) {
    const about = "parts" in question ? question.about : question.about[1];
    const [start, end] = about.split("@")[0].split("+")[0].split("-").map(Number);
    return [start, end];
  }

  /** The mentions of both chains. @param {TieQuestion} question */
  chainsOf(question) {
    const { key } = /** @type {AdjudicationAnswer} */ (this.found);
    const passage = /** @type {Passage} */ (this.passage);
    const line = (/** @type {string} */ chain) => {
      const members = Object.values(key.mentions).filter((mention) => mention.chain === chain);
      return h("li", { class: "serif" }, members.slice(0, 12).map((mention) => passage.shown(mention)).join(" · "), members.length > 12 ? " …" : "");
    };
    return h("ul", { class: "soft" }, line(question.first), line(question.second));
  }

  /** @param {AdjudicationAnswer} found */
  drawLog(found) {
    const line = (/** @type {Decision} */ one) =>
      h("li", null, h("span", { class: "what" }, bdi(one.about.map((about) => this.words(about)).join(" / ")), `: ${/** @type {Record<string, string>} */ (SAID)[one.operation]}`), h("span", { class: "soft small" }, one.author, one.reason ? `: ${one.reason}` : ""));
    put(
      this.log,
      h("div", { class: "row" }, h("h2", null, counted(found.decisions.length, "decision")), found.layer.editable && h("span", { class: "acts" }, h("button", { type: "button", disabled: !found.undo.length, onclick: () => this.send("undo", []) }, "undo"), h("button", { type: "button", disabled: !found.redo.length, onclick: () => this.send("redo", []) }, "redo"))),
      h("ul", { class: "members decisions" }, [...found.decisions].reverse().slice(0, 200).map(line)),
    );
  }

  /** @param {number} place */
  go(place) {
    this.place = Math.max(0, Math.min(this.questions().length - 1, place));
    this.draw();
  }

  /** @param {Way} way */
  decide(way) {
    return this.send(way.operation, way.about, way.value ?? "", this.reason.value.trim());
  }

  /** @param {string} operation @param {string[]} about @param {string} [label] @param {string} [reason] */
  async send(operation, about, label = "", reason = "") {
    if (!this.found) return;
    const response = await asked(this.api, { base: this.found.layer.version, operation, about, label, reason }).catch(() => null);
    const answer = await response?.json().catch(() => null);
    if (response?.status === 409) {
      toast("the key was changed in another window: here is how it stands now");
      this.show(await answered(this.api));
    } else if (!response?.ok) toast(answer?.problems?.join("; ") ?? "no network: nothing was decided, try again");
    else {
      this.reason.value = "";
      this.show(answer);
    }
    this.aside.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.target === this.reason) {
      if (event.key === "Enter" || event.key === "Escape") this.aside.focus();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const question = this.questions()[this.place];
    const way = question && this.found?.layer.editable ? this.ways(question).find((one) => one.key === event.key) : null;
    if (way) this.decide(way);
    else if (event.key === "j" || event.key === "k") this.go(this.place + (event.key === "j" ? 1 : -1));
    else if (event.key === "u") this.send("undo", []);
    else if (event.key === "r") this.reason.focus();
    else return;
    event.preventDefault();
  }
}

const root = document.getElementById("adjudication");
if (root)
  new Adjudication(root).load().catch((error) => {
    put(root, h("p", { class: "warning", role: "alert" }, `This key cannot be shown: ${error.message}`));
    document.body.dataset.ready = "adjudicate";
  });
