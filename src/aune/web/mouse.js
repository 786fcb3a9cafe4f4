// The mouse and the finger: a click is on a mention, a selection of words gets a small menu, the ends of a mention can be dragged.

import { bdi, h, put } from "./dom.js";
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
      if (down && event.target instanceof Node) setTimeout(() => this.released(event), 0);
      down = false;
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

  /** @param {PointerEvent} event */
  released(event) {
    const part = this.selected();
    if (part) this.take(part, event.altKey);
    else {
      const mention = this.sheet.markOf(event.target, this.editor.current);
      if (mention) this.editor.go(mention, true);
      this.hide();
    }
  }

  touched() {
    const part = this.selected();
    const known = this.editor.part();
    if (part && !(known && known[0] === part[0] && known[1] === part[1]) && matchMedia("(pointer: coarse)").matches) this.take(part, false);
  }

  /** The selection of the page, in code points. @returns {Part | null} */
  selected() {
    const selection = getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    if (!this.sheet.blocks.contains(range.commonAncestorContainer)) return null;
    const [start, end] = [this.sheet.pointAt(range.startContainer, range.startOffset), this.sheet.pointAt(range.endContainer, range.endOffset)];
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
    const entities = editor.session.task === "entities";
    const button = (/** @type {import("./dom.js").Kids} */ inside, /** @type {() => unknown} */ does) =>
      h("button", { type: "button", class: "quiet", onclick: () => this.done(does) }, inside);
    const exact = this.exact;
    put(
      this.menu,
      editor.reshaping
        ? button("take as its extent", () => editor.mark())
        : [
            !entities && button("new chain", () => editor.newChain()),
            editor.choices().slice(0, entities ? 9 : 4).map((choice) => button(choice.chain === null ? bdi(choice.label) : chainLine(editor.look, choice.chain), () => editor.take(choice))),
            !entities && button("mark only", () => editor.mark()),
            !entities && button("∅ before", () => editor.zero()),
          ],
      exact && h("button", { type: "button", class: "quiet", onclick: () => this.letters(exact) }, "to the letter: ", bdi(editor.session.passage.source.slice(...exact))),
    );
    const range = getSelection()?.getRangeAt(0);
    const rect = range?.getBoundingClientRect() ?? new DOMRect();
    this.menu.hidden = false;
    const { width, height } = this.menu.getBoundingClientRect();
    const below = rect.bottom + height + 12 < innerHeight;
    this.menu.style.setProperty("left", `${Math.max(8, Math.min(rect.left, innerWidth - width - 8))}px`);
    this.menu.style.setProperty("top", `${Math.max(8, below ? rect.bottom + 8 : rect.top - height - 8)}px`);
  }

  /** @param {Part} part */
  letters(part) {
    this.exact = null;
    this.editor.select(...part, true);
    this.show();
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

  /** Put the grips on the ends of the mention one is at. */
  moved() {
    if (!this.editor.extent) this.hide();
    const { editor, sheet } = this;
    const mention = editor.extent || editor.current === null ? null : editor.state.mentions.get(editor.current);
    const shown = mention && hasEnds(mention) && editor.session.layer.editable;
    for (const grip of this.grips) grip.hidden = !shown;
    if (!shown || editor.current === null) return;
    const rects = sheet.elementsOf(editor.current).flatMap((element) => [...element.getClientRects()]);
    const box = sheet.element.getBoundingClientRect();
    const ends = [rects[0], rects[rects.length - 1]];
    this.grips.forEach((grip, end) => {
      const rect = ends[end];
      if (!rect) return;
      grip.style.setProperty("left", `${(end ? rect.right : rect.left) - box.left}px`);
      grip.style.setProperty("top", `${rect.top - box.top}px`);
      grip.style.setProperty("height", `${rect.height}px`);
    });
  }

  /** Drag an end of the mention: to words, or with Alt to letters. @param {PointerEvent} event @param {number} end 0 the first, 1 the last */
  drag(event, end) {
    const { editor, sheet } = this;
    const id = editor.current;
    if (id === null) return;
    event.preventDefault();
    event.stopPropagation();
    const mention = editor.state.mention(id);
    const other = end ? startOf(mention) : endOf(mention);
    let reached = end ? endOf(mention) : startOf(mention);
    const move = (/** @type {PointerEvent} */ moved) => {
      const point = this.under(moved.clientX, moved.clientY);
      if (point === null) return;
      const { passage } = editor.session;
      const word = passage.wordAt(end ? Math.max(0, point - 1) : point);
      const snapped = moved.altKey ? point : end ? passage.end(word) : passage.start(word);
      if (end ? snapped <= other : snapped >= other) return;
      reached = snapped;
      const [from, to] = [sheet.nodeAt(Math.min(reached, other), false), sheet.nodeAt(Math.max(reached, other), true)];
      getSelection()?.setBaseAndExtent(from[0], from[1], to[0], to[1]);
    };
    const up = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      editor.session.act("extend", operations.extend(editor.state, id, [[Math.min(reached, other), Math.max(reached, other)]]));
      editor.go(id, true);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
  }

  /** The code point under the mouse. @param {number} x @param {number} y */
  under(x, y) {
    const grips = this.grips.map((grip) => [grip, grip.hidden]);
    for (const grip of this.grips) grip.hidden = true;
    const range = document.caretRangeFromPoint?.(x, y);
    for (const [grip, hidden] of grips) /** @type {HTMLElement} */ (grip).hidden = /** @type {boolean} */ (hidden);
    return range && this.sheet.blocks.contains(range.startContainer) ? this.sheet.pointAt(range.startContainer, range.startOffset) : null;
  }
}

/** Without white space at its ends. @param {import("./session.js").Passage} passage @param {Part} part @returns {Part} */
function trimmed(passage, [start, end]) {
  const text = passage.source.slice(start, end);
  const [before, after] = [/^\s*/.exec(text)?.[0].length ?? 0, /\s*$/.exec(text)?.[0].length ?? 0];
  return [start + before, end - after];
}
