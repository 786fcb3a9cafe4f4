// The activation resolver at work, mention by mention, forwards and back: who could be meant, who agrees, who is
// chosen.

import { bdi, h, put, toast } from "../shared/dom.js";
import { attach } from "./operations.js";
import { answered } from "./queue.js";
import { hundredths } from "./scores.js";
import { Passage } from "./session.js";
import { chainLine, EditSheet, Look } from "./sheet.js";
import { Schema } from "./schema.js";
import { State } from "./state.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./state.js").Change} Change */
/**
 * @typedef {{ chain: string, size: number, last: string, gender: number, number: number, sense: number, activation:
 * number, compatible: boolean }} Candidate
 */
/**
 * @typedef {{ step: number, mention: string, kind: string, traits: Record<string, string>, candidates: Candidate[],
 * chosen: string, new: boolean, because: string }} Step
 */
/**
 * @typedef {{ off: string[], scores: Record<string, number | null>, mean: number | null, loss: number | null }} Loss
 */
/**
 * @typedef {{ steps: Step[], total: number, groups: string[], text: { characters: string, tokens: number[], sentences:
 * number[] }, state: import("./state.js").PlainState }} StepsAnswer
 */

const BATCH = 200;
const AGAIN = 700; // milliseconds

class Stepping {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.api = root.dataset.api ?? "";
    /** @type {string[]} */
    this.off = [];
    /** @type {Step[]} */
    this.steps = [];
    this.at = 0;
    this.total = 0;
    /** What takes each step back. @type {Change[][]} */
    this.back = [];
    this.card = h("section", { class: "panel", "aria-label": "step", "aria-live": "polite" });
    this.losses = h("section", { class: "panel", "aria-label": "groups of rules" });
    root.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {number} first @returns {Promise<StepsAnswer>} */
  asked(first) {
    return answered(`${this.api}?first=${first}&count=${BATCH}&off=${encodeURIComponent(this.off.join(","))}`);
  }

  async load() {
    const answer = await this.asked(0);
    this.steps = answer.steps;
    this.total = answer.total;
    this.groups = answer.groups;
    this.at = 0;
    this.back = [];
    const loose = Object.entries(answer.state.mentions).map(([id, mention]) => [id, { ...mention, chain: null }]);
    const state = new State({ mentions: Object.fromEntries(loose), chains: {}, relations: {} });
    // the sheet of the workbench draws here too, from a layer that nobody keeps
    const plain = { state, passage: new Passage(answer.text), task: "coref", schema: new Schema(), labels: [] };
    const session = /** @type {Session} */ (/** @type {unknown} */ (plain));
    this.session = session;
    this.look = new Look(session);
    this.sheet = new EditSheet(session, this.look);
    this.sheet.element.setAttribute("aria-label", "text: → makes a step, ← takes it back");
    put(
      this.root,
      this.controls(),
      h(
        "div",
        { class: "bench steps" },
        this.sheet.element,
        h("aside", { class: "titled beside", tabindex: "0", "aria-label": "the step" }, this.card, this.losses),
      ),
    );
    this.draw();
    this.drawLosses([]);
    if (document.activeElement === document.body) this.sheet.element.focus({ preventScroll: true });
    document.body.dataset.ready = "stepping";
  }

  controls() {
    const button = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {() => unknown} */ does) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick: does }, sign);
    this.where = h(
      "input",
      {
        type: "range",
        min: "0",
        max: String(this.total),
        value: "0",
        "aria-label": "step",
        oninput: () => this.to(Number(this.where?.value)),
      },
    );
    const group = (/** @type {string} */ name) => {
      const tick = h(
        "input",
        { type: "checkbox", name, checked: !this.off.includes(name), onchange: () => this.toggle(name, tick.checked) },
      );
      return h("label", { class: "check" }, tick, name.replaceAll("_", " "));
    };
    return h(
      "div",
      { class: "controls" },
      h(
        "div",
        { class: "acts" },
        button("to the beginning", "«", () => this.to(0)),
        button("a step back", "‹", () => this.to(this.at - 1)),
        button("a step forwards", "›", () => this.to(this.at + 1)),
        button("to the end", "»", () => this.to(this.total)),
      ),
      this.where,
      h("fieldset", { class: "acts rules" }, h("legend", null, "rules"), (this.groups ?? []).map(group)),
    );
  }

  /** @param {string} group @param {boolean} on */
  async toggle(group, on) {
    this.off = on ? this.off.filter((one) => one !== group) : [...this.off, group];
    const { at } = this;
    this.root.ariaBusy = "true";
    await this.load().catch((error) => toast(error.message));
    await this.to(at);
    this.root.ariaBusy = null;
    /** @type {HTMLElement | null} */
    (this.root.querySelector(`input[name="${group}"]`))?.focus({ preventScroll: true }); // the page was drawn anew
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const by = { ArrowRight: 1, j: 1, ArrowDown: 1, ArrowLeft: -1, k: -1, ArrowUp: -1 }[event.key];
    const scrolls = event.key.startsWith("Arrow") && /** @type {Element} */ (event.target).closest("aside, .controls");
    if (!by || scrolls || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.to(this.at + by);
  }

  /** So many steps are made. @param {number} step */
  async to(step) {
    const target = Math.max(0, Math.min(this.total, step));
    try {
      while (this.steps.length < target) this.steps.push(...(await this.asked(this.steps.length)).steps);
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
      return;
    }
    const { session, sheet, look } = this;
    if (!session || !sheet || !look) return;
    while (this.at < target) {
      const { mention, chosen } = this.steps[this.at];
      const changes = attach(session.state, [mention], chosen);
      const inverse = session.state.fold(changes);
      this.back.push(inverse);
      look.forget(changes);
      sheet.update(changes, inverse);
      this.at += 1;
    }
    while (this.at > target) {
      const changes = this.back.pop() ?? [];
      const inverse = session.state.fold(changes);
      look.forget([...changes, ...inverse]);
      sheet.update(changes, inverse);
      this.at -= 1;
    }
    this.draw();
  }

  draw() {
    const { session, sheet, look } = this;
    if (!session || !sheet || !look) return;
    if (this.where) this.where.value = String(this.at);
    const step = this.steps[this.at - 1];
    sheet.show(step?.mention ?? null);
    if (!step) {
      put(this.card, h("h2", null, `${this.total} mentions`), h("p", { class: "soft" }, "› makes the first step."));
      return;
    }
    const known = [step.kind, ...Object.entries(step.traits).map(([, value]) => value)].filter(Boolean).join(", ");
    put(
      this.card,
      h("p", { class: "soft small" }, `step ${this.at} of ${this.total}`),
      h("h2", { class: "quoted" }, bdi(session.passage.shown(session.state.mention(step.mention)))),
      h("p", { class: "soft" }, known),
      h("p", null, "→ ", chainLine(look, step.chosen), `: ${step.because}`),
      step.candidates.length > 0 && this.candidates(step),
    );
  }

  /** @param {Step} step */
  candidates(step) {
    const look = /** @type {Look} */ (this.look);
    const most = Math.max(...step.candidates.map((one) => one.activation), 1e-9);
    const row = (/** @type {Candidate} */ one) =>
      h(
        "tr",
        { class: one.compatible ? null : "out", "aria-current": one.chain === step.chosen ? "true" : null },
        h("th", { scope: "row" }, chainLine(look, one.chain)),
        [one.gender, one.number, one.sense].map((share) => h("td", { class: "number" }, hundredths(share))),
        h(
          "td",
          { class: "number" },
          h("span", { class: "meter", style: { "--share": one.activation / most } }),
          one.activation.toFixed(2),
        ),
        h("td", null, one.compatible ? "yes" : "no"),
      );
    return h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "candidates" },
      h(
        "table",
        { class: "scores" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            [
              "candidate",
              "gender",
              "number",
              "sense",
              "activation",
              "fits",
            ].map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h("tbody", null, step.candidates.map(row)),
      ),
    );
  }

  /** @param {Loss[]} losses */
  drawLosses(losses) {
    const measures = Object.keys(losses[0]?.scores ?? {});
    const row = (/** @type {Loss} */ one) =>
      h(
        "tr",
        null,
        h("th", { scope: "row" }, one.off.length ? one.off.join(" + ").replaceAll("_", " ") : "all rules"),
        h("td", { class: "number best" }, one.off.length ? hundredths(one.loss) : ""),
        measures.map((name) => h("td", { class: "number" }, hundredths(one.scores[name]))),
      );
    put(
      this.losses,
      h(
        "div",
        { class: "row" },
        h("h2", null, "Rules off, one and two at a time"),
        !losses.length && h("button", { type: "button", onclick: () => this.askLosses() }, "show the losses"),
      ),
      losses.length > 0 && h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "losses" },
        h(
          "table",
          { class: "scores" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              [
                "off",
                "loss",
                ...measures.map((name) => name.replace(/^\w+\./, "").replaceAll("_", " "))
              ].map((name, place) => h("th", { scope: "col", class: place ? "number" : null }, name)),
            ),
          ),
          h("tbody", null, losses.map(row)),
        ),
      ),
    );
  }

  /** The losses are worked out beside everything else: until they are there, one asks again. */
  async askLosses() {
    put(this.losses, h("p", { class: "soft" }, "working them out…"));
    try {
      for (;;) {
        const { losses } = await answered(this.root.dataset.losses ?? "");
        if (losses) return this.drawLosses(losses);
        await new Promise((done) => setTimeout(done, AGAIN));
      }
    } catch (error) {
      this.drawLosses([]);
      toast(/** @type {Error} */ (error).message);
    }
  }
}

const root = document.getElementById("stepping");
if (root)
  new Stepping(root).load().catch((error) => {
    put(root, h("p", { class: "warning", role: "alert" }, `The resolver cannot be stepped: ${error.message}`));
    document.body.dataset.ready = "stepping";
  });
