// Words under words: transcripts and taggings, where key and response may have other words.

import { bdi, h, put } from "../shared/dom.js";
import { hue, placed, showRow } from "../shared/text.js";

/** @typedef {import("../shared/text.js").Sentence} Sentence */
/** @typedef {import("../shared/text.js").Span} Span */
/** @typedef {{ start: number, end: number, words: string[], tags: string[], error: string }} Pair */
/** @typedef {{ system: string, columns: Pair[][], words: string[], tags: string[] }} AlignedLayer */
/**
 * @typedef {object} AlignedModel
 * @property {Sentence[]} sentences
 * @property {Span[]} key
 * @property {AlignedLayer[]} layers
 * @property {string[]} labels
 * @property {Record<string, import("../shared/schema.d.ts").Sign>} signs
 */

const AT_ONCE = 6000;
const VOID = "∅";

/**
 * The columns of each sentence, runs of equal words spelled out.
 * @param {import("../shared/schema.d.ts").Layer} layer
 * @param {string[]} words
 * @param {string[]} tags
 * @returns {Pair[][]}
 */
export function columnsOf(layer, words, tags) {
  return (layer.columns ?? []).map((sentence) =>
    sentence.flatMap(({ start, end, words: given, tags: marks = [], error = "" }) =>
      given
        ? [{ start, end, words: given, tags: marks, error }]
        : Array.from({ length: end - start }, (_, place) => ({
            start: start + place,
            end: start + place + 1,
            words: [words[start + place]],
            tags: tags.slice(start + place, start + place + 1),
            error: "",
          })),
    ),
  );
}

/** How an error is marked. @param {AlignedModel} model @param {string} error */
export const signOf = (model, error) => model.signs[error] ?? { text: "!", tone: "bad" };

/** Aligned words that are drawn. Long texts are drawn where they come near the window, and whole for printing. */
export class AlignedSheet {
  /** @param {AlignedModel} model */
  constructor(model) {
    this.model = model;
    /** @type {Map<Element, () => void>} */
    this.waiting = new Map();
    this.rows = model.sentences.map((sentence) => this.row(sentence));
    this.element = h("div", { class: "sheet", style: { "--sides": 1 } }, this.rows);
    const words = model.sentences.reduce((sum, one) => sum + one.end - one.start, 0);
    if (words <= AT_ONCE) this.fillAll();
    else this.watch();
    addEventListener("beforeprint", () => this.fillAll());
  }

  /** @param {Sentence} sentence */
  row(sentence) {
    const row = h("div", { class: "sentence", "data-from": sentence.start, "data-to": sentence.end });
    row.style.setProperty("min-height", `${2 + (sentence.end - sentence.start) / 5}rem`);
    this.waiting.set(row, () => {
      row.style.removeProperty("min-height");
      put(
        row,
        h("span", { class: "gutter" }, sentence.first ? sentence.number + 1 : ""),
        sentence.name && h("span", { class: "name" }, bdi(sentence.name)),
        this.model.layers.flatMap((layer) => [
          this.model.layers.length > 1 ? h("span", { class: "name" }, bdi(layer.system)) : null,
          h("div", { class: "aligned", dir: "auto" }, this.pairs(layer, sentence)),
        ]),
      );
    });
    return row;
  }

  /** @param {AlignedLayer} layer @param {Sentence} sentence */
  pairs(layer, sentence) {
    return (layer.columns[sentence.number] ?? [])
      .filter(
        (column) =>
          (sentence.first || column.start >= sentence.start) && (sentence.last || column.start < sentence.end),
      )
      .map((column) => this.pair(layer, column));
  }

  /** @param {AlignedLayer} layer @param {Pair} column */
  pair(layer, column) {
    const words = layer.words.slice(column.start, column.end);
    const tags = layer.tags.slice(column.start, column.end);
    const cover = this.model.key.find(
      (one) => one.start <= column.start && one.end > column.start && column.end > column.start,
    );
    const begins = cover && cover.start === column.start;
    const sign = column.error ? signOf(this.model, column.error) : null;
    const cell = (/** @type {string} */ kind, /** @type {string[]} */ list) =>
      h("span", { class: kind + (list.length ? "" : " void") }, list.length ? bdi(list.join(" ")) : VOID);
    const tagged = tags.length > 0 || column.tags.length > 0;
    return h(
      "div",
      {
        class: `pair${sign ? ` ${sign.tone}` : ""}${cover ? " in" : ""}${begins ? " first" : ""}`,
        title: column.error || null,
        "data-start": column.start,
        "data-end": column.end,
        style: cover ? { "--h": hue(Math.max(0, this.model.labels.indexOf(cover.label))) } : null,
      },
      this.model.key.length > 0 && h("span", { class: "span" }, begins ? cover.label : ""),
      cell("", words),
      tagged && cell("tag", tags),
      cell("other", column.words),
      tagged && cell("tag other", column.tags),
      h("span", { class: "mark" }, sign ? sign.text : ""),
    );
  }

  /** @param {Element} row */
  fill(row) {
    this.waiting.get(row)?.();
    this.waiting.delete(row);
  }

  fillAll() {
    for (const row of [...this.waiting.keys()]) this.fill(row);
  }

  watch() {
    const watcher = new IntersectionObserver(
      (seen) => {
        for (const { target } of seen.filter((one) => one.isIntersecting)) {
          watcher.unobserve(target);
          this.fill(target);
        }
      },
      { rootMargin: "1200px" },
    );
    for (const row of this.rows) watcher.observe(row);
  }

  /** @param {number} start @param {number} end */
  show(start, end) {
    for (const row of this.rows) {
      const { from, to } = row.dataset;
      if (Number(from) <= start && start < Math.max(Number(to), Number(from) + 1)) this.fill(row);
    }
    for (const one of this.element.querySelectorAll(".target, .here")) one.classList.remove("target", "here");
    const pairs = [.../** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll("[data-start]"))];
    const bounds = (/** @type {HTMLElement} */ { dataset }) =>
      ({ start: Number(dataset.start), end: Number(dataset.end) });
    for (const one of placed(pairs, bounds, start, end)) one.classList.add("target");
    showRow(this.rows, start);
  }
}
