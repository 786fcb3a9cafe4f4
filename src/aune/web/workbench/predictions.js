// What a system predicts for the text: accepted, changed or rejected with one key each, or many at once.

import { ANTECEDENT, isOpen, isPronoun } from "./anaphora.js";
import { counted, h, put, toast } from "../shared/dom.js";
import * as operations from "./operations.js";
import { answered } from "./queue.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./state.js").Part} Part */
/**
 * @typedef {object} Prediction
 * @property {string} id
 * @property {Part[]} parts
 * @property {string | null} chain the chain that the system gave it
 * @property {string} label
 * @property {Record<string, string>} features
 */
/** @typedef {{ kind: string, source: string, targets: string[] }} PredictedRelation between predictions, by id */
/** @typedef {Prediction} Mark what is marked for a prediction, with an id of the layer */

const HIGHLIGHT = "predicted";
const CONFIDENCE = ["confidence", "score", "probability"];
const MOST_SHOWN = 3000; // predictions that are underlined: each is looked for in the text

export class Predictions {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.session = editor.session;
    this.system = "";
    /** Those that are offered. @type {Prediction[]} */
    this.all = [];
    /** All of them, also antecedents, which come with their pronouns. @type {Map<string, Prediction>} */
    this.byId = new Map();
    /** @type {PredictedRelation[]} */
    this.relations = [];
    this.hasPronouns = this.session.task === "anaphora";
    /** Those that were rejected or changed. @type {Set<string>} */
    this.settled = new Set();
    /** The one whose words were selected last. @type {Prediction | null} */
    this.current = null;
    /** Those that are open, at the last look. @type {Prediction[]} */
    this.waiting = [];
    this.folds = -1;
    this.tally = h("p", { class: "soft small", "aria-live": "polite" });
    this.threshold = h("input", { type: "number", min: "0", max: "1", step: "0.05", value: "0.9" });
    this.above = h(
      "div",
      { class: "acts", hidden: true },
      h("button", { type: "button", onclick: () => this.acceptAbove() }, "accept those above"),
      h("label", { class: "check" }, this.threshold, h("span", { class: "unseen" }, "threshold")),
    );
    this.element = h(
      "section",
      { class: "card-part", "aria-label": "predictions", hidden: true },
      h("h2", null, "Predictions"),
      this.tally,
      h(
        "div",
        { class: "acts" },
        h("button", { type: "button", onclick: () => this.next() }, "next (o)"),
        h("button", { type: "button", onclick: () => this.accept() }, "accept (a)"),
        h("button", { type: "button", onclick: () => this.reject() }, "reject (r)"),
        h("button", { type: "button", onclick: () => this.acceptSeen() }, "accept all on the screen (A)"),
      ),
      this.above,
    );
    /** Whether an undo may have opened a prediction again. */
    this.stale = false;
    if (this.session.layer.editable && this.session.layer.kind === "annotation") this.load();
    this.session.afterSaves(async () => {
      if (this.stale) await this.load();
    });
  }

  async load() {
    try {
      /** @type {{ system: string, mentions: Prediction[], relations: PredictedRelation[], settled: string[] }} */
      const { system, mentions, relations, settled } = await answered(`${this.session.api}predictions`);
      this.system = system;
      this.all = mentions.filter(({ label }) => !this.hasPronouns || label !== ANTECEDENT);
      this.byId = new Map(mentions.map((one) => [one.id, one]));
      this.relations = relations;
      this.settled = new Set(settled);
    } catch {
      return; // without a network there are none
    }
    this.stale = false;
    this.folds = -1;
    this.element.hidden = !this.all.length;
    this.above.hidden = !this.all.some((one) => confidence(one) !== null);
    this.moved();
  }

  /** Something was undone or done again: ask what is open when that is saved. */
  undone() {
    this.stale = this.all.length > 0;
  }

  /** Those that wait for an answer, in the order of the text. */
  open() {
    const { state } = this.session;
    const answered = [...state.mentions].filter(([id]) => !this.hasPronouns || !isOpen(state, id));
    const known = new Set(answered.map(([, one]) => this.placeOf(one)));
    return this.all.filter((one) => !this.settled.has(one.id) && !known.has(this.placeOf(one)));
  }

  /**
   * What a prediction and a mention have in common: their place and label; for pronouns the place alone.
   * @param {{ parts: Part[], label: string }} mention
   */
  placeOf({ parts, label }) {
    return keyOf(parts, this.hasPronouns ? String(label !== ANTECEDENT) : label);
  }

  /** Something may have changed: underline and count again. */
  moved() {
    if (!this.all.length) return;
    if (this.folds !== this.session.state.folds) {
      this.folds = this.session.state.folds;
      this.waiting = this.open();
      this.underline(this.waiting.slice(0, MOST_SHOWN));
    }
    const isHere = this.current && this.editor.extent && this.waiting.includes(this.current);
    const here = isHere && this.current ? `; this one: ${this.described(this.current)}` : "";
    put(this.tally, `${counted(this.waiting.length, "prediction")} of ${this.system} open${here}`);
  }

  /** What a prediction says. @param {Prediction} prediction */
  described({ id, label, chain }) {
    const words = this.relations.filter(({ source }) => source === id)
      .flatMap(({ kind, targets }) => targets.map((target) => ({ kind, target: this.byId.get(target) })))
      .map(({ kind, target }) => `${this.hasPronouns ? "" : kind} → ${target ? this.session.passage.shown(
        { ...target, order: 0 },
      ) : "?"}`.trim());
    if (words.length) return this.hasPronouns ? words.join(" + ") : [label, ...words].join(", ");
    const same = chain === null ? null : this.chainOf(chain);
    return label || (same ? `chain ${this.editor.look.numberOf(same)}` : "a new chain");
  }

  /** @param {Prediction[]} open */
  underline(open) {
    const highlights = /** @type {any} */ (CSS).highlights;
    if (!highlights) return; // an older browser: they are selected one by one
    const ranges = open.flatMap(({ parts }) =>
      parts.map(([start, end]) => {
        const range = document.createRange();
        range.setStart(...this.editor.sheet.nodeAt(start, false));
        range.setEnd(...this.editor.sheet.nodeAt(end, true));
        return range;
      })
    );
    highlights.set(HIGHLIGHT, new /** @type {any} */ (globalThis).Highlight(...ranges));
  }

  /** Select the words of the next open prediction. */
  next() {
    const open = this.open();
    const [start] = this.editor.caret();
    const here = this.current;
    const later = open.find((one) => one.parts[0][0] > start || (one.parts[0][0] === start && one !== here &&
      (!here || open.indexOf(one) > open.indexOf(here))));
    this.go(later ?? open[0] ?? null);
  }

  /** @param {Prediction | null} prediction */
  go(prediction) {
    this.current = prediction;
    if (!prediction) return toast("no prediction is open");
    const { parts } = prediction;
    this.editor.select(parts[0][0], parts[parts.length - 1][1]);
    this.moved();
  }

  /** The chain of this layer that has an accepted mention of a predicted chain. @param {string} predicted */
  chainOf(predicted) {
    const members = new Set(
      this.all.filter(({ chain }) => chain === predicted).map(({ parts, label }) => keyOf(parts, label)),
    );
    for (const { parts, label, chain } of this.session.state.mentions.values())
      if (chain && members.has(keyOf(parts, label))) return chain;
    return null;
  }

  /** Take the selected prediction, with other words where the selection was changed; without one, go to the next. */
  accept() {
    const part = this.editor.part();
    if (!this.current || !part || this.settled.has(this.current.id)) return this.next();
    const { id, parts } = this.current;
    const isSame = part[0] === parts[0][0] && part[1] === parts[parts.length - 1][1];
    this.take([isSame ? this.current : { ...this.current, parts: [part] }], isSame ? "accept" : "change");
    if (!isSame) this.settled.add(id);
    this.next();
  }

  reject() {
    const part = this.editor.part();
    if (!this.current || !part) return this.next();
    this.settled.add(this.current.id);
    this.session.note("reject prediction", [this.current.id]);
    this.folds = -1;
    this.moved();
    this.next();
  }

  /** Take all that can be seen. */
  acceptSeen() {
    const seen = this.open().filter(({ parts }) => {
      const [node] = this.editor.sheet.nodeAt(parts[0][0], false);
      const box = (node.parentElement ?? this.editor.sheet.element).getBoundingClientRect();
      return box.bottom > 0 && box.top < innerHeight;
    });
    this.take(seen, "accept");
  }

  acceptAbove() {
    const least = Number(this.threshold.value);
    this.take(this.open().filter((one) => (confidence(one) ?? -1) >= least), "accept");
  }

  /** @param {Prediction[]} predictions @param {"accept" | "change"} how */
  take(predictions, how) {
    if (!predictions.length) return toast("no prediction is open there");
    /** @type {Map<string, string>} */
    const chains = new Map();
    const marks = predictions.map(({ id, parts, chain, label, features }) => {
      if (chain !== null && !label && !chains.has(chain))
        chains.set(chain, this.chainOf(chain) ?? operations.newId("c"));
      const own = label || chain === null ? null : (chains.get(chain) ?? null);
      const kept = Object.fromEntries(Object.entries(features).filter(([name]) => !CONFIDENCE.includes(name)));
      return { id: this.markedAs(id, isPronoun) ?? operations.newId("m"), parts, chain: own, label, features: kept };
    });
    /** @type {Map<string, Mark>} */
    const taken = new Map(predictions.map(({ id }, place) => [id, marks[place]]));
    const relations = this.relationsOf(taken);
    const changes = operations.markAll(this.session.state, [...taken.values()], relations);
    if (!this.session.act(`${how} prediction`, changes, "", predictions.map(({ id }) => id))) return;
    if (predictions.length > 1) toast(`${counted(predictions.length, "prediction")} accepted`);
  }

  /**
   * The mention of this layer at the place of a prediction.
   * @param {string} prediction
   * @param {(mention: import("./state.js").Mention) => boolean} [fits] for pronouns: which of those there
   */
  markedAs(prediction, fits) {
    const one = this.byId.get(prediction);
    if (!one || (fits && !this.hasPronouns)) return null;
    const { state } = this.session;
    const here = [...state.mentions].filter(([, { parts, label }]) =>
      String(parts) === String(one.parts) && (this.hasPronouns || label === one.label)
    );
    return (here.find(([, mention]) => !fits || fits(mention)) ?? [null])[0];
  }

  /**
   * The predicted relations of those that are taken, where both ends are marked; antecedents of pronouns are marked.
   * @param {Map<string, Mark>} taken by prediction; what has to be marked with them is added
   * @returns {[string, import("./state.js").Relation][]}
   */
  relationsOf(taken) {
    const { state } = this.session;
    const touched = this.relations.filter(({ source, targets }) => [source, ...targets].some((id) => taken.has(id)));
    const sources = touched.filter(({ source }) => taken.has(source) || (!this.hasPronouns && this.markedAs(source)));
    return sources.flatMap(({ kind, source, targets }) => {
      const ends = targets.flatMap((target) => {
        const known = taken.get(target)?.id ?? this.markedAs(target);
        const prediction = this.byId.get(target);
        if (known || !this.hasPronouns || !prediction) return known ? [known] : [];
        const { parts } = prediction;
        const id = operations.newId("m");
        taken.set(target, { id, parts, chain: null, label: ANTECEDENT, features: {} });
        return [id];
      });
      const from = taken.get(source)?.id ?? this.markedAs(source);
      const isKnown = from && state.relationsFrom(from).some(([, one]) =>
        one.kind === kind && ends.every((end) => one.targets.includes(end))
      );
      if (!from || !ends.length || isKnown) return [];
      return [[operations.newId("r"), { kind, source: from, targets: ends, via: [] }]];
    });
  }
}

/** @param {Part[]} parts @param {string} label */
const keyOf = (parts, label) => `${parts.join(" ")} ${label}`;

/** How sure the system is, where it says so. @param {Prediction} prediction */
function confidence({ features }) {
  const said = CONFIDENCE.map((name) => features[name]).find((value) => value !== undefined);
  return said === undefined || Number.isNaN(Number(said)) ? null : Number(said);
}
