// A key out of several annotations: one question after the other, the most important first, each answered with a
// reason.

import { bdi, counted, h, put, thousands, toast } from "../shared/dom.js";
import { KeyText } from "./keytext.js";
import { answered, asked } from "./queue.js";
import { Passage } from "./session.js";
import { State } from "./state.js";

/** @typedef {import("./state.js").PlainState} PlainState */
/** @typedef {import("./state.js").Part} Part */
/**
 * @typedef {{ about: string, parts: Part[], order: number, choices: { label: string, layers: string[] }[], without:
 * string[], worth: number }} ExtentQuestion is this a mention?
 */
/**
 * @typedef {{ about: string[], first: string, second: string, together: string[], apart: string[], worth: number }}
 * TieQuestion are these two chains one?
 */
/**
 * @typedef {{ about: string, label: string, feature: string, choices: { value: string, layers: string[] }[], without:
 * string[], worth: number }} FeatureQuestion of which kind, gender… is this?
 */
/**
 * @typedef {{ about: string[], what: string, chain: string, choices: { value: string, layers: string[] }[], without:
 * string[], worth: number }} ChainQuestion what is this entity's name? which notes, which feature has it?
 */
/**
 * @typedef {{ about: string[], kind: string, source: string, targets: string[], layers: string[], without: string[],
 * worth: number }} RelationQuestion is there this relation?
 */
/**
 * @typedef {{ mentions: ExtentQuestion, ties: TieQuestion, features: FeatureQuestion, chains: ChainQuestion, relations:
 * RelationQuestion }} Kinds
 */
/** @typedef {Kinds[keyof Kinds]} Question */
/**
 * @typedef {{ version: number, operation: string, about: string[], reason: string, author: string, value?: string }}
 * Decision
 */
/**
 * Where the key stands: how many questions are open, the first ones of each kind, the last decisions.
 * @typedef {object} Standing
 * @property {ExtentQuestion[]} mentions
 * @property {TieQuestion[]} ties
 * @property {FeatureQuestion[]} features
 * @property {ChainQuestion[]} chains
 * @property {RelationQuestion[]} relations
 * @property {Record<keyof Kinds, number>} open
 * @property {Decision[]} decisions
 * @property {number} decided
 * @property {number} agreed
 * @property {{ id: string, name: string, version: number, editable: boolean }} layer
 * @property {number[]} undo
 * @property {number[]} redo
 */
/**
 * @typedef {Standing & { text: { characters: string, tokens: number[], sentences: number[], task: string }, names:
 * string[], states: Record<string, PlainState>, key: PlainState }} Opened
 */
/**
 * @typedef {{ label: string, key: string, operation: string, about: string[], of?: string, value?: string, who:
 * string[] }} Way an answer that can be given, and who gives it
 */

const BESIDE = 2; // annotations beside the key, until more are asked for
// mentions first, chains second
const ORDER = /** @type {(keyof Kinds)[]} */ (["mentions", "ties", "features", "chains", "relations"]);
/** @type {Record<string, string>} */
const EXTENT_QUESTIONS = {
  entities: "Is this an entity, and of which type?",
  tagging: "Which tag does it have?",
  anaphora: "What does it refer to?",
};
/**
 * What the questions of extents are about, and what is said where it is none.
 * @type {Record<string, [string, string]>}
 */
const NOUNS = {
  entities: ["entity", "no entity"],
  tagging: ["word", "no tag"],
  anaphora: ["pronoun", "no pronoun"],
};
/** What a pronoun without an antecedent is. @type {Record<string, string>} */
const WITHOUT_ANTECEDENT = {
  none: "none in the text",
  expletive: "expletive",
  pronoun: "without an answer",
  antecedent: "an antecedent alone",
};
/** @type {Record<string, string>} */
const SAID = { join: "one entity", apart: "two entities", relate: "related", unrelated: "not related" };

class Adjudication {
  /** @param {HTMLElement} root @param {Opened} found */
  constructor(root, found) {
    this.root = root;
    this.api = root.dataset.api ?? "";
    /** @type {Standing} */
    this.standing = found;
    this.passage = new Passage(found.text);
    /** What questions of extents are about. */
    this.task = found.text.task;
    const [noun, none] = NOUNS[this.task] ?? ["mention", "no mention"];
    this.noun = noun;
    this.none = none;
    this.key = new State(found.key);
    this.annotations = found.names.map((name) => ({ name, state: new State(found.states[name]) }));
    /** Those that stand beside the key. */
    this.beside = found.names.slice(0, BESIDE);
    /** The question that is shown, among those that are open. */
    this.place = 0;
    this.reason = h("input", { type: "text", placeholder: "why (kept with the decision)", "aria-label": "reason" });
    this.card = h("section", { class: "panel", "aria-label": "question", "aria-live": "polite" });
    this.log = h("section", { class: "panel", "aria-label": "decisions" });
    this.aside = h(
      "aside",
      { class: "titled beside", tabindex: "0", "aria-label": "question and decisions" },
      this.card,
      this.log,
    );
    this.bench = h("div", { class: "bench steps" });
    this.text = this.drawText();
    put(root, found.names.length > BESIDE && this.sides(), this.bench);
    // the keys work wherever one is on the page, but where one types
    this.bench.addEventListener("keydown", (event) => this.pressed(event));
    this.draw();
    this.aside.focus({ preventScroll: true });
  }

  drawText() {
    const shown = this.annotations.filter(({ name }) => this.beside.includes(name));
    const text = new KeyText(this.passage, [{ name: this.standing.layer.name, state: this.key }, ...shown], this.task);
    put(this.bench, text.sheet.element, this.aside);
    return text;
  }

  /** Which annotations stand beside the key. */
  sides() {
    const tick = (/** @type {string} */ name) => {
      const box = h("input", { type: "checkbox", checked: this.beside.includes(name), onchange: () => {
        this.beside = box.checked ? [...this.beside, name] : this.beside.filter((one) => one !== name);
        this.text = this.drawText();
        this.draw();
      } });
      return h("label", { class: "check" }, box, bdi(name));
    };
    return h(
      "fieldset",
      { class: "acts rules" },
      h("legend", null, "beside the key"),
      this.annotations.map(({ name }) => tick(name)),
    );
  }

  // The questions

  get open() {
    return ORDER.reduce((sum, kind) => sum + this.standing.open[kind], 0);
  }

  /** The kind of the question that is shown, and its place among those of its kind. @returns {[keyof Kinds, number]} */
  where() {
    let place = this.place;
    for (const kind of ORDER) {
      if (place < this.standing.open[kind]) return [kind, place];
      place -= this.standing.open[kind];
    }
    return ["mentions", 0];
  }

  /** The question that is shown, when it is here. @returns {Question | undefined} */
  question() {
    const [kind, place] = this.where();
    return this.standing[kind][place];
  }

  /** Only the first questions of each kind are here: ask for more. */
  async fetchMore() {
    const [kind, place] = this.where();
    const list = /** @type {Question[]} */ (this.standing[kind]);
    while (list.length <= place) {
      const { questions } = await answered(`${this.api}/questions?of=${kind}&first=${list.length}`);
      if (!questions.length) return;
      list.push(...questions);
    }
  }

  /** @param {number} place */
  async go(place) {
    this.place = Math.max(0, Math.min(this.open - 1, place));
    if (!this.question() && this.open) await this.fetchMore().catch((error) => toast(error.message));
    this.draw();
  }

  /** The words of an extent, as decisions name it. @param {string} about */
  words(about) {
    const parts = about.split("@")[0].split("+").map((part) => /** @type {Part} */ (part.split("-").map(Number)));
    return this.passage.shown({ parts, order: 0, chain: null, features: {}, label: "" });
  }

  /** A label as an answer; that of a pronoun names the extents of its antecedents. @param {string} label */
  answer(label) {
    if (this.task === "anaphora") {
      const words = label.split(" → ")[1]?.split(", ").map((extent) => this.words(extent));
      return words ? `→ ${words.join(" + ")}` : WITHOUT_ANTECEDENT[label] ?? label;
    }
    return this.task === "tagging" ? label : label ? `yes, ${label}` : "yes, a mention";
  }

  /** @param {Question} question */
  asks(question) {
    if ("feature" in question) return `What is its ${question.feature}?`;
    if ("what" in question) return question.what === "notes"
      ? "Which notes are kept of this entity?"
      : `What is the ${saying(question.what)} of this entity?`;
    if ("kind" in question) {
      if (this.task === "anaphora") return "Is the second its antecedent?";
      if (this.task !== "coref") return `Is there ${question.kind} from the first to the second?`;
      return `Is the first ${question.kind} of the ${question.targets.length > 1 ? "others" : "second"}?`;
    }
    if ("parts" in question) return EXTENT_QUESTIONS[this.task] ?? "Is this a mention?";
    return "Are these one entity?";
  }

  /** What can be answered. @param {Question} question @returns {Way[]} */
  ways(question) {
    if ("feature" in question) {
      const shared = { operation: "describe", about: [question.about, question.feature], of: question.label };
      const values = question.choices.map(
        ({ value, layers }, place) => ({ ...shared, label: value, key: String(place + 1), value, who: layers }),
      );
      return [...values, { ...shared, label: `no ${question.feature}`, key: "n", value: "", who: question.without }];
    }
    if ("what" in question) {
      const shared = { operation: "define", about: [question.what, question.chain] };
      const values = question.choices.map(
        ({ value, layers }, place) => ({ ...shared, label: value, key: String(place + 1), value, who: layers }),
      );
      const all = {
        ...shared,
        label: "all of them",
        key: "a",
        value: question.choices.map(({ value }) => value).join("\n"),
        who: [],
      };
      return [
        ...values,
        ...(question.what === "notes" ? [all] : []),
        { ...shared, label: `no ${saying(question.what)}`, key: "n", value: "", who: question.without },
      ];
    }
    if ("parts" in question) {
      const key = (/** @type {number} */ place) => (question.choices.length > 1 ? String(place + 1) : "y");
      const yes = question.choices.map(
        ({ label, layers }, place) =>
          (
            {
              label: this.answer(label),
              key: key(place),
              operation: "accept",
              about: [question.about],
              of: label,
              who: layers,
            }
          ),
      );
      return [
        ...yes,
        { label: this.none, key: "n", operation: "reject", about: [question.about], who: question.without },
      ];
    }
    if ("kind" in question) {
      const about = [question.kind, question.source, ...question.targets];
      return [
        { label: `yes, ${question.kind}`, key: "y", operation: "relate", about, who: question.layers },
        { label: "no such relation", key: "n", operation: "unrelated", about, who: question.without },
      ];
    }
    const about = [question.first, question.second];
    return [
      { label: "one entity", key: "y", operation: "join", about, who: question.together },
      { label: "two entities", key: "n", operation: "apart", about, who: question.apart },
    ];
  }

  // What is shown

  draw() {
    const { standing, open } = this;
    const question = this.question();
    const { mentions, ties, features, chains, relations } = standing.open;
    const extents = (/** @type {number} */ count) =>
      (this.noun === "entity" && count !== 1 ? `${thousands(count)} entities` : counted(count, this.noun));
    const left = [
      extents(mentions),
      this.task === "coref" && `${counted(ties, "pair")} of chains`,
      features && counted(features, "feature"),
      chains && `${counted(chains, "detail")} of entities`,
      relations && counted(relations, "relation"),
    ].filter(Boolean);
    const listed = left.length > 1 ? `${left.slice(0, -1).join(", ")} and ${left.at(-1)}` : left[0];
    const said = `${listed} undecided; ${standing.decided} decided; all agreed on ${extents(standing.agreed)}`;
    put(
      this.card,
      h("p", { class: "soft small" }, said),
      question ? this.drawQuestion(question) : h("h2", null, open ? "…" : "Everything is decided"),
      !open && h(
        "p",
        null,
        h("a", { href: `/layer/${standing.layer.id}/` }, "Look at the key"),
        ", say there that it is done, or ",
        h("a", { href: `/layer/${standing.layer.id}/export?losses=1` }, "export it"),
        ".",
      ),
    );
    this.drawLog();
    if (!question) return;
    // of two chains the later one is shown, where the question arises
    const places = extentsOf(question).map(spanOf).sort((a, b) => b[0] - a[0]);
    this.text.sheet.show(...places[0]);
    for (const place of places.slice(1)) this.text.sheet.point(...place);
  }

  /** @param {Question} question */
  drawQuestion(question) {
    const { editable } = this.standing.layer;
    const button = (/** @type {Way} */ way) =>
      h(
        "li",
        null,
        h(
          "button",
          { type: "button", class: "choice", onclick: () => this.decide(way) },
          h("kbd", null, way.key),
          h("span", { class: "what" }, bdi(way.label)),
          h("span", { class: "soft small" }, way.who.length ? bdi(way.who.join(", ")) : "nobody"),
        ),
      );
    const step = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {number} */ by) =>
      h(
        "button",
        {
          type: "button",
          "aria-label": label,
          title: label,
          disabled: this.place + by < 0 || this.place + by >= this.open,
          onclick: () => this.go(this.place + by),
        },
        sign,
      );
    const ways = this.ways(question);
    return [
      h(
        "div",
        { class: "row" },
        h("h2", null, this.asks(question)),
        h(
          "span",
          { class: "acts" },
          step("previous question", "‹", -1),
          `${this.place + 1} of ${this.open}`,
          step("next question", "›", 1),
        ),
      ),
      extentsOf(question).map((about) => h("p", { class: "quoted", dir: "auto" }, bdi(this.words(about)))),
      "first" in question && this.chainsOf([question.first, question.second]),
      "what" in question && this.chainsOf([question.chain]),
      "kind" in question && this.task === "coref" && this.chainsOf([question.source, ...question.targets]),
      editable && h("ol", { class: "choices" }, ways.map(button)),
      editable && this.reason,
      h(
        "p",
        { class: "soft small" },
        `${this.task === "coref" ? worth(question) : ""} ${ways.map(({ key }) => key).join(", ")} answer; ` +
          "j and k: the next and the previous; u undoes; r gives a reason.",
      ),
    ];
  }

  /** The mentions of chains. @param {string[]} chains */
  chainsOf(chains) {
    const line = (/** @type {string} */ chain) => {
      const members = this.key.members(chain).map((id) => this.passage.shown(this.key.mention(id)));
      return h(
        "li",
        { class: "serif" },
        members.slice(0, 12).join(" · "),
        members.length > 12 ? ` · … (${members.length})` : "",
      );
    };
    return h("ul", { class: "soft" }, chains.map(line));
  }

  drawLog() {
    const { decisions, decided, layer, undo, redo } = this.standing;
    const words = (/** @type {string[]} */ about) => bdi(about.map((one) => this.words(one)).join(" / "));
    /** @type {Record<string, string>} */
    const said = { ...SAID, accept: "a mention", reject: this.none };
    const what = (/** @type {Decision} */ { operation, about, value }) => {
      if (operation === "describe") return [words(about.slice(0, 1)), `: ${about[1]} ${quoted(value)}`];
      if (operation === "define") return [words(about.slice(1)), `: ${saying(about[0])} ${quoted(value)}`];
      if (operation === "relate" || operation === "unrelated") return [
        words(about.slice(1)),
        `: ${said[operation]} (${about[0]})`,
      ];
      if (operation === "accept" && this.task !== "coref") return [words(about), ": ", bdi(this.saidInKey(about[0]))];
      return [words(about), `: ${said[operation]}`];
    };
    const line = (/** @type {Decision} */ one) =>
      h(
        "li",
        null,
        h("span", { class: "what" }, what(one)),
        h("span", { class: "soft small" }, one.author, one.reason ? `: ${one.reason}` : ""),
      );
    put(
      this.log,
      h(
        "div",
        { class: "row" },
        h("h2", null, counted(decided, "decision")),
        layer.editable && h(
          "span",
          { class: "acts" },
          h("button", { type: "button", disabled: !undo.length, onclick: () => this.send("undo", []) }, "undo"),
          h("button", { type: "button", disabled: !redo.length, onclick: () => this.send("redo", []) }, "redo"),
        ),
      ),
      h(
        "ul",
        { class: "members decisions" },
        [...decisions].reverse().map(line),
        decided > decisions.length &&
          h("li", { class: "soft" }, `and ${counted(decided - decisions.length, "decision")} before`),
      ),
    );
  }

  /** What the key says of an extent: its labels, or what the pronoun refers to. @param {string} about */
  saidInKey(about) {
    const [start, end] = [spanOf(about)[0], spanOf(about.split("+").at(-1) ?? about)[1]];
    const here = [...this.key.mentions].filter(([, { parts }]) => parts[0][0] === start && parts.at(-1)?.[1] === end);
    const said = here.map(([id, { label }]) => this.text.answer(0, id) ?? label);
    return said.join(" + ") || this.none;
  }

  // Answers

  /** @param {Way} way */
  decide({ operation, about, of, value }) {
    return this.send(
      operation,
      about,
      { label: of ?? "", ...(value === undefined ? {} : { value }), reason: this.reason.value.trim() },
    );
  }

  /** @param {string} operation @param {string[]} about @param {Record<string, string>} [more] */
  async send(operation, about, more = {}) {
    if (this.sending) return; // one answer at a time: the next question is not known yet
    this.sending = true;
    const response = await asked(
      this.api,
      { base: this.standing.layer.version, operation, about, ...more },
    ).catch(() => null);
    const answer = await response?.json().catch(() => null);
    this.sending = false;
    if (response?.status === 409) return again(
      this.root,
      "the key was changed in another window: here is how it stands now",
    );
    if (!response?.ok) toast(answer?.problems?.join("; ") ?? "no network: nothing was decided, try again");
    else {
      this.reason.value = "";
      this.standing = answer;
      this.text.update(answer.changes);
      await this.go(this.place);
    }
    this.aside.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.target === this.reason) {
      if (event.key === "Enter" || event.key === "Escape") this.aside.focus();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const question = this.question();
    const way = question && this.standing.layer.editable
      ? this.ways(question).find((one) => one.key === event.key)
      : null;
    if (way) this.decide(way);
    else if (event.key === "j" || event.key === "k") this.go(this.place + (event.key === "j" ? 1 : -1));
    else if (event.key === "u" && this.standing.undo.length) this.send("undo", []);
    else if (event.key === "r") this.reason.focus();
    else return;
    event.preventDefault();
  }
}

/** What is said of an entity, in words: its name, its notes, one of its features. @param {string} what */
const saying = (what) => what.replace("feature:", "");

/** @param {string} [value] */
const quoted = (value) => (value ? `“${value}”` : "none");

/** What a question is worth, in words. @param {Question} question */
const worth = (question) =>
  (
    "feature" in question || "kind" in question || "what" in question
      ? ""
      : `Worth ${question.worth.toFixed(2)} mentions of B³.`
  );

/** The extents that a question is about, one of each chain. @param {Question} question @returns {string[]} */
function extentsOf(question) {
  if ("kind" in question || "what" in question) return question.about.slice(1);
  return Array.isArray(question.about) ? question.about : [question.about];
}

/** Where an extent is in the text: its first part. @param {string} about @returns {Part} */
const spanOf = (about) => /** @type {Part} */ (about.split("@")[0].split("+")[0].split("-").map(Number));

/** Everything anew. @param {HTMLElement} root @param {string} [message] */
async function again(root, message) {
  new Adjudication(root, await answered(root.dataset.api ?? ""));
  if (message) toast(message);
}

const root = document.getElementById("adjudication");
if (root)
  again(root)
    .catch(
      (error) => put(root, h("p", { class: "warning", role: "alert" }, `This key cannot be shown: ${error.message}`))
    )
    .then(() => {
      document.body.dataset.ready = "adjudicate";
    });
