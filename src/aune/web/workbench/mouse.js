// The mouse and the finger: a click is on a mention, a selection of words gets a small menu, the ends of a mention can
// be dragged.

import { bdi, h, put } from "../shared/dom.js";
import { hasEnds } from "./editor.js";
import * as operations from "./operations.js";
import { chainLine } from "./sheet.js";
import { endOf, startOf } from "./state.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./state.js").Part} Part */

export class Mouse {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.sheet = editor.sheet;
    this.menu = h("div", { class: "popover", role: "group", "aria-label": "the selected words", hidden: true });
    this.grips = [h("span", { class: "grip", hidden: true }), h("span", { class: "grip", hidden: true })];
    this.sheet.element.append(...this.grips);
    document.body.append(this.menu);
    this.coarse = matchMedia("(pointer: coarse)");
    /**
     * A release that the selection of the page has still to follow.
     * @type {{ event: PointerEvent, timer: number } | null}
     */
    this.release = null;
    /** What was selected to the letter, when words were taken instead. @type {Part | null} */
    this.exact = null;
    this.listen();
  }

  listen() {
    const { element } = this.sheet;
    let down = false;
    element.addEventListener("pointerdown", () => {
      down = true;
    });
    addEventListener("pointerup", (event) => {
      if (down && event.target instanceof Node) this.release = { event, timer: setTimeout(() => this.settle(), 0) };
      down = false;
    });
    addEventListener("pointercancel", () => {
      down = false; // the browser made a scroll or a selection of it
    });
    let settling = 0;
    document.addEventListener("selectionchange", () => {
      clearTimeout(settling);
      if (!down) settling = setTimeout(() => this.touched(), 350); // the handles of a phone
    });
    addEventListener("scroll", () => this.hide(), { passive: true });
    addEventListener("resize", () => this.moved());
    this.grips.forEach((grip, end) => grip.addEventListener("pointerdown", (event) => this.drag(event, end)));
  }

  /** What the mouse selected is selected now: a key may come before the page had time for it. */
  settle() {
    if (!this.release) return;
    const { event, timer } = this.release;
    clearTimeout(timer);
    this.release = null;
    this.released(event);
  }

  /** @param {PointerEvent} event */
  released(event) {
    const part = this.selected();
    if (part) return this.take(part, event.altKey);
    const mention = this.sheet.markOf(event.target, this.editor.current);
    // nothing more around it: a finger means the word
    const again = mention === this.editor.current && !this.editor.extent;
    const word = event.pointerType === "touch" && (!mention || again)
      ? this.wordUnder(event.clientX, event.clientY)
      : null;
    if (word) return this.take(word, false);
    const { editor } = this;
    if (mention) editor.go(mention, true);
    else if (editor.extent && editor.reshaping) editor.select(editor.extent.anchor, editor.extent.focus, true);
    else if (editor.extent) editor.go(editor.current, true); // what is not seen any more is not selected any more
    this.hide();
  }

  /** The word that was tapped. @param {number} x @param {number} y @returns {Part | null} */
  wordUnder(x, y) {
    const { passage } = this.editor.session;
    const point = this.under(x, y);
    if (point === null) return null;
    const near = [
      ...new Set([passage.wordAt(point), passage.wordAt(Math.max(0, point - 1))])
    ].filter((word) => word < passage.words);
    const parts = near.map((word) => /** @type {Part} */ ([passage.start(word), passage.end(word)]));
    return parts.find(
      (part) =>
        [...this.rangeOf(...part).getClientRects()].some(
          (rect) => x >= rect.left && x <= rect.right && y >= rect.top && y <= rect.bottom,
        ),
    ) ?? null;
  }

  /** @param {number} start @param {number} end */
  rangeOf(start, end) {
    const range = document.createRange();
    range.setStart(...this.sheet.nodeAt(start, false));
    range.setEnd(...this.sheet.nodeAt(end, true));
    return range;
  }

  touched() {
    const part = this.selected();
    const known = this.editor.part();
    if (part && !(known && known[0] === part[0] && known[1] === part[1]) && this.coarse.matches) this.take(part, false);
  }

  /** The selection of the page, in code points. @returns {Part | null} */
  selected() {
    const selection = getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    if (!this.sheet.blocks.contains(range.commonAncestorContainer)) return null;
    const [start, end] = [
      this.sheet.pointAt(range.startContainer, range.startOffset),
      this.sheet.pointAt(range.endContainer, range.endOffset),
    ];
    return start === null || end === null || start >= end ? null : [start, end];
  }

  /** Words are taken whole unless Alt is held. @param {Part} part @param {boolean} letters */
  take(part, letters) {
    const { passage } = this.editor.session;
    const [start, end] = part;
    const [first, last] = [passage.wordAt(start), passage.wordAt(end - 1)];
    const words = /** @type {Part} */ ([passage.start(first), passage.end(last)]);
    const whole = !letters && first < passage.words && first <= last && words[1] > words[0];
    this.exact = whole && (words[0] !== start || words[1] !== end) && end - start > 0 ? trimmed(passage, part) : null;
    if (this.exact && this.exact[0] <= words[0] && this.exact[1] >= words[1]) this.exact = null;
    this.editor.select(...(whole ? words : part), true);
    this.show();
  }

  show() {
    const { editor } = this;
    const part = editor.part();
    if (!part || !editor.session.layer.editable) return;
    const { labelled } = editor.session;
    const button = (/** @type {import("../shared/dom.js").Kids} */ inside, /** @type {() => unknown} */ does) =>
      h("button", { type: "button", class: "quiet", onclick: () => this.done(does) }, inside);
    const exact = this.exact;
    put(
      this.menu,
      editor.reshaping
        ? button(editor.reshaping.adds ? "add as a part of it" : "take as its extent", () => editor.mark())
        : [
            !labelled && button([h("kbd", { "aria-hidden": "true" }, "n"), " new chain"], () => editor.newChain()),
            editor.choices().slice(0, labelled ? 9 : 4).map(
              (choice, place) =>
                button(
                  [
                    h("kbd", { "aria-hidden": "true" }, place + 1),
                    " ",
                    choice.chain === null ? bdi(choice.label) : chainLine(editor.look, choice.chain),
                  ],
                  () => editor.take(choice),
                ),
            ),
            h(
              "button",
              { type: "button", class: "quiet", onclick: () => this.search() },
              labelled ? "another type…" : "another chain…",
            ),
            !labelled && button("mark only", () => editor.mark()),
            !labelled && button("a zero (∅) before", () => editor.zero()),
          ],
      exact && h(
        "button",
        { type: "button", class: "quiet", onclick: () => this.letters(exact) },
        "to the letter: ",
        bdi(editor.session.passage.source.slice(...exact)),
      ),
    );
    const range = getSelection()?.getRangeAt(0);
    const rect = range?.getBoundingClientRect() ?? new DOMRect();
    this.menu.hidden = false;
    const { width, height } = this.menu.getBoundingClientRect();
    const gap = this.coarse.matches ? 28 : 8; // a finger gets at the grips under the words
    const below = rect.bottom + height + gap < innerHeight;
    this.menu.style.setProperty("left", `${Math.max(8, Math.min(rect.left, innerWidth - width - 8))}px`);
    this.menu.style.setProperty("top", `${Math.max(8, below ? rect.bottom + gap : rect.top - height - 8)}px`);
  }

  /** @param {Part} part */
  letters(part) {
    this.exact = null;
    this.editor.select(...part, true);
    this.show();
  }

  /** Look for a chain or type, by typing. */
  search() {
    this.hide();
    this.editor.on.search();
  }

  /** @param {() => unknown} does */
  done(does) {
    this.hide();
    does();
    this.sheet.element.focus({ preventScroll: true });
  }

  hide() {
    this.menu.hidden = true;
  }

  /** What the grips hold: the mention one is at, or for a finger the selected words. @returns {Part | null} */
  held() {
    const { editor } = this;
    if (!editor.session.layer.editable) return null;
    if (editor.extent) return this.coarse.matches ? editor.part() : null;
    const mention = editor.current === null ? null : editor.state.mentions.get(editor.current);
    return mention && hasEnds(mention) ? [startOf(mention), endOf(mention)] : null;
  }

  /** Put the grips under the ends of what they hold: never on the letters, where a neighbour's selection may begin. */
  moved() {
    if (!this.editor.extent) this.hide();
    const part = this.held();
    for (const grip of this.grips) grip.hidden = !part;
    if (!part) return;
    const box = this.sheet.element.getBoundingClientRect();
    const edges = [this.edge(part[0], false), this.edge(part[1], true)];
    const inOneLine = Math.abs(edges[0].bottom - edges[1].bottom) < edges[0].bottom - edges[0].middle;
    const rightwards = inOneLine ? edges[0].left <= edges[1].left : edges[0].rightwards; // numbers in Arabic are, too
    this.grips.forEach((grip, end) => {
      const { left, bottom } = edges[end];
      grip.classList.toggle("before", (end === 0) === rightwards);
      grip.style.setProperty("left", `${left - box.left}px`);
      grip.style.setProperty("top", `${bottom - box.top}px`);
    });
  }

  /** Where an end of an extent stands on the page. @param {number} point @param {boolean} ending */
  edge(point, ending) {
    const [node, offset] = this.sheet.nodeAt(point, ending);
    const range = document.createRange();
    range.setStart(node, offset);
    const { left, top, bottom } = range.getBoundingClientRect();
    const element = node instanceof Element ? node : /** @type {Element} */ (node.parentElement);
    return { left, middle: (top + bottom) / 2, bottom, rightwards: getComputedStyle(element).direction === "ltr" };
  }

  /**
   * Drag an end of a mention, or of the selected words: to words, or with Alt to letters.
   * @param {PointerEvent} event
   * @param {number} end 0 the first, 1 the last
   */
  drag(event, end) {
    const { editor } = this;
    const part = this.held();
    if (!part) return;
    const id = editor.extent ? null : editor.current;
    event.preventDefault();
    event.stopPropagation();
    this.hide();
    const other = part[1 - end];
    let reached = part[end];
    const edge = this.edge(reached, end === 1);
    // the end is dragged, not the grip below it
    const [right, down] = [edge.left - event.clientX, edge.middle - event.clientY];
    const extent = () => /** @type {Part} */ ([Math.min(reached, other), Math.max(reached, other)]);
    const move = (/** @type {PointerEvent} */ moved) => {
      const point = this.under(moved.clientX + right, moved.clientY + down);
      if (point === null) return;
      const { passage } = editor.session;
      const word = passage.wordAt(end ? Math.max(0, point - 1) : point);
      const snapped = moved.altKey ? point : end ? passage.end(word) : passage.start(word);
      if (end ? snapped <= other : snapped >= other) return;
      reached = snapped;
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(this.rangeOf(...extent()));
    };
    const dropped = (/** @type {PointerEvent} */ { type }) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", dropped);
      removeEventListener("pointercancel", dropped);
      if (type === "pointercancel") reached = part[end];
      if (id === null) {
        editor.select(...extent(), true);
        return this.show();
      }
      editor.session.act("extend", operations.extend(editor.state, id, [extent()]));
      editor.go(id, true);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", dropped);
    addEventListener("pointercancel", dropped);
  }

  /** The code point under the mouse. @param {number} x @param {number} y */
  under(x, y) {
    const grips = this.grips.map((grip) => [grip, grip.hidden]);
    for (const grip of this.grips) grip.hidden = true;
    const caret = caretAt(x, y);
    for (const [grip, hidden] of grips) /** @type {HTMLElement} */ (grip).hidden = /** @type {boolean} */ (hidden);
    return caret && this.sheet.blocks.contains(caret[0]) ? this.sheet.pointAt(...caret) : null;
  }
}

/**
 * The node and offset at a place of the window; browsers have one way or the other.
 * @param {number} x
 * @param {number} y
 * @returns {[Node, number] | null}
 */
function caretAt(x, y) {
  const position = document.caretPositionFromPoint?.(x, y);
  if (position) return [position.offsetNode, position.offset];
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? [range.startContainer, range.startOffset] : null;
}

/**
 * Without white space at its ends.
 * @param {import("./session.js").Passage} passage
 * @param {Part} part
 * @returns {Part}
 */
function trimmed(passage, [start, end]) {
  const text = passage.source.slice(start, end);
  const [before, after] = [/^\s*/.exec(text)?.[0].length ?? 0, /\s*$/.exec(text)?.[0].length ?? 0];
  return [start + before, end - after];
}
