// Any two layers of a text: all measures, text beside text, classes drawn against each other, and every disagreement.

import { bdi, counted, drawnAgain, h, picker, put, toast } from "../shared/dom.js";
import { shownAnswer } from "./anaphora.js";
import { className, drawFigure, fateOf } from "./figure.js";
import { answered } from "./queue.js";
import { hundredths, scoreTable } from "./scores.js";
import { Passage } from "./session.js";
import { rowsOf, spansOfState } from "./sides.js";
import { State } from "./state.js";
import { TextSheet } from "../shared/text.js";

/** @typedef {import("./figure.js").Fate} Fate */
/** @typedef {import("./figure.js").Chosen} Chosen */
/** @typedef {import("./state.js").PlainState} PlainState */
/**
 * @typedef {[string | null, string | null, number, number]} Expression its mention on each side, recall and precision
 * of B³
 */
/**
 * @typedef {object} Disagreement
 * @property {string} kind
 * @property {number} cost
 * @property {number} start
 * @property {number} end
 * @property {string[] | string | null} key the mentions of chains, or the one entity
 * @property {string[] | string | null} response
 */
/**
 * @typedef {object} Compared
 * @property {import("./scores.js").Score[]} scores
 * @property {Expression[]} expressions these three are empty where entities are compared
 * @property {Fate[]} key
 * @property {Fate[]} response
 * @property {Disagreement[]} disagreements
 * @property {{ characters: string, tokens: number[], sentences: number[], task: string }} text
 * @property {[PlainState, PlainState]} states
 * @property {[string, string]} names
 */

/** What can be chosen, the usual first. @type {Record<string, [string, string][]>} */
const CONVENTIONS = {
  convention: [
    ["partition", "partition"],
    ["conll", "CoNLL"],
    ["corefud", "CorefUD"],
    ["universal_anaphora", "Universal Anaphora"],
  ],
  singletons: [["keep", "kept"], ["drop", "dropped"]],
  mentions: [
    ["", "as the convention says"],
    ["complete", "completed with singletons"],
    ["conll", "left on their side"],
  ],
  match: [["exact", "exact"], ["partial", "partial"], ["head", "head"]],
  only: [["", "all kinds"], ["pronoun", "pronouns"], ["name", "names"], ["noun", "nouns"]],
};
const LISTED = 200;
const MENTIONS = 2000;

/** The mentions of one side that a disagreement is about. @param {Disagreement} one @param {number} side */
function mentionsOf(one, side) {
  const ids = side ? one.response : one.key;
  return Array.isArray(ids) ? ids : ids === null ? [] : [ids];
}

/** @type {Pick<Compared, "expressions" | "key" | "response">} */
const NO_CHAINS = { expressions: [], key: [], response: [] };

class Comparison {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.api = root.dataset.api ?? "";
    this.query = new URLSearchParams(location.search);
    /** @type {Chosen | null} */
    this.chosen = null;
    this.place = -1;
  }

  async load() {
    try {
      /** @type {Compared} */
      this.found = { ...NO_CHAINS, ...(await answered(`${this.api}?${this.query}`)) };
    } catch (error) {
      put(
        this.root,
        this.controls(true),
        h(
          "p",
          { class: "warning", role: "alert" },
          `These layers cannot be compared: ${/** @type {Error} */ (error).message}`,
        ),
      );
      return;
    }
    this.passage = new Passage(this.found.text);
    this.place = -1;
    this.draw(this.found);
  }

  /** @param {Compared} found */
  draw(found) {
    this.sheet = this.textSheet(found);
    this.figure = h("section", { class: "panel", "aria-label": "classes" });
    const coref = found.text.task === "coref";
    const scores = h(
      "section",
      { class: "titled" },
      scoreTable(found.scores, `${found.names[1]} against ${found.names[0]}`),
      this.signatures(found),
    );
    const aside = h(
      "aside",
      { class: "titled beside", tabindex: "0", "aria-label": "disagreements, scores and classes" },
      this.listed(found),
      scores,
      coref && this.figure,
    );
    const bench = h("div", { class: "bench steps" }, this.sheet.element, aside);
    bench.addEventListener("keydown", (event) => this.pressed(event));
    drawnAgain(this.root, () => put(this.root, this.controls(coref), bench, coref && this.perMention(found)));
    this.drawFigure();
    if (document.activeElement === document.body) aside.focus({ preventScroll: true }); // where j and k work
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const by = { j: 1, k: -1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.go(this.place + by);
  }

  /** @param {boolean} coref */
  controls(coref) {
    const choice = (/** @type {[string, [string, string][]]} */ [name, values]) =>
      picker(name, values, this.query.get(name) ?? "", (value) => this.ask({ [name]: value }));
    return h(
      "div",
      { class: "controls" },
      coref && Object.entries(CONVENTIONS).map(choice),
      h("button", { type: "button", onclick: () => this.takePassage() }, "scores of the selected passage"),
      this.query.get("end") && h(
        "button",
        { type: "button", onclick: () => this.ask({ start: "", end: "" }) },
        "scores of the whole text",
      ),
    );
  }

  /** @param {Record<string, string>} changes */
  ask(changes) {
    for (const [name, value] of Object.entries(changes)) {
      if (value) this.query.set(name, value);
      else this.query.delete(name);
    }
    history.replaceState(null, "", this.query.size ? `?${this.query}` : location.pathname);
    return this.load();
  }

  /** @param {Compared} found */
  signatures(found) {
    const different = [...new Set(found.scores.map((score) => score.signature))];
    return h("details", null, h("summary", null, "signatures"), different.map((one) => h("p", { class: "sign" }, one)));
  }

  /** Only the sentences that are selected in the text count. */
  takePassage() {
    const range = getSelection()?.rangeCount ? getSelection()?.getRangeAt(0) : null;
    const rows = this.sheet?.rows.filter((row) => range && !range.collapsed && range.intersectsNode(row)) ?? [];
    if (rows.length) this.ask({ start: rows[0].dataset.from ?? "", end: rows[rows.length - 1].dataset.to ?? "" });
    else toast("select sentences in the text first");
  }

  /** @param {Compared} found */
  textSheet(found) {
    /** The expression of every mention of each side. @type {Map<string, number>[]} */
    const numbers = [new Map(), new Map()];
    found.expressions.forEach(([key, response], number) => {
      if (key !== null) numbers[0].set(key, number);
      if (response !== null) numbers[1].set(response, number);
    });
    const classes = [found.key, found.response].map((fates) => {
      /** @type {Map<number, number>} */
      const of = new Map();
      fates.forEach((fate, chain) => fate.mentions.forEach((mention) => of.set(mention, chain)));
      return of;
    });
    const passage = /** @type {Passage} */ (this.passage);
    const wrong = [0, 1].map(
      (side) => new Map(found.disagreements.flatMap((one) => mentionsOf(one, side).map((id) => [id, one.kind]))),
    );
    /** What each side says of its pronouns, where these are compared. */
    this.answers = found.text.task === "anaphora"
      ? found.states.map((state) => {
        const session = { state: new State(state), passage };
        return (/** @type {string} */ id) => shownAnswer(session, id);
      })
      : null;
    const sides = found.states.map((state, side) => ({
      name: found.names[side],
      spans: spansOfState(state, passage, (id) => {
        const number = numbers[side].get(id) ?? -1;
        const there = number >= 0 && found.expressions[number][0] !== null;
        return {
          group: classes[side].get(number) ?? -1,
          twin: there ? (classes[0].get(number) ?? -1) : -1,
          error: wrong[side].get(id) ?? "",
          below: this.answers?.[side](id),
        };
      }),
    }));
    const labels = [...new Set(sides.flatMap((side) => side.spans.map((span) => span.label)))].filter(Boolean);
    const sheet = new TextSheet(
      { source: passage.source, sentences: rowsOf(passage), sides, labels },
      (mark) => this.choose({ side: mark.side === 0 ? 0 : 1, chain: mark.span.group }),
    );
    return sheet;
  }

  /** @param {Chosen} chosen */
  choose(chosen) {
    if (chosen.chain < 0) return;
    this.chosen = chosen;
    this.drawFigure();
  }

  drawFigure() {
    const { found, figure } = this;
    if (!found || !figure) return;
    /** @type {[Fate[], Fate[]]} */
    const sides = [found.key, found.response];
    const called = (/** @type {Chosen} */ { side, chain }) => this.nameOf(side, sides[side][chain]);
    put(
      figure,
      h("h2", null, "Classes"),
      h(
        "p",
        { class: "soft small" },
        `${counted(found.expressions.length, "mention")}: ${found.key.length} of the key's classes (full line), ` +
          `${found.response.length} of the response's (dotted). A class that is clicked shows its projections in grey.`,
      ),
      drawFigure(sides, this.chosen, (chosen) => this.choose(chosen), (mention) => this.showExpression(mention)),
      this.chosen && [
        h("h3", null, className(this.chosen.side, this.chosen.chain), " ", bdi(called(this.chosen))),
        fateOf(sides, this.chosen),
      ],
    );
  }

  /** @param {number} side @param {Fate} fate */
  nameOf(side, fate) {
    const state = /** @type {Compared} */ (this.found).states[side];
    const name = fate.chain === null ? "" : state.chains[fate.chain]?.name;
    const first = /** @type {Compared} */ (this.found).expressions[fate.mentions[0]]?.[side === 0 ? 0 : 1];
    return name || (first ? /** @type {Passage} */ (this.passage).shown(state.mentions[first]) : "");
  }

  /** @param {number} number */
  showExpression(number) {
    const { found } = this;
    if (!found) return;
    const [key, response] = found.expressions[number];
    const mention = key !== null ? found.states[0].mentions[key] : found.states[1].mentions[response ?? ""];
    if (mention) this.sheet?.show(mention.parts[0][0], mention.parts[0][1]);
  }

  /** The disagreements. @param {Compared} found */
  listed(found) {
    const { disagreements } = found;
    const line = (/** @type {Disagreement} */ one, /** @type {number} */ place) => {
      const side = mentionsOf(one, 1).length ? 1 : 0;
      const ids = mentionsOf(one, side);
      const words = ids.slice(0, 4).map(
        (id) => /** @type {Passage} */ (this.passage).shown(found.states[side].mentions[id]),
      ).join(", ");
      return h(
        "li",
        null,
        h(
          "button",
          { type: "button", class: "choice", onclick: () => this.go(place) },
          h("span", { class: "what" }, bdi(words), ids.length > 4 ? ` and ${ids.length - 4} more` : ""),
          h("span", { class: "soft small" }, `${one.kind} · `, this.weighed(found, one)),
        ),
      );
    };
    this.lines = disagreements.slice(0, LISTED).map(line);
    const step = (/** @type {string} */ label, /** @type {string} */ key, /** @type {number} */ by) =>
      h("button", { type: "button", title: `key ${key}`, onclick: () => this.go(this.place + by) }, label);
    return h(
      "section",
      { class: "panel", "aria-label": "disagreements" },
      h(
        "div",
        { class: "row" },
        h("h2", null, disagreements.length ? counted(disagreements.length, "disagreement") : "No disagreement"),
        disagreements.length > 0 && h("span", { class: "acts" }, step("previous", "k", -1), step("next", "j", 1)),
      ),
      disagreements.length > 0 && h(
        "p",
        { class: "soft small" },
        found.text.task === "coref"
          ? "The dearest first: what putting it right would give back to B³, in mentions."
          : found.text.task === "entities"
          ? "The dearest first, at the costs of SER."
          : "In the order of the text.",
      ),
      disagreements.length > 0 && h(
        "ol",
        { class: "chains listed", tabindex: "0", "aria-label": "disagreements" },
        this.lines,
        disagreements.length > LISTED &&
          h("li", { class: "soft" }, `and ${counted(disagreements.length - LISTED, "disagreement")}`),
      ),
    );
  }

  /**
   * What a disagreement costs; for tags and pronouns what either side says.
   * @param {Compared} found
   * @param {Disagreement} one
   */
  weighed(found, one) {
    if (found.text.task === "coref" || found.text.task === "entities") return one.cost.toFixed(2);
    const said = [0, 1].map((side) => {
      const here = Object.entries(found.states[side].mentions).filter(
        ([, { parts }]) => parts[0][0] === one.start && parts[parts.length - 1][1] === one.end,
      );
      return here.map(([id, { label }]) => this.answers?.[side](id) || label).join(" + ");
    });
    return said.flatMap((words, side) => [side ? " | " : "", bdi(words || "–")]);
  }

  /** @param {number} place */
  go(place) {
    const one = this.found?.disagreements[place];
    if (!one) return;
    this.lines?.[this.place]?.removeAttribute("aria-current");
    this.place = place;
    const line = this.lines?.[place];
    line?.setAttribute("aria-current", "true");
    const list = line?.parentElement;
    if (line && list) list.scrollTop = line.offsetTop - list.offsetTop - line.offsetHeight;
    this.sheet?.show(one.start, one.end);
  }

  /** @param {Compared} found */
  perMention(found) {
    const passage = /** @type {Passage} */ (this.passage);
    const row = (/** @type {Expression} */ [key, response, recall, precision], /** @type {number} */ number) => {
      const mention = key !== null ? found.states[0].mentions[key] : found.states[1].mentions[response ?? ""];
      return h(
        "tr",
        null,
        h("td", { class: "number" }, number + 1),
        h("th", { scope: "row" }, bdi(mention ? passage.shown(mention) : "")),
        h("td", { class: "number" }, hundredths(recall)),
        h("td", { class: "number" }, hundredths(precision)),
      );
    };
    const rows = h("tbody");
    // thousands of rows are made when somebody wants to see them
    const draw = () => rows.childElementCount || put(rows, found.expressions.slice(0, MENTIONS).map(row));
    const left = found.expressions.length - MENTIONS;
    return h(
      "details",
      { class: "panel", ontoggle: draw },
      h("summary", null, "B³ mention by mention"),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "B³ mention by mention" },
        h(
          "table",
          null,
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              ["", "mention", "recall", "precision"].map(
                (name, place) => h("th", { scope: "col", class: place === 1 ? null : "number" }, name),
              ),
            ),
          ),
          rows,
        ),
      ),
      left > 0 && h("p", { class: "soft small" }, `and ${counted(left, "mention")}`),
    );
  }
}

const root = document.getElementById("comparison");
if (root)
  new Comparison(root).load().then(() => {
    document.body.dataset.ready = "compare";
  });
