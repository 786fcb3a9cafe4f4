// The text of a layer, drawn to be worked on: only rows whose marks moved are drawn again, the others change their
// dress.

import { isOpen, shownAnswer } from "./anaphora.js";
import { bdi, h } from "../shared/dom.js";
import { endOf, isZero, startOf } from "./state.js";
import { hue, lowest, marked, sentencesOf } from "../shared/text.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./state.js").Mention} Mention */
/** @typedef {import("./state.js").Change} Change */
/** @typedef {{ from: number, to: number, element: HTMLElement, text: HTMLElement, marks: Set<string> }} Row */
/** @typedef {{ start: number, end: number, id: string, final: boolean }} Piece */

const BLOCK_CHARACTERS = 8000;
const LONGEST_ANSWER = 28; // characters under a pronoun
const LINE = 24; // what one wants to see of what goes before and what comes after

/** What stands under a mark, its colour, and whether it recedes. */
export class Look {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.links = false;
    this.hideSingletons = false;
    /** Only these are shown, when there are any. @type {Set<string>} */
    this.only = new Set();
    /** @type {Map<string, number>} */
    this.numbers = new Map();
    /** @type {Map<string, string>} */
    this.names = new Map();
    /** Whether a mention breaks a rule of the typology. @type {(id: string) => boolean} */
    this.breaches = () => false;
    /** @type {Map<string, number>} */
    this.labels = new Map();
    for (const id of session.state.order) this.numberOf(session.state.mention(id).chain);
    for (const label of session.labels) this.labelled(label);
  }

  /** A chain keeps its number for the whole visit: nothing jumps. @param {string | null} chain */
  numberOf(chain) {
    if (chain === null) return 0;
    const known = this.numbers.get(chain) ?? this.numbers.size + 1;
    this.numbers.set(chain, known);
    return known;
  }

  /** @param {string} label */
  labelled(label) {
    const kind = label.split(".")[0];
    const known = this.labels.get(kind) ?? this.labels.size;
    this.labels.set(kind, known);
    return known;
  }

  /** @param {Mention} mention */
  hue(mention) {
    return mention.label ? this.labelHue(mention.label) : hue(this.numberOf(mention.chain) - 1);
  }

  /** The colour of a type: the one that the schema gives it, or one of its own. @param {string} label */
  labelHue(label) {
    return this.session.schema.hueOf(label) ?? hue(this.labelled(label));
  }

  /** The colour of a chain. @param {string} chain */
  chainHue(chain) {
    return hue(this.numberOf(chain) - 1);
  }

  /** What is written under a mention. @param {string} id @param {Mention} mention */
  below(id, mention) {
    if (this.session.task === "anaphora") return shortened(shownAnswer(this.session, id), LONGEST_ANSWER);
    if (this.session.labelled) return mention.label + (this.breaches(id) ? " ⚠" : "");
    if (mention.chain === null) return "?";
    if (!this.links) return String(this.numberOf(mention.chain));
    const members = this.session.state.members(mention.chain);
    const place = members.indexOf(id);
    const { state } = this.session;
    return place ? `↩\u00a0${state.place(members[place - 1]) + 1}` : `${state.place(id) + 1}`;
  }

  /** The type of the smallest entity around an extent, "" when there is none. @param {Mention} mention */
  around(mention) {
    const { state } = this.session;
    const [start, end] = [startOf(mention), endOf(mention)];
    let [length, label] = [Number.POSITIVE_INFINITY, ""];
    for (const other of state.mentions.values()) {
      const longer = endOf(other) - startOf(other);
      const holds = startOf(other) <= start && endOf(other) >= end && longer > end - start;
      if (holds && longer < length && !this.isComponent(other)) [length, label] = [longer, other.label];
    }
    return label;
  }

  /**
   * Whether a type is likely inside an entity of another: components are, where the typology lets them; outside, types.
   * @param {string} label
   * @param {string} around
   */
  fits(label, around) {
    const homes = this.session.schema.types.get(label)?.inside;
    if (!around || !homes) return !around === !homes;
    return !homes.length || homes.includes(around);
  }

  /** A part of an entity rather than one. @param {Mention} mention */
  isComponent(mention) {
    return this.session.schema.isComponent(mention.label);
  }

  /** @param {Mention} mention */
  single(mention) {
    return !mention.label && mention.chain !== null && this.session.state.size(mention.chain) < 2;
  }

  /** @param {Mention} mention */
  recedes(mention) {
    if (this.only.size) return mention.chain === null || !this.only.has(mention.chain);
    return this.hideSingletons && this.single(mention);
  }

  /** What was changed may be called otherwise now. @param {import("./state.js").Change[]} changes */
  forget(changes) {
    for (const [table, id, record] of changes) {
      if (table === "chains") this.names.delete(id);
      if (table === "mentions" && record?.chain) this.names.delete(record.chain);
    }
    if (!changes.length) this.names.clear();
  }

  /** How a chain is called. @param {string} chain */
  called(chain) {
    const known = this.names.get(chain) ?? this.nameOf(chain);
    this.names.set(chain, known);
    return known;
  }

  /** Its name, or its first mention that says something. @param {string} chain */
  nameOf(chain) {
    const { state, passage } = this.session;
    const name = state.chains.get(chain)?.name;
    if (name) return name;
    const members = state.members(chain).slice(0, 12).map((id) => passage.shown(state.mention(id)));
    const telling = members.find((shown) => /^\p{Lu}/u.test(shown) && shown.length > 3);
    const text = telling ?? members.reduce((best, shown) => (shown.length > best.length ? shown : best), "");
    return text.length > 60 ? `${text.slice(0, 59)}…` : text || "(empty)";
  }

  /**
   * What a mark is called by screen readers, in few words: there are many.
   * @param {Mention} mention
   * @param {string} [id]
   */
  spoken(mention, id = "") {
    if (this.session.task === "anaphora" && this.session.state.mentions.has(id))
      return `${mention.label} ${shownAnswer(this.session, id)}`;
    if (mention.label) return mention.label;
    return mention.chain === null ? "in no chain" : `chain ${this.numberOf(mention.chain)}`;
  }

  /** @param {Mention} mention */
  described(mention) {
    const kind = mention.features.kind ? `, ${mention.features.kind}` : "";
    if (mention.label) return mention.label + kind;
    if (mention.chain === null) return `in no chain${kind}`;
    return `chain ${this.numberOf(mention.chain)}: ${this.called(mention.chain)}${kind}`;
  }
}

export class EditSheet {
  /** @param {Session} session @param {Look} look */
  constructor(session, look) {
    this.session = session;
    this.look = look;
    /** @type {string | null} */
    this.current = null;
    /** Whether words are selected elsewhere. */
    this.left = false;
    /** @type {string | null} */
    this.lit = null;
    /** Mentions that were picked, to be split off or merged. @type {Set<string>} */
    this.picked = new Set();
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Map<Element, Row>} */
    this.byText = new Map();
    this.blocks = h("div", { class: "blocks" });
    this.element = h(
      "div",
      {
        class: "sheet editing",
        tabindex: "0",
        role: "group",
        "aria-label": "text: j and k go from mention to mention, ? tells all keys",
      },
      this.blocks,
    );
    this.drawAll();
  }

  drawAll() {
    const { passage } = this.session;
    const sentences = sentencesOf(passage.words, passage.sentences, []);
    this.rows = sentences.map((sentence, place) => {
      const text = h("div", { class: "text", dir: "auto" });
      const element = h(
        "div",
        { class: "sentence" },
        h("span", { class: "gutter" }, sentence.first ? sentence.number + 1 : ""),
        text,
      );
      const from = place ? passage.start(sentence.start) : 0;
      const to = place + 1 < sentences.length ? passage.start(sentences[place + 1].start) : passage.source.length;
      return { from, to, element, text, marks: new Set() };
    });
    this.byText = new Map(this.rows.map((row) => [row.text, row]));
    for (const [id, mention] of this.session.state.mentions) for (const row of this.rowsOf(mention)) row.marks.add(id);
    for (const row of this.rows) this.drawRow(row);
    this.blocks.replaceChildren(...this.inBlocks());
  }

  *inBlocks() {
    for (let at = 0; at < this.rows.length; ) {
      /** @type {HTMLElement[]} */
      const rows = [];
      const from = this.rows[at].from;
      let lines = 0;
      for (; at < this.rows.length && (this.rows[at].to - from < BLOCK_CHARACTERS || !rows.length); at += 1) {
        rows.push(this.rows[at].element);
        lines += Math.ceil((this.rows[at].to - this.rows[at].from) / 85);
      }
      yield h(
        "div",
        { class: "block", style: { "contain-intrinsic-size": `auto ${rows.length * 10 + lines * 38}px` } },
        rows,
      );
    }
  }

  /** @param {number} point */
  rowAt(point) {
    return this.rows[lowest(0, this.rows.length - 1, (place) => this.rows[place].to > point)];
  }

  /** Whether a place reads from left to right (1) or from right to left (-1). @param {number} point */
  directionAt(point) {
    return getComputedStyle(this.rowAt(point).text).direction === "rtl" ? -1 : 1;
  }

  /** @param {Mention} mention @returns {Set<Row>} */
  rowsOf(mention) {
    const found = new Set();
    for (const [start, end] of mention.parts) {
      const first = lowest(0, this.rows.length - 1, (place) => this.rows[place].to > start);
      const last = Math.max(end, start + 1);
      for (let at = first; at < this.rows.length && this.rows[at].from < last; at += 1) found.add(this.rows[at]);
    }
    return found;
  }

  /** @param {Row} row */
  drawRow(row) {
    const { state, passage } = this.session;
    /** @type {Piece[]} */
    const pieces = [...row.marks].flatMap((id) => {
      const { parts } = state.mention(id);
      return parts.map(([start, end], place) => ({ start, end, id, final: place === parts.length - 1 }));
    });
    const inside = pieces.filter(
      ({ start, end }) =>
        (start < row.to || row.to === passage.source.length) && (end > row.from || start === end && start >= row.from),
    );
    inside.sort(
      (a, b) => (a.start === a.end && b.start === b.end ? state.mention(a.id).order - state.mention(b.id).order : 0),
    );
    row.text.replaceChildren(
      ...marked(passage.source, row.from, row.to, inside, (piece, nodes, depth, last) => {
        const element = document.createElement("span"); // not by h(): there may be tens of thousands
        element.dataset.m = piece.id;
        if (last && piece.final && piece.end <= row.to) element.dataset.final = "";
        if (depth) element.style.setProperty("--inside", String(depth));
        this.dress(element, state.mention(piece.id));
        element.append(...nodes);
        return element;
      }),
    );
  }

  /** @param {HTMLElement} element @param {Mention} mention */
  dress(element, mention) {
    const id = element.dataset.m ?? "";
    const { look } = this;
    element.className =
      `m${this.isLoose(id, mention) ? " loose" : ""}${look.single(mention) ? " single" : ""}` +
      `${isZero(mention) ? " zero" : ""}${mention.parts.length > 1 ? " parted" : ""}` +
      `${look.recedes(mention) ? " off" : ""}${id === this.current ? (this.left ? " left" : " current") : ""}` +
      `${mention.chain !== null && mention.chain === this.lit ? " lit" : ""}` +
      `${this.picked.has(id) ? " picked" : ""}${look.isComponent(mention) ? " minor" : ""}`;
    element.style.setProperty("--h", String(look.hue(mention)));
    if (element.dataset.final !== undefined) element.dataset.below = look.below(id, mention);
    element.setAttribute("role", "group");
    element.setAttribute("aria-roledescription", "mention");
    element.setAttribute("aria-label", look.spoken(mention, id));
  }

  /** Whether something is still to be said of a mention. @param {string} id @param {Mention} mention */
  isLoose(id, mention) {
    if (this.session.task === "anaphora") return isOpen(this.session.state, id);
    return mention.chain === null && !mention.label;
  }

  /** The elements of a mention. @param {string} id @returns {HTMLElement[]} */
  elementsOf(id) {
    const mention = this.session.state.mentions.get(id);
    if (!mention) return [];
    const query = `[data-m="${CSS.escape(id)}"]`;
    return [...this.rowsOf(mention)].flatMap(
      (row) => [.../** @type {NodeListOf<HTMLElement>} */ (row.text.querySelectorAll(query))],
    );
  }

  /** @param {Iterable<string>} ids */
  restyle(ids) {
    for (const id of ids) {
      const mention = this.session.state.mentions.get(id);
      if (mention) for (const element of this.elementsOf(id)) this.dress(element, mention);
    }
  }

  /** Everything in its dress, when the look of all may have changed. */
  restyleAll() {
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (this.blocks.querySelectorAll(".m")))
      this.dress(element, this.session.state.mention(element.dataset.m ?? ""));
  }

  /** Draw what an event changed. @param {Change[]} changes @param {Change[]} inverse */
  update(changes, inverse) {
    const { state } = this.session;
    /** @type {Set<Row>} */
    const rows = new Set();
    /** @type {Set<string>} */
    const dressed = new Set();
    /** @type {Set<string>} */
    const chains = new Set();
    for (const [table, id, was] of inverse) {
      if (table === "relations") for (const relation of [was, state.relations.get(id)])
        if (relation) dressed.add(relation.source);
      if (table !== "mentions") continue;
      for (const [, { source }] of state.relationsTo(id)) dressed.add(source); // what it is called there
      const now = state.mentions.get(id) ?? null;
      for (const chain of [was?.chain, now?.chain]) if (chain) chains.add(chain);
      if (was && now && JSON.stringify(was.parts) === JSON.stringify(now.parts)) dressed.add(id);
      else {
        for (const row of was ? this.rowsOf(was) : []) rows.add(row) && row.marks.delete(id);
        for (const row of now ? this.rowsOf(now) : []) rows.add(row) && row.marks.add(id);
      }
    }
    for (const chain of chains)
      if (this.look.links || state.size(chain) <= 2) for (const id of state.sets.get(chain) ?? []) dressed.add(id);
    for (const row of rows) this.drawRow(row);
    this.restyle(dressed);
  }

  /** Words are selected now: the mention one comes from stands back. */
  leave() {
    if (this.left) return;
    this.left = true;
    this.restyle(this.current === null ? [] : [this.current]);
  }

  /**
   * Where the reader is, and the chain that is lit with it.
   * @param {string | null} id
   * @param {boolean} [seen] whether it need not be looked for
   */
  show(id, seen = false) {
    const { state } = this.session;
    this.left = false;
    const before = [this.current, ...(state.sets.get(this.lit ?? "") ?? [])];
    this.current = id;
    this.lit = id === null ? null : (state.mentions.get(id)?.chain ?? null);
    const after = [id, ...(state.sets.get(this.lit ?? "") ?? [])];
    this.restyle(new Set([...before, ...after].filter((one) => one !== null)));
    if (id !== null && !seen) this.reveal(this.elementsOf(id)[0]);
  }

  /**
   * Bring an element into the middle of the window, unless it can be seen already.
   * @param {Element | undefined} element
   */
  reveal(element) {
    if (!element) return;
    const { top, bottom } = element.getBoundingClientRect();
    const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement); // what the bars cover
    const seen = [
      Number.parseFloat(scrollPaddingTop) + LINE,
      innerHeight - Number.parseFloat(scrollPaddingBottom) - 3 * LINE,
    ];
    if (top < seen[0] || bottom > seen[1]) element.scrollIntoView({ block: "center" });
  }

  // Places: code points of the text, and nodes of the page.

  /** The code point at a place of the page. @param {Node} node @param {number} offset @returns {number | null} */
  pointAt(node, offset) {
    const element = node instanceof Element ? node : node.parentElement;
    const text = element?.closest(".text");
    const row = text && this.byText.get(text);
    if (!row) return null;
    const before = document.createRange();
    before.selectNodeContents(row.text);
    before.setEnd(node, offset);
    return this.session.passage.source.point(this.session.passage.source.unit(row.from) + before.toString().length);
  }

  /**
   * The node and offset of a code point.
   * @param {number} point
   * @param {boolean} ending whether it ends something
   * @returns {[Node, number]}
   */
  nodeAt(point, ending) {
    const { source } = this.session.passage;
    const row = this.rowAt(ending && point > 0 ? point - 1 : point);
    let left = source.unit(point) - source.unit(row.from);
    const walker = document.createTreeWalker(row.text, NodeFilter.SHOW_TEXT);
    /** @type {[Node, number]} */
    let place = [row.text, 0];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { length } = /** @type {Text} */ (node);
      place = [node, Math.min(left, length)];
      if (left < length || (ending && left === length)) break;
      left -= length;
    }
    return place;
  }

  /**
   * The mention at a place of the page: the innermost, or the one around the one that one is at.
   * @param {EventTarget | null} target
   * @param {string | null} current
   */
  markOf(target, current) {
    /** @type {string[]} */
    const around = [];
    let element = target instanceof Element && this.element.contains(target)
      ? /** @type {HTMLElement | null} */ (target.closest(".m"))
      : null;
    while (element) {
      around.push(element.dataset.m ?? "");
      element = /** @type {HTMLElement | null} */ (element.parentElement?.closest(".m") ?? null);
    }
    return around[around.indexOf(current ?? "") + 1] ?? around[0] ?? null;
  }
}

/** @param {string} text @param {number} longest */
const shortened = (text, longest) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** The sign of a chain: its number in its colour. @param {Look} look @param {string} chain */
export const chip = (look, chain) =>
  h("span", { class: "number-chip", style: { "--h": look.chainHue(chain) } }, look.numberOf(chain));

/** A chain with its name. @param {Look} look @param {string} chain */
export const chainLine = (look, chain) => [chip(look, chain), " ", bdi(look.called(chain))];
