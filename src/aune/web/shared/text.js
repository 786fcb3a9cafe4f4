// A text with marks in it: chains, spans, several sides beside each other. The report and the workbench share it.
//
// Every word and every mark is in the page, so that searching and selecting work; the browser lays out only what is
// near the window (`content-visibility`), in blocks that are large enough to scroll smoothly. No element per word, and
// the
// number or label of a mark is no text of the page: what is selected is the text itself.

import { bdi, h } from "./dom.js";

/**
 * @typedef {object} Span
 * @property {number} start
 * @property {number} end
 * @property {number} group the chain it is in on its own side, -1 for none
 * @property {string} label
 * @property {string} [below] what stands under the mark instead of its label
 * @property {number} twin the key's chain that it belongs to: its colour on every side
 * @property {string} error
 * @property {boolean} minor
 */
/**
 * @typedef {object} Sentence
 * @property {number} start
 * @property {number} end
 * @property {number} number
 * @property {string} name
 * @property {boolean} first whether it begins a sentence (long ones are cut)
 * @property {boolean} last
 */
/** @typedef {{ name: string, spans: Span[] }} Side */
/** @typedef {{ side: number, span: Span, element: HTMLElement }} Mark */
/**
 * What a text is cut from, in units of its own: words for a report, code points for what is annotated.
 * @typedef {object} Source
 * @property {number} length in units
 * @property {(from: number, to: number) => string} slice
 * @property {string} glue what stands between two units
 * @property {number} wide units in a word of common length
 */
/**
 * @typedef {object} TextModel
 * @property {Source} source
 * @property {Sentence[]} sentences
 * @property {Side[]} sides
 * @property {string[]} labels for colours: frequent ones first
 */

const BLOCK_WORDS = 1500; // on all sides together: what is laid out at once
const LONG = 400;
const PIECE = 200;

/** @param {string[]} words @returns {Source} */
export const fromWords = (words) => ({
  length: words.length,
  slice: (from, to) => words.slice(from, to).join(" "),
  glue: " ",
  wide: 1,
});

/** A text in code points, which is how offsets are counted everywhere but in JavaScript. */
export class Characters {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.glue = "";
    this.wide = 5.5;
    /** Where each code point begins, when some are written in two halves; else nothing needs to be looked up. */
    this.begins = /[\ud800-\udbff]/.test(text) ? beginnings(text) : null;
    this.length = this.begins ? this.begins.length - 1 : text.length;
  }

  /** @param {number} from @param {number} to */
  slice(from, to) {
    return this.text.slice(this.unit(from), this.unit(to));
  }

  /** Where a code point begins, as JavaScript counts. @param {number} point */
  unit(point) {
    return this.begins ? this.begins[Math.max(0, Math.min(point, this.length))] : point;
  }

  /** The code point at a place that JavaScript counted. @param {number} unit */
  point(unit) {
    if (!this.begins) return unit;
    return lowest(0, this.length, (point) => /** @type {Uint32Array} */ (this.begins)[point] >= unit);
  }
}

/** @param {string} text */
function beginnings(text) {
  const begins = new Uint32Array(text.length + 1);
  let points = 0;
  let unit = 0;
  for (const character of text) {
    begins[points++] = unit;
    unit += character.length;
  }
  begins[points] = unit;
  return begins.slice(0, points + 1);
}

/**
 * The lowest number from which on a condition holds, or the highest.
 * @param {number} low
 * @param {number} high
 * @param {(number: number) => boolean} holds
 */
export function lowest(low, high, holds) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A colour for each of any number of things, neighbours far apart. @param {number} index */
export const hue = (index) => Math.round((index * 137.508 + 205) % 360);

/**
 * Spans from the columns of the data.
 * @param {import("./schema.d.ts").Spans | null} [columns]
 * @returns {Span[]}
 */
export function spansOf(columns) {
  const { start = [], end = [], group = [], label = [], twin = [], error = [], minor = [] } = columns ?? {};
  return start.map((first, place) => ({
    start: first,
    end: end[place],
    group: group[place] ?? -1,
    label: label[place] ?? "",
    twin: twin[place] ?? -1,
    error: error[place] ?? "",
    minor: minor[place] ?? false,
  }));
}

/**
 * The sentences of a text; a text without any is cut all the same: nobody reads ten thousand words in one line.
 * @param {number} words
 * @param {number[]} starts
 * @param {string[]} names
 * @returns {Sentence[]}
 */
export function sentencesOf(words, starts, names) {
  const bounds = starts.length ? starts : [0];
  return bounds.flatMap((start, number) => {
    const end = bounds[number + 1] ?? words;
    const name = names[number] ?? "";
    if (end - start <= LONG) return [{ start, end, number, name, first: true, last: true }];
    return Array.from({ length: Math.ceil((end - start) / PIECE) }, (_, piece) => ({
      start: start + piece * PIECE,
      end: Math.min(start + (piece + 1) * PIECE, end),
      number,
      name: piece ? "" : name,
      first: piece === 0,
      last: start + (piece + 1) * PIECE >= end,
    }));
  });
}

/**
 * The spans of each sentence, those over several in each of them.
 * @param {Sentence[]} sentences
 * @param {Span[]} spans
 * @returns {Span[][]}
 */
export function spansBySentence(sentences, spans) {
  /** @type {Span[][]} */
  const found = sentences.map(() => []);
  for (const span of spans) for (const place of sentencesAt(sentences, span.start, span.end)) found[place].push(span);
  return found;
}

/**
 * The sentences that hold a part of an extent, by their places.
 * @param {Sentence[]} sentences
 * @param {number} start
 * @param {number} end
 */
export function* sentencesAt(sentences, start, end) {
  const first = lowest(0, sentences.length - 1, (place) => sentences[place].end > start);
  for (let at = first; at < sentences.length && sentences[at].start < Math.max(end, start + 1); at += 1) yield at;
}

/**
 * A text with marks in it; marks may nest, and one that crosses another is cut where the other ends. A mark of no
 * extent
 * stands before whatever begins at its place.
 * @template {{ start: number, end: number }} T
 * @param {Source} source
 * @param {number} from
 * @param {number} to
 * @param {T[]} spans
 * @param {(span: T, inside: (Node | string)[], depth: number, last: boolean) => Node} make
 * @returns {(Node | string)[]}
 */
export function marked(source, from, to, spans, make) {
  /** @typedef {{ span: T, a: number, b: number }} Piece */
  const empty = (/** @type {Piece} */ piece) => Number(piece.a === piece.b);
  const byPlace = (/** @type {Piece} */ x, /** @type {Piece} */ y) => x.a - y.a || empty(y) - empty(x) || y.b - x.b;
  /**
   * @param {number} a
   * @param {number} b
   * @param {Piece[]} list
   * @returns {{ nodes: (Node | string)[], depth: number }}
   */
  const build = (a, b, list) => {
    /** @type {(Node | string)[]} */
    const nodes = [];
    let at = a;
    let depth = 0;
    const plain = (/** @type {number} */ end) => {
      if (at < end) nodes.push((nodes.length ? source.glue : "") + source.slice(at, end));
    };
    const queue = list.sort(byPlace);
    while (queue.length) {
      const first = /** @type {Piece} */ (queue.shift());
      plain(first.a);
      if (nodes.length && source.glue) nodes.push(source.glue);
      const inner = [];
      const crossing = [];
      while (queue.length && queue[0].a < first.b) {
        const other = /** @type {Piece} */ (queue.shift());
        inner.push({ ...other, b: Math.min(other.b, first.b) });
        if (other.b > first.b) crossing.push({ ...other, a: first.b });
      }
      const inside = build(first.a, first.b, inner);
      nodes.push(make(first.span, inside.nodes, inside.depth, first.b === Math.min(first.span.end, to)));
      depth = Math.max(depth, inside.depth + 1);
      at = first.b;
      if (crossing.length) queue.unshift(...[...crossing, ...queue.splice(0)].sort(byPlace));
    }
    plain(b);
    return { nodes, depth };
  };
  const pieces = spans
    .map((span) => ({ span, a: Math.max(span.start, from), b: Math.min(span.end, to) }))
    .filter((one) => one.a < one.b || (one.a === one.b && one.span.start === one.span.end));
  return build(from, to, pieces).nodes;
}

/** A text that is drawn: its element, its marks, and what can be done with them. */
export class TextSheet {
  /**
   * @param {TextModel} model
   * @param {(mark: Mark) => void} opened when a mark is clicked, or chosen with Enter
   */
  constructor(model, opened) {
    this.model = model;
    /** @type {Mark[]} */
    this.marks = [];
    /** @type {WeakMap<Element, Mark>} */
    this.byElement = new WeakMap();
    /** What is lit together, once something was. @type {Map<string, Mark[]> | null} */
    this.byGroup = null;
    /** @type {Mark[]} */
    this.lit = [];
    /** What was shown last: a sentence, and what is marked there. @type {Element[]} */
    this.shown = [];
    this.current = -1;
    /** The spans of each side, sentence by sentence. */
    this.spans = model.sides.map((side) => spansBySentence(model.sentences, side.spans));
    this.sizes = sizesOf(model.sides[0]?.spans ?? []);
    const bySize = [...this.sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    /** The rank of each chain of the key by its size: its colour, which it keeps. */
    this.ranks = new Map(bySize.map(([group], rank) => [group, rank]));
    this.labelRanks = new Map(model.labels.map((label, rank) => [label, rank]));
    /** @type {HTMLElement[]} */
    this.rows = [];
    this.said = h("p", { class: "unseen", "aria-live": "polite" });
    this.element = this.drawn();
    this.listen(opened);
  }

  drawn() {
    const { sides, sentences, source } = this.model;
    const blocks = [];
    for (let at = 0; at < sentences.length; ) {
      const rows = [];
      let words = 0;
      for (; at < sentences.length && (words < BLOCK_WORDS / sides.length || !rows.length); at += 1) {
        words += (sentences[at].end - sentences[at].start) / source.wide;
        rows.push(this.row(at));
      }
      const height = `${Math.round(rows.length * 12 + words * 4.4)}px`;
      blocks.push(h("div", { class: "block", style: { "contain-intrinsic-size": `auto ${height}` } }, rows));
      this.rows.push(...rows);
    }
    const names = sides.map((side) => h("span", null, h("strong", null, bdi(side.name))));
    return h(
      "div",
      {
        class: "sheet",
        style: { "--sides": sides.length },
        tabindex: "0",
        role: "group",
        "aria-label": "text: ← and → go from mark to mark, Enter shows what belongs to it",
      },
      h("div", { class: "sides" }, h("span"), names),
      blocks,
      this.said,
    );
  }

  /** Draw sentences again whose spans are others now. @param {Iterable<number>} places */
  redraw(places) {
    this.sizes = sizesOf(new Set(this.spans[0].flat()));
    for (const place of places) {
      const row = this.row(place);
      this.rows[place].replaceWith(row);
      this.rows[place] = row;
    }
    this.light(null);
    this.marks = [];
    this.byGroup = null;
  }

  /** @param {number} place */
  row(place) {
    const sentence = this.model.sentences[place];
    return h(
      "div",
      { class: "sentence", "data-from": sentence.start, "data-to": sentence.end },
      h("span", { class: "gutter" }, sentence.first ? sentence.number + 1 : ""),
      sentence.name && h("span", { class: "name" }, bdi(sentence.name)),
      this.model.sides.map((side, index) =>
        h(
          "div",
          { class: "text", dir: "auto", "data-side": side.name },
          marked(
            this.model.source,
            sentence.start,
            sentence.end,
            this.spans[index][place],
            (...piece) => this.mark(index, ...piece),
          ),
        ),
      ),
    );
  }

  /** @param {Span} span */
  colour(span) {
    if (span.twin >= 0 && !this.ranks.has(span.twin)) this.ranks.set(span.twin, this.ranks.size);
    if (span.group >= 0 || span.twin >= 0) return span.twin >= 0 ? hue(this.ranks.get(span.twin) ?? 0) : 0;
    return hue(this.labelRanks.get(span.label) ?? 0);
  }

  /**
   * @param {number} side
   * @param {Span} span
   * @param {(Node | string)[]} inside
   * @param {number} depth
   * @param {boolean} last
   */
  mark(side, span, inside, depth, last) {
    const chained = span.group >= 0;
    const unknown = side > 0 && span.twin < 0 && span.error !== "";
    const single = chained && span.twin >= 0 && (this.sizes.get(span.twin) ?? 0) < 2;
    const element = document.createElement("span"); // not by h(): there may be tens of thousands
    const error = span.error ? (unknown ? " none" : " wrong") : "";
    const shape = `${single ? " single" : ""}${span.minor ? " minor" : ""}${span.start === span.end ? " zero" : ""}`;
    element.className = `m${error}${shape}`;
    element.title = this.described(span);
    const below = chained ? String(span.group + 1) : span.below ?? span.label;
    if (last && below) element.dataset.below = below;
    element.style.setProperty("--h", String(this.colour(span)));
    if (depth) element.style.setProperty("--inside", String(depth));
    element.append(...inside);
    this.byElement.set(element, { side, span, element });
    return element;
  }

  /** @param {Span} span */
  described(span) {
    const what = span.group >= 0 ? `chain ${span.group + 1}` : span.below || span.label;
    return span.error ? `${what}: ${span.error}` : what;
  }

  /** The words of a span. @param {Span} span */
  wordsOf(span) {
    return this.model.source.slice(span.start, span.end);
  }

  /** @param {EventTarget | null} target */
  markOf(target) {
    const element = target instanceof Element ? target.closest(".m") : null;
    return element ? (this.byElement.get(element) ?? null) : null;
  }

  /** Light what belongs to a mark, and nothing else. @param {Mark | null} mark @param {boolean} [everywhere] */
  light(mark, everywhere = true) {
    for (const one of this.lit) one.element.classList.remove("lit");
    const groups = mark ? groupsOf(mark) : [];
    this.lit = mark ? (this.together().get(everywhere ? groups[0] : groups[groups.length - 1]) ?? []) : [];
    for (const one of this.lit) one.element.classList.add("lit");
  }

  /** The marks that are lit together. @returns {Map<string, Mark[]>} */
  together() {
    if (this.byGroup) return this.byGroup;
    this.byGroup = new Map();
    for (const mark of this.inOrder())
      for (const group of groupsOf(mark)) {
        const known = this.byGroup.get(group);
        if (known) known.push(mark);
        else this.byGroup.set(group, [mark]);
      }
    return this.byGroup;
  }

  /** @param {(mark: Mark) => void} opened */
  listen(opened) {
    this.element.addEventListener("mouseover", (event) => {
      const mark = this.markOf(event.target);
      if (mark) this.light(mark);
    });
    this.element.addEventListener("mouseleave", () => this.light(null));
    this.element.addEventListener("click", (event) => {
      const mark = this.markOf(event.target);
      if (mark) opened(mark);
    });
    this.element.addEventListener("keydown", (event) => {
      const order = this.inOrder();
      const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (move && order.length) {
        event.preventDefault();
        this.step(order, move);
      }
      if (event.key === "Enter" && order[this.current]) {
        event.preventDefault();
        opened(order[this.current]);
      }
    });
  }

  /** All marks, in the order of the page. */
  inOrder() {
    if (!this.marks.length) this.marks = this.marksIn(this.element);
    return this.marks;
  }

  /** @param {Element} element */
  marksIn(element) {
    return [...element.querySelectorAll(".m")].map((one) => /** @type {Mark} */ (this.byElement.get(one)));
  }

  /** @param {Mark[]} order @param {number} move */
  step(order, move) {
    order[this.current]?.element.classList.remove("current");
    this.current = this.current < 0 && move < 0
      ? order.length - 1
      : (this.current + move + order.length) % order.length;
    const mark = order[this.current];
    mark.element.classList.add("current");
    mark.element.scrollIntoView({ block: "nearest" });
    this.light(mark);
    this.said.textContent = `${this.wordsOf(mark.span)}, ${this.described(mark.span)}`;
  }

  /** Show a place: what is marked exactly there, or else what touches it. @param {number} start @param {number} end */
  show(start, end) {
    for (const one of this.shown) one.classList.remove("target", "here");
    this.shown = [];
    const row = this.point(start, end)[0];
    row?.classList.add("here");
    row?.scrollIntoView({ block: "center" });
  }

  /** Point to a place as well; the sentences it is in. @param {number} start @param {number} end */
  point(start, end) {
    const rows = [...sentencesAt(this.model.sentences, start, end)].map((place) => this.rows[place]);
    const targets = placed(
      rows.flatMap((row) => this.marksIn(row)),
      (mark) => mark.span,
      start,
      end,
    ).map(({ element }) => element);
    for (const one of targets) one.classList.add("target");
    this.shown.push(...targets, ...rows);
    return rows;
  }
}

/** How many mentions each chain has. @param {Iterable<Span>} spans @returns {Map<number, number>} */
function sizesOf(spans) {
  /** @type {Map<number, number>} */
  const sizes = new Map();
  for (const { group } of spans) if (group >= 0) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  return sizes;
}

/**
 * The groups that a mark is lit with: the key's chain on all sides or its label, then its own chain.
 * @param {Mark} mark
 */
function groupsOf({ side, span }) {
  if (span.group < 0) return [`label ${span.label}`];
  const own = `${side} ${span.group}`;
  return span.twin >= 0 ? [`twin ${span.twin}`, own] : [own];
}

/**
 * What lies exactly at a place, or else what touches it.
 * @template T
 * @param {T[]} items
 * @param {(item: T) => { start: number, end: number }} boundsOf
 * @param {number} start
 * @param {number} end
 */
export function placed(items, boundsOf, start, end) {
  const exact = items.filter((item) => boundsOf(item).start === start && boundsOf(item).end === end);
  if (exact.length) return exact;
  return items.filter((item) => boundsOf(item).start < Math.max(end, start + 1) && boundsOf(item).end > start);
}

/** Bring the sentence that holds a word into view. @param {HTMLElement[]} rows @param {number} word */
export function showRow(rows, word) {
  const row = rows.find(
    ({ dataset }) =>
      Number(dataset.from) <= word && word < Math.max(Number(dataset.to), Number(dataset.from) + 1),
  );
  row?.classList.add("here");
  row?.scrollIntoView({ block: "center" });
}
