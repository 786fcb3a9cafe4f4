// Where the annotator is and what they do: mentions, words, keys and the mouse. What is done goes through
// operations.js.

import {
  ANTECEDENT, candidates, EXPLETIVE, isPronoun, NONE, PRONOUN,
} from "./anaphora.js";
import { counted, toast } from "../shared/dom.js";
import * as operations from "./operations.js";
import { nextProposal } from "./proposals.js";
import { endOf, isZero, startOf } from "./state.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./sheet.js").EditSheet} EditSheet */
/** @typedef {import("./sheet.js").Look} Look */
/** @typedef {import("./state.js").Mention} Mention */
/** @typedef {import("./state.js").Part} Part */
/** @typedef {{ anchor: number, focus: number }} Extent two ends in code points, the second one moves */
/**
 * @typedef {{ chain: string | null, label: string, why: string, part?: Part, id?: string | null }} Choice what a digit
 * takes: a chain, a type, or an antecedent with its words
 */
/**
 * @typedef {{ keys: string[], does: string, edits?: boolean, run: (editor: Editor, event: KeyboardEvent) => unknown }}
 * Command
 */

const DIGITS = "123456789";

export class Editor {
  /**
   * @param {Session} session
   * @param {Look} look
   * @param {EditSheet} sheet
   * @param {{ moved: () => void, search: () => void, describe: () => void, help: () => void, links: () => void,
   *   discuss: () => void, relate: (source: string, target: string) => void,
   *   correct: (operation: "split" | "join" | "sentence", part: Part) => void,
   *   predicted: (how: "next" | "accept" | "reject" | "acceptSeen" | "undone") => void }} on
   */
  constructor(session, look, sheet, on) {
    this.session = session;
    this.look = look;
    this.sheet = sheet;
    this.on = on;
    /** @type {string | null} */
    this.current = null;
    /** @type {Extent | null} */
    this.extent = null;
    /**
     * The mention that the extent is for: to be given another one, or a part more.
     * @type {{ id: string, adds: boolean } | null}
     */
    this.reshaping = null;
    /** The mention that waits for its antecedent. @type {string | null} */
    this.linking = null;
    /** @type {{ where: string, state: import("./state.js").State | null, choices: Choice[] }} */
    this.offered = { where: "", state: null, choices: [] };
    /** Whether the selected words get one more tag. */
    this.adding = false;
    /** The words that have a tag, and the state of which that was found. */
    this.tagged = { folds: -1, words: new Set() };
    /** Whether what is selected was proposed. */
    this.proposing = false;
    /** Whether the next key is a letter to go to. */
    this.finding = false;
  }

  get state() {
    return this.session.state;
  }

  /** The mention the annotator is at, or what would become one. @returns {Mention | null} */
  mention() {
    const part = this.part();
    if (part && !this.reshaping) return { parts: [part], order: 0, chain: null, features: {}, label: "" };
    return this.current === null ? null : (this.state.mentions.get(this.current) ?? null);
  }

  /** The words that are selected. @returns {Part | null} */
  part() {
    if (!this.extent) return null;
    const { anchor, focus } = this.extent;
    return [Math.min(anchor, focus), Math.max(anchor, focus)];
  }

  // Going from place to place

  /**
   * @param {string | null} id
   * @param {boolean} [seen] whether it was pointed at, so that nothing needs to be scrolled
   */
  go(id, seen = false) {
    this.current = id;
    this.extent = null;
    this.reshaping = null;
    this.proposing = false;
    this.adding = false;
    getSelection()?.removeAllRanges();
    this.sheet.show(id, seen);
    this.on.moved();
  }

  /** The mention so many steps further on. @param {number} by */
  step(by) {
    const { order } = this.state;
    if (!order.length) return;
    const part = this.part();
    const from = part
      ? this.state.placeFrom(part[0]) - (by > 0 ? 1 : 0)
      : this.current === null
      ? (by > 0 ? -1 : order.length)
      : this.state.place(this.current);
    let place = from + by;
    // what is not shown is passed over
    while (order[place] !== undefined && this.look.recedes(this.state.mention(order[place]))) place += by;
    if (order[place] !== undefined) this.go(order[place]);
  }

  /** The next mention that is in no chain yet. @param {number} from a place in the order of reading */
  nextLoose(from) {
    const { order } = this.state;
    const loose = (/** @type {string} */ id) => this.sheet.isLoose(id, this.state.mention(id));
    const later = order.findIndex((id, place) => place >= from && loose(id));
    return later >= 0 ? order[later] : (order.find(loose) ?? null);
  }

  /**
   * After a mention was grouped: the next one that is not, or the next one when this was a correction.
   * @param {boolean} corrected
   */
  goOn(corrected) {
    if (this.current === null) return;
    const place = this.state.place(this.current) + 1;
    const next = corrected ? (this.state.order[place] ?? null) : this.nextLoose(place);
    if (next === null) toast("every mention is in a chain");
    this.go(next ?? this.current);
  }

  // Selecting words

  /** Where words are selected from: the selection, the mention, the top of what is seen. */
  caret() {
    const part = this.part();
    if (part) return part;
    const mention = this.current === null ? null : this.state.mentions.get(this.current);
    return mention ? /** @type {Part} */ ([startOf(mention), endOf(mention)]) : /** @type {Part} */ ([-1, -1]);
  }

  /** @param {number} anchor @param {number} focus @param {boolean} [seen] whether it was selected on the page itself */
  select(anchor, focus, seen = false) {
    this.extent = { anchor, focus };
    this.sheet.leave();
    const [start, end] = /** @type {Part} */ (this.part());
    const [first, last] = [this.sheet.nodeAt(start, false), this.sheet.nodeAt(end, true)];
    getSelection()?.setBaseAndExtent(first[0], first[1], last[0], last[1]);
    if (!seen) this.sheet.reveal(first[0].parentElement ?? undefined);
    this.on.moved();
  }

  /** @param {number} word */
  selectWord(word) {
    this.proposing = false;
    this.adding = false;
    const { passage } = this.session;
    if (word < 0 || word >= passage.words) return;
    this.select(passage.start(word), passage.end(word));
  }

  /** 1 where the text reads from left to right, -1 where from right to left: arrows move as one sees it. */
  direction() {
    return this.sheet.directionAt(Math.max(0, this.caret()[0]));
  }

  /** The word after or before where we are. @param {number} by */
  stepWord(by) {
    const { passage } = this.session;
    const [start, end] = this.caret();
    const [first, last] = [passage.wordAt(start), passage.wordAt(end - 1)];
    if (start < 0) this.selectWord(0);
    else if (by > 0) this.selectWord(passage.wordAt(end));
    else if (!this.extent && first < last) this.selectWord(last); // into the mention, from behind
    else this.selectWord(first - 1);
  }

  /** The moving end of the selection, a word or a letter further. @param {number} by @param {boolean} letters */
  stretch(by, letters) {
    const [start, end] = this.caret();
    if (start < 0 || (!this.extent && !letters)) this.stepWord(by);
    else if (letters) this.select(this.extent?.anchor ?? start, this.nextLetter(this.extent?.focus ?? end, by));
    else this.stretchWords(by, start, end);
  }

  /** @param {number} by @param {number} start @param {number} end */
  stretchWords(by, start, end) {
    const { passage } = this.session;
    const [first, last] = [passage.wordAt(start), passage.wordAt(end - 1)];
    const leftwards = this.extent !== null && this.extent.focus < this.extent.anchor;
    if (by > 0 && leftwards && first < last) this.select(end, passage.start(first + 1));
    else if (by > 0) this.select(start, passage.end(Math.min(last + 1, passage.words - 1)));
    else if (!leftwards && first < last) this.select(start, passage.end(last - 1));
    // back over its only word, the selection goes on to the left
    else this.select(end, passage.start(Math.max(first - 1, 0)));
  }

  /** A letter further, marks above letters counted with them. @param {number} point @param {number} by */
  nextLetter(point, by) {
    const { source } = this.session.passage;
    let next = point + by;
    while (next > 0 && next < source.length && /^\p{M}/u.test(source.slice(next, next + 1))) next += by;
    return Math.max(0, Math.min(source.length, next));
  }

  /** @param {string} letter */
  findWord(letter) {
    const { passage } = this.session;
    const [, end] = this.caret();
    for (let word = end < 0 ? 0 : passage.wordAt(end); word < passage.words; word += 1)
      if (
        passage.source.slice(passage.start(word), passage.start(word) + 1).toLowerCase() === letter.toLowerCase()
      ) return this.selectWord(word);
    toast(`no word with ${letter} further on`);
  }

  /** Select what looks like the next mention. */
  propose() {
    const here = this.caret();
    const next = nextProposal(this.session, Math.max(0, here[0]), here);
    if (next) this.select(...next);
    else toast("nothing further on looks like a mention");
    this.proposing = next !== null;
  }

  // What digits take

  /** What digits take here, worked out once for every place and state. @returns {Choice[]} */
  choices() {
    const where = `${this.state.folds} ${this.current} ${this.part()}`;
    if (
      this.offered.where !== where || this.offered.state !== this.state
    ) this.offered = { where, state: this.state, choices: this.likely() };
    return this.offered.choices;
  }

  /** @returns {Choice[]} */
  likely() {
    const mention = this.mention();
    if (!mention) return [];
    if (this.session.task === "anaphora") return this.antecedents(mention);
    if (this.session.labelled) return this.labels(mention);
    const own = mention.chain;
    return this.session.ranking.chains(mention, this.extent ? null : this.current)
      .filter(({ chain }) => chain !== own)
      .slice(0, 9)
      .map(({ chain, why }) => ({ chain, label: this.look.called(chain), why }));
  }

  /**
   * Types of entities: those that fit here first, of them those of the same string, then the frequent ones, then as the
   * typology has them.
   * @param {Mention} mention
   * @returns {Choice[]}
   */
  labels(mention) {
    const shown = this.session.passage.shown(mention).toLowerCase();
    const around = this.look.around(mention);
    /** @type {Map<string, number>} */
    const worth = new Map(
      this.session.labels.map((label, place) => [label, (this.look.fits(label, around) ? 1e4 : 0) - place / 1000]),
    );
    for (const other of this.state.mentions.values())
      worth.set(
        other.label,
        (worth.get(other.label) ?? 0) + 1 + (this.session.passage.shown(other).toLowerCase() === shown ? 1e6 : 0),
      );
    return [...worth]
      .filter(([label]) => label && label !== mention.label)
      .sort((a, b) => b[1] - a[1])
      .slice(0, 9)
      .map(([label, score]) => ({ chain: null, label, why: score >= 1e6 ? "same string" : "" }));
  }

  /** @param {Choice | undefined} choice */
  take(choice) {
    if (!choice) return;
    if (choice.part) this.resolve(choice.part, choice.id ?? null);
    else if (this.session.labelled) this.type(choice.label);
    else if (choice.chain !== null) this.group(choice.chain, "attach");
  }

  /** Into a chain: the mention, or the selection as a new mention. @param {string} chain @param {string} operation */
  group(chain, operation) {
    const part = this.part();
    if (part && !this.reshaping) return this.markNow([part], { chain });
    if (this.current === null) return;
    const was = this.state.mention(this.current).chain;
    this.session.act(was ? "move" : operation, operations.attach(this.state, [this.current], chain));
    this.goOn(was !== null);
  }

  /** A new chain; where there are none, a type to be searched, or a pronoun that refers to nothing in the text. */
  begin() {
    if (this.session.task === "anaphora") this.settle(NONE);
    else if (this.session.labelled) this.on.search();
    else this.newChain();
  }

  newChain() {
    this.group(operations.newId("c"), "new chain");
  }

  /** A type for the entity, or the selection as an entity of it. @param {string} label */
  type(label) {
    const part = this.part();
    if (this.session.task === "tagging" && part && !this.reshaping) return this.tag(part, label);
    if (this.session.task === "anaphora" && !this.reshaping) return this.settle(label);
    if (part && !this.reshaping) return this.markNow([part], { label });
    if (this.current !== null) this.session.act("describe", operations.describe(this.state, [this.current], { label }));
  }

  // Tags

  /** The mentions of exactly these words. @param {Part} part @returns {string[]} */
  mentionsAt([start, end]) {
    const found = [];
    for (let place = this.state.placeFrom(start); place < this.state.order.length; place += 1) {
      const mention = this.state.mention(this.state.order[place]);
      if (startOf(mention) > start) break;
      if (endOf(mention) === end && !isZero(mention)) found.push(this.state.order[place]);
    }
    return found;
  }

  /**
   * A tag for words, in the place of those that they have unless one more was asked for; then on to the next word.
   * @param {Part} part
   * @param {string} label
   */
  tag(part, label) {
    const known = this.adding ? [] : this.mentionsAt(part);
    const again = this.adding;
    this.adding = false;
    const id = operations.newId("m");
    const changes = known.length
      ? operations.relabel(this.state, known, label)
      : operations.mark(this.state, id, [part], { label });
    this.session.act(known.length ? "describe" : "mark", changes);
    const next = known.length || again ? null : this.nextUntagged(part[1]);
    if (next === null) this.go(known[0] ?? id);
    else this.selectWord(next);
  }

  /** The words that have a tag, alone or in a compound. */
  taggedWords() {
    const { state, tagged } = this;
    if (tagged.folds !== state.folds) {
      const { passage } = this.session;
      tagged.words = new Set();
      tagged.folds = state.folds;
      for (const mention of state.mentions.values())
        for (const [start, end] of mention.parts)
          for (let word = passage.wordAt(start); word < passage.words && passage.start(word) < end; word += 1)
            tagged.words.add(word);
    }
    return tagged.words;
  }

  /** The words without a tag. @returns {number[]} */
  untagged() {
    const words = this.taggedWords();
    return Array.from({ length: this.session.passage.words }, (_, word) => word).filter((word) => !words.has(word));
  }

  /** The next word without a tag, from a place on and then from the beginning. @param {number} point */
  nextUntagged(point) {
    const open = this.untagged();
    const here = this.session.passage.wordAt(point);
    return open.find((word) => word >= here) ?? open[0] ?? null;
  }

  /** To the next place where something is to be said. @returns {boolean} whether there is one */
  goToOpen() {
    if (this.session.task === "tagging") {
      const next = this.nextUntagged(Math.max(0, this.caret()[1]));
      if (next !== null) this.selectWord(next);
      return next !== null;
    }
    const next = this.nextLoose(this.current === null ? 0 : this.state.place(this.current) + 1);
    if (next === null || next === this.current) return false;
    this.go(next);
    return true;
  }

  // Pronouns

  /** What a pronoun may refer to. @param {Mention} mention @returns {Choice[]} */
  antecedents(mention) {
    const id = this.extent ? null : this.current;
    return candidates(this.session, mention, id).map(({ part, id: known, why }) => ({
      chain: null, part, id: known, why, label: this.session.passage.shown({ ...mention, parts: [part] }),
    }));
  }

  /** What is annotated here, to be marked on the way when it is not yet. @param {string} label */
  pronounHere(label) {
    const part = this.part();
    if (part) return { id: this.mentionsAt(part)[0] ?? operations.newId("m"), parts: [part], label };
    return this.current === null ? null : { id: this.current, parts: [], label };
  }

  /**
   * The pronoun here refers to these words; what it refers to already stays.
   * @param {Part} part
   * @param {string | null} id of the antecedent, when it is marked
   */
  resolve(part, id) {
    const pronoun = this.pronounHere(PRONOUN);
    if (!pronoun) return;
    const target = { id: id ?? this.mentionsAt(part)[0] ?? operations.newId("m"), parts: [part], label: "" };
    if (!this.state.mentions.has(target.id)) target.label = ANTECEDENT;
    this.answer("antecedent", pronoun.id, operations.tie(
      this.state, operations.newId("r"), ANTECEDENT, pronoun, target,
    ));
  }

  /** The mention here is of a type; a pronoun that refers to nothing has no antecedent. @param {string} label */
  settle(label) {
    const pronoun = this.pronounHere(label);
    if (!pronoun) return;
    const keeps = label === PRONOUN && this.state.mentions.has(pronoun.id);
    const changes = keeps
      ? operations.describe(this.state, [pronoun.id], { label })
      : operations.untie(this.state, ANTECEDENT, pronoun);
    this.answer(label, pronoun.id, changes);
  }

  /** @param {string} operation @param {string} id @param {import("./state.js").Change[]} changes */
  answer(operation, id, changes) {
    const { proposing } = this;
    if (!this.session.act(operation, changes)) return;
    this.go(id);
    if (proposing) this.propose();
  }

  /** The pronoun refers to nothing that is known yet: it waits for an answer. */
  reopen() {
    if (this.current === null || !isPronoun(this.state.mention(this.current))) return;
    this.answer("reopen", this.current, operations.untie(
      this.state, ANTECEDENT, { id: this.current, parts: [], label: PRONOUN },
    ));
  }

  /**
   * A new mention; when it was proposed, on to the next proposal.
   * @param {Part[]} parts
   * @param {{ chain?: string | null, label?: string }} about
   */
  markNow(parts, about) {
    const id = operations.newId("m");
    const features = this.usualFeatures(parts);
    const { proposing } = this;
    if (!this.session.act("mark", operations.mark(this.state, id, parts, { ...about, features }))) return;
    this.go(id);
    if (proposing) this.propose();
  }

  /** The kind that the same words had before. @param {Part[]} parts @returns {Record<string, string>} */
  usualFeatures(parts) {
    const shown = this.session.passage.shown({ parts, order: 0, chain: null, features: {}, label: "" }).toLowerCase();
    for (const other of this.state.mentions.values())
      if (
        other.features.kind && this.session.passage.shown(other).toLowerCase() === shown
      ) return { kind: other.features.kind };
    return {};
  }

  // What else is done

  /** Correct the words or sentences of the text. @param {"split" | "join" | "sentence"} operation */
  correct(operation) {
    const part = this.caret();
    if (part[0] < 0) return toast("select words first: ← → and Shift");
    this.on.correct(operation, part);
  }

  mark() {
    const part = this.part();
    if (!part) return toast("select words first: ← → and Shift");
    if (this.reshaping) {
      const { id, adds } = this.reshaping;
      this.session.act(
        "extend",
        operations.extend(this.state, id, adds ? [...this.state.mention(id).parts, part] : [part]),
      );
      return this.go(id);
    }
    if (this.session.task === "anaphora")
      return this.markNow([part], { label: this.session.pronouns.has(part.join()) ? PRONOUN : ANTECEDENT });
    const label = this.session.labelled ? this.choices()[0]?.label : "";
    if (label === undefined) return this.on.search();
    if (this.session.labelled) return this.type(label);
    return this.markNow([part], { label });
  }

  unmark() {
    if (this.current === null || this.extent) return this.go(this.current);
    const place = this.state.place(this.current);
    const id = this.current;
    this.current = null;
    this.session.act("unmark", operations.unmark(this.state, [id]));
    this.go(this.state.order[place] ?? this.state.order[place - 1] ?? null);
  }

  /** Give the mention another extent, or a part more. @param {boolean} adds */
  reshape(adds) {
    if (this.current === null || this.extent) return;
    const mention = this.state.mention(this.current);
    if (isZero(mention)) return toast("a zero has a place and no words: unmark it and mark another");
    this.reshaping = { id: this.current, adds };
    if (adds) this.stepWord(1);
    else this.select(startOf(mention), endOf(mention));
  }

  /** Select the words of the mention, to be marked once more: metonymy is two types on the same words. */
  again() {
    const mention = this.current === null || this.extent ? null : this.state.mention(this.current);
    if (mention && !isZero(mention)) this.select(startOf(mention), endOf(mention));
    this.adding = this.session.task === "tagging" && this.extent !== null;
  }

  zero() {
    const [start] = this.caret();
    if (start >= 0 && !this.session.labelled) this.markNow([[start, start]], {});
  }

  detach() {
    if (this.current === null) return;
    this.session.act("detach", operations.detach(this.state, [this.current]));
  }

  /** Pick a mention, for splitting and merging, or let it go. */
  pick() {
    if (this.current === null) return;
    if (!this.sheet.picked.delete(this.current)) this.sheet.picked.add(this.current);
    this.sheet.restyle([this.current]);
    this.on.moved();
  }

  split() {
    const picked = [...this.sheet.picked].filter((id) => this.state.mentions.has(id));
    const ids = picked.length ? picked : this.current === null ? [] : [this.current];
    this.dropPicked();
    const chain = operations.newId("c");
    if (ids.length && this.session.act("split", operations.split(this.state, ids, chain))) toast(
      `${counted(ids.length, "mention")} split off as chain ${this.look.numberOf(chain)}`,
    );
  }

  merge() {
    const picked = [...this.sheet.picked, this.current].flatMap(
      (id) => (id === null ? [] : [this.state.mentions.get(id)?.chain ?? null]),
    );
    const chains = [...new Set(picked)].filter((chain) => chain !== null);
    if (chains.length < 2) return toast("pick mentions of two chains first, with v");
    this.dropPicked();
    this.mergeChains(chains);
  }

  /** @param {string[]} chains the lowest number stays */
  mergeChains(chains) {
    const [target, ...others] = [...chains].sort((a, b) => this.look.numberOf(a) - this.look.numberOf(b));
    if (this.session.act("merge", operations.merge(this.state, target, others))) toast(
      `merged into chain ${this.look.numberOf(target)}: ${counted(this.state.size(target), "mention")}`,
    );
  }

  dropPicked() {
    const ids = [...this.sheet.picked];
    this.sheet.picked.clear();
    this.sheet.restyle(ids);
  }

  /** Say that two mentions corefer: the first press remembers the anaphor, Enter takes the antecedent. */
  beginLink() {
    if (this.session.task === "anaphora" && this.part()) this.mark();
    this.linking = this.current;
    if (this.linking) toast("go to the antecedent and press Enter");
    this.on.moved();
  }

  finishLink() {
    if (this.linking && this.session.labelled) this.finishRelation(this.linking);
    else if (this.linking && this.current && this.linking !== this.current && this.state.mentions.has(this.linking)) {
      const changes = operations.link(this.state, this.linking, this.current, operations.newId("c"));
      const anaphor = this.linking;
      this.linking = null;
      this.session.act("link", changes);
      this.go(anaphor);
    } else this.on.describe();
  }

  /** What was gone to, or selected, is the antecedent of the pronoun that waits for one. @param {string} source */
  finishRelation(source) {
    const part = this.part();
    const target = part ? (this.mentionsAt(part)[0] ?? operations.newId("m")) : this.current;
    this.linking = null;
    const record = this.state.mentions.get(source);
    if (!target || target === source || !record) return;
    if (this.session.task !== "anaphora") return this.on.relate(source, target);
    const ends = { id: target, parts: part ? [part] : [], label: this.state.mentions.has(target) ? "" : ANTECEDENT };
    this.answer("antecedent", source, operations.tie(
      this.state, operations.newId("r"), ANTECEDENT, { id: source, parts: record.parts, label: PRONOUN }, ends,
    ));
  }

  cut() {
    if (this.session.task === "anaphora") return this.reopen();
    const chain = operations.newId("c");
    if (
      this.current !== null && this.session.act("cut", operations.cut(this.state, this.current, chain))
    ) toast(`from here on chain ${this.look.numberOf(chain)}`);
    else toast("nothing to cut before the first mention of a chain");
  }

  /** @param {"undo" | "redo"} way */
  async back(way) {
    try {
      this.on.predicted("undone");
      const changes = await this.session[way]();
      if (changes) this.goToChanged(changes);
      else toast(`nothing to ${way}`);
    } catch {
      toast(`what was done in another visit can be taken back when the network is there`);
    }
  }

  /**
   * Where something changed is where one wants to be: at the first mention of it, when it is still one.
   * @param {import("./state.js").Change[]} changes
   */
  goToChanged(changes) {
    const here = changes.flatMap(([table, id]) => (table === "mentions" && this.state.mentions.has(id) ? [id] : []));
    const first = here.sort((a, b) => this.state.compared(a, b))[0];
    this.go(first ?? this.current);
  }

  escape() {
    this.finding = false;
    this.linking = null;
    if (this.sheet.picked.size) this.dropPicked();
    this.go(this.current);
  }

  // Keys

  /**
   * A key, wherever on the page one is but where one types; beside the text, buttons and lists keep Enter, Tab and
   * arrows.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("dialog, select, textarea, input:not([type='checkbox'])")) return;
    const beside = !this.sheet.element.contains(target);
    if (beside && (event.key.length > 1 || event.key === " ")) return;
    if (this.finding && event.key.length === 1) {
      event.preventDefault();
      this.finding = false;
      this.findWord(event.key);
      return;
    }
    const label = this.session.schema.byKey.get(pressed(event));
    const command = label === undefined
      ? COMMANDS.find(({ keys }) => keys.includes(pressed(event)))
      : { keys: [], does: "", edits: true, run: () => this.type(label) };
    if (!command) return;
    if (command.edits && !this.session.layer.editable) toast("this layer is read only");
    else if (command.run(this, event) === UNHANDLED) return;
    event.preventDefault();
    event.stopPropagation();
    if (beside && document.activeElement === target) this.sheet.element.focus({ preventScroll: true });
  }
}

const UNHANDLED = Symbol("not for us");

/** A key with what is held down. @param {KeyboardEvent} event */
function pressed(event) {
  const control = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  const shift = event.shiftKey && (event.key.length > 1 || control) ? "Shift+" : "";
  const key = event.key.length === 1 && control ? event.key.toLowerCase() : event.key;
  return control + (event.altKey ? "Alt+" : "") + shift + key;
}

/** Every key: what it is, what it does. The help is made of it. @type {Command[]} */
export const COMMANDS = [
  { keys: ["j", "ArrowDown"], does: "next mention", run: (editor) => editor.step(1) },
  { keys: ["k", "ArrowUp"], does: "previous mention", run: (editor) => editor.step(-1) },
  {
    keys: ["Tab"],
    does: "next mention that is in no chain, word without a tag, pronoun without an answer",
    run: (editor) => (editor.goToOpen() ? undefined : UNHANDLED),
  },
  {
    keys: [...DIGITS],
    does: "take the chain (or type, or antecedent) with this rank in the list, whatever its own number, and go on",
    edits: true,
    run: (editor, event) => editor.take(editor.choices()[Number(event.key) - 1]),
  },
  {
    keys: ["n"],
    does: "new chain, and go on; a pronoun that refers to nothing in the text",
    edits: true,
    run: (editor) => editor.begin(),
  },
  {
    keys: ["w"],
    does: "an expletive: a pronoun that refers to nothing, such as the one of the weather",
    edits: true,
    run: (editor) => (editor.session.task === "anaphora" ? editor.settle(EXPLETIVE) : UNHANDLED),
  },
  { keys: ["/"], does: "search a chain (or type a type)", run: (editor) => editor.on.search() },
  {
    keys: ["p"],
    does: "select what looks like the next mention; marked, on to the next",
    run: (editor) => editor.propose(),
  },
  {
    keys: ["ArrowRight"],
    does: "select the next word",
    run: (editor) => editor.stepWord(editor.direction()),
  },
  {
    keys: ["ArrowLeft"],
    does: "select the word before (of a longer mention, its last word)",
    run: (editor) => editor.stepWord(-editor.direction()),
  },
  {
    keys: ["Shift+ArrowRight"],
    does: "select a word more",
    run: (editor) => editor.stretch(editor.direction(), false),
  },
  {
    keys: ["Shift+ArrowLeft"],
    does: "select a word less, or one more to the left",
    run: (editor) => editor.stretch(-editor.direction(), false),
  },
  {
    keys: ["Alt+Shift+ArrowRight"],
    does: "select a letter more",
    run: (editor) => editor.stretch(editor.direction(), true),
  },
  {
    keys: ["Alt+Shift+ArrowLeft"],
    does: "select a letter less",
    run: (editor) => editor.stretch(-editor.direction(), true),
  },
  {
    keys: ["f"],
    does: "then a letter: select the next word that begins with it",
    run: (editor) => {
      editor.finding = true;
    },
  },
  {
    keys: ["m"],
    does: "mark the selected words (or take them as the new extent)",
    edits: true,
    run: (editor) => editor.mark(),
  },
  { keys: ["e"], does: "change the extent: select, then m", edits: true, run: (editor) => editor.reshape(false) },
  { keys: ["+"], does: "one more part: select, then m", edits: true, run: (editor) => editor.reshape(true) },
  {
    keys: ["t"],
    does: "the same words too: as another mention, or with another type or tag (metonymy, ambiguity)",
    edits: true,
    run: (editor) => editor.again(),
  },
  { keys: ["z"], does: "mark a zero (∅) before the word", edits: true, run: (editor) => editor.zero() },
  { keys: ["x", "Delete"], does: "unmark the mention", edits: true, run: (editor) => editor.unmark() },
  { keys: ["d"], does: "take the mention out of its chain", edits: true, run: (editor) => editor.detach() },
  { keys: ["v"], does: "pick the mention, for s and g", run: (editor) => editor.pick() },
  { keys: ["s"], does: "split: what is picked becomes a chain", edits: true, run: (editor) => editor.split() },
  { keys: ["g"], does: "merge the chains of what is picked", edits: true, run: (editor) => editor.merge() },
  {
    keys: ["b"],
    does: "link, or relate: then go to the antecedent, or select it, and Enter", 
    edits: true,
    run: (editor) => editor.beginLink(),
  },
  {
    keys: ["y"],
    does: "cut the link before the mention; the pronoun has no answer yet",
    edits: true,
    run: (editor) => editor.cut(),
  },
  { keys: ["l"], does: "classes or links", run: (editor) => editor.on.links() },
  { keys: ["Enter", "i"], does: "kind and features of the mention", run: (editor) => editor.finishLink() },
  { keys: ["u", "Ctrl+z"], does: "undo", edits: true, run: (editor) => editor.back("undo") },
  { keys: ["U", "Ctrl+y", "Ctrl+Shift+z"], does: "redo", edits: true, run: (editor) => editor.back("redo") },
  { keys: ["o"], does: "next prediction of the system", run: (editor) => editor.on.predicted("next") },
  { keys: ["a"], does: "accept the prediction", edits: true, run: (editor) => editor.on.predicted("accept") },
  { keys: ["r"], does: "reject the prediction", edits: true, run: (editor) => editor.on.predicted("reject") },
  {
    keys: ["A"],
    does: "accept all predictions on the screen",
    edits: true,
    run: (editor) => editor.on.predicted("acceptSeen"),
  },
  {
    keys: ["J"],
    does: "the selected words are one word (for all layers of a plain text)",
    run: (editor) => editor.correct("join"),
  },
  {
    keys: ["|"],
    does: "a word is cut where the selected letters begin and end (for all layers of a plain text)",
    run: (editor) => editor.correct("split"),
  },
  {
    keys: ["S"],
    does: "a sentence begins at the word, or no longer does (for all layers of a plain text)",
    run: (editor) => editor.correct("sentence"),
  },
  { keys: ["c"], does: "comment on the mention or the selection", run: (editor) => editor.on.discuss() },
  { keys: ["Escape"], does: "leave the selection", run: (editor) => editor.escape() },
  { keys: ["?"], does: "this help", run: (editor) => editor.on.help() },
];

/** Whether a mention shows something that can be dragged. @param {Mention} mention */
export const hasEnds = (mention) => !isZero(mention) && mention.parts.length === 1;
