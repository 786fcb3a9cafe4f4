// A visit to a layer: its text, its state, what can be undone, and the queue of what is on its way to the server.

import { answered, leftBehind, Queue } from "./queue.js";
import { Schema } from "./schema.js";
import { State } from "./state.js";
import { Ranking } from "./suggestions.js";
import { Characters, lowest } from "../shared/text.js";

/** @typedef {import("./state.js").Change} Change */
/** @typedef {import("./queue.js").Waiting} Waiting */
/** @typedef {{ id: string, name: string, kind: string, author: string, visible?: boolean }} Sibling */
/**
 * @typedef {object} LayerAnswer
 * @property {{ id: string | number, name: string, kind: string, author: string, version: number, done: boolean, task:
 * string, editable: boolean, siblings: Sibling[], back?: string }} layer
 * @property {{ id: string, name?: string, characters: string, tokens: number[], sentences: number[], task: string }}
 * text
 * @property {import("./state.js").PlainState} state
 * @property {number[]} undo
 * @property {number[]} redo
 * @property {import("./schema.js").PlainSchema | null} [schema]
 * @property {string[]} kinds
 * @property {import("./suggestions.js").Lexical | null} [lexical]
 * @property {number[]} [proposals] starts and ends of what may be mentions
 * @property {number[]} [candidates] starts and ends of what may be antecedents
 * @property {import("./rules.js").Broken[]} [broken]
 */
/**
 * What can be undone or redone: an event of this visit with its changes both ways, or the version of an earlier one.
 * @typedef {{ id?: string, version?: number, back?: Change[], again?: Change[] }} Done
 */
/** @typedef {(changes: Change[], inverse: Change[]) => void} Listener */

const MOMENT = 250; // milliseconds

/** A text as it is annotated. */
export class Passage {
  /** @param {{ characters: string, tokens: number[], sentences: number[], components?: string[] }} text */
  constructor(text) {
    /** The labels that are parts of entities rather than types. */
    this.components = new Set(text.components);
    this.source = new Characters(text.characters);
    this.tokens = text.tokens;
    this.sentences = text.sentences;
    this.words = text.tokens.length / 2;
  }

  /** @param {number} word */
  word(word) {
    return this.source.slice(this.start(word), this.end(word));
  }

  /** The first code point of a word. @param {number} word */
  start(word) {
    return this.tokens[word * 2] ?? this.source.length;
  }

  /** The code point after a word. @param {number} word */
  end(word) {
    return this.tokens[word * 2 + 1] ?? this.source.length;
  }

  /** The first word that ends after a code point: the one there, or the next. @param {number} point */
  wordAt(point) {
    return lowest(0, this.words, (word) => this.end(word) > point);
  }

  /** The characters of a mention, in one line. @param {import("./state.js").Mention} mention */
  shown(mention) {
    const { parts } = mention;
    if (parts[0][0] === parts[0][1]) return "∅";
    return parts.map(([start, end]) => this.source.slice(start, end).replace(/\s+/g, " ")).join(" … ");
  }
}

/** Starts and ends, one after the other, as parts. @param {number[]} flat @returns {import("./state.js").Part[]} */
const partsOf = (flat) =>
  Array.from({ length: flat.length / 2 }, (_, place) => [flat[place * 2] ?? 0, flat[place * 2 + 1] ?? 0]);

export class Session {
  /** @param {string} api @param {LayerAnswer} answer */
  constructor(api, answer) {
    this.api = api;
    this.layer = answer.layer;
    this.title = answer.text.name ?? answer.layer.name;
    this.task = answer.text.task;
    /** Whether mentions have labels, and no chains. */
    this.labelled = this.task !== "coref";
    this.schema = new Schema(answer.schema);
    this.kinds = answer.kinds;
    /** The types that there are. */
    this.labels = this.schema.labels;
    this.passage = new Passage(answer.text);
    this.lexical = answer.lexical;
    this.broken = answer.broken ?? [];
    /** @type {import("./state.js").Part[]} */
    this.proposals = partsOf(answer.proposals ?? []);
    /** What may be antecedents. @type {import("./state.js").Part[]} */
    this.candidates = partsOf(answer.candidates ?? []);
    /** The places of what looks like a pronoun, where pronouns are annotated. */
    this.pronouns = new Set(this.task === "anaphora" ? this.proposals.map((part) => part.join()) : []);
    this.name = String(answer.layer.id);
    /** @type {Listener[]} */
    this.listeners = [];
    /** @type {(() => void)[]} */
    this.watchers = [];
    this.state = new State(answer.state);
    /** Made when it is asked for: nobody waits for it while the text is being drawn. @type {Ranking | null} */
    this.ranked = null;
    /** @type {Done[]} */
    this.undoable = [];
    /** @type {Done[]} */
    this.redoable = [];
    this.queue = new Queue(api, this.name, answer.layer.version, () => this.queueChanged());
    this.undoable = answer.undo.map((version) => ({ version }));
    this.redoable = answer.redo.map((version) => ({ version }));
    this.stepping = Promise.resolve();
  }

  /** @param {string} api @returns {Promise<Session>} */
  static async opened(api) {
    const answer = await answered(api);
    const { base, waiting } = await leftBehind(String(answer.layer.id));
    const session = new Session(api, answer);
    if (waiting.length) {
      session.begin(answer, waiting);
      session.queue.restart(base, waiting);
    }
    session.watch();
    return session;
  }

  /**
   * Everything from the server's answer, with what waits on top.
   * @param {LayerAnswer} answer
   * @param {Waiting[]} waiting
   */
  begin(answer, waiting) {
    this.layer = answer.layer;
    this.state = new State(answer.state);
    this.undoable = answer.undo.map((version) => ({ version }));
    this.redoable = answer.redo.map((version) => ({ version }));
    for (const one of waiting) this.remembered(one, this.state.fold(one.event.changes));
    this.ranked = null;
  }

  /** The likely chains of mentions. */
  get ranking() {
    this.ranked ??= new Ranking(this.passage, this.state, this.lexical);
    return this.ranked;
  }

  /** What an event means for undoing. @param {Waiting} waiting @param {Change[]} back */
  remembered({ event, undoesId, redoesId }, back) {
    if (undoesId || event.undoes !== null) {
      const done = this.undoable.pop();
      if (done) this.redoable.push(done);
    } else if (redoesId || event.redoes !== null) {
      const done = this.redoable.pop();
      if (done) this.undoable.push(done);
    } else {
      this.undoable.push({ id: event.id, back, again: event.changes });
      this.redoable = [];
    }
  }

  /** @param {Listener} listener called after every change of the state */
  listen(listener) {
    this.listeners.push(listener);
  }

  /**
   * Ask for something again whenever more is saved, when nothing else was done for a moment.
   * @param {(version: number) => Promise<void>} ask
   */
  afterSaves(ask) {
    let [timer, known] = [0, this.queue.version];
    this.watchers.push(() => {
      const { state, version } = this.queue;
      if (state !== "saved" || version === known) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        known = version;
        ask(version).catch(() => {
          known = -1; // it is asked again when more is saved
        });
      }, MOMENT);
    });
  }

  queueChanged() {
    for (const watcher of this.watchers) watcher();
    if (this.queue.state === "saved") this.channel?.postMessage(this.queue.version);
  }

  /** Other windows of this browser tell when they have saved; coming back to a window is a moment to ask. */
  watch() {
    this.channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(`aune:${this.name}`);
    this.channel?.addEventListener("message", ({ data }) => data > this.queue.version && this.catchUp());
    addEventListener("focus", async () => (await this.queue.signedIn()) || this.catchUp());
  }

  /** Take in what others did, when nothing of ours waits. */
  async catchUp() {
    if (await this.queue.isBehind()) await this.takeTheirs();
  }

  /**
   * Do something: the changes of an operation, at once here, and on their way to the server.
   * @param {string} operation
   * @param {Change[]} changes
   * @param {string} [reason]
   * @param {string[]} [about] what was decided on
   */
  act(operation, changes, reason = "", about = []) {
    if (!this.layer.editable || !changes.length) return false;
    this.made({ event: { id: uuid(), operation, changes, undoes: null, redoes: null, reason, about } });
    return true;
  }

  /**
   * Note a decision that changes nothing of the annotation.
   * @param {string} operation
   * @param {string[]} about what was decided on
   */
  note(operation, about) {
    if (!this.layer.editable) return;
    const waiting = { event: { id: uuid(), operation, changes: [], undoes: null, redoes: null, reason: "", about } };
    this.remembered(waiting, []);
    this.queue.add(waiting);
  }

  /** @param {Waiting} waiting */
  made(waiting) {
    const inverse = this.state.fold(waiting.event.changes);
    this.remembered(waiting, inverse);
    this.ranked?.follow(inverse);
    for (const listener of this.listeners) listener(waiting.event.changes, inverse);
    this.queue.add(waiting);
  }

  /** Take the last thing back, one after the other when asked several times; the changes that did it, or nothing. */
  undo() {
    return this.inTurn(() => this.step("undo"));
  }

  redo() {
    return this.inTurn(() => this.step("redo"));
  }

  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  inTurn(work) {
    const result = this.stepping.then(work);
    this.stepping = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  /** @param {"undo" | "redo"} way @returns {Promise<Change[] | null>} */
  async step(way) {
    const done = (way === "undo" ? this.undoable : this.redoable).at(-1);
    if (!done || !this.layer.editable) return null;
    if (!done.back && done.version !== undefined)
      Object.assign(
        done,
        await answered(`${this.api}inverse/${done.version}`).then(({ changes, again }) => ({ back: changes, again })),
      );
    const changes = (way === "undo" ? done.back : done.again) ?? [];
    const names = {
      undoes: way === "undo" ? (done.version ?? null) : null,
      redoes: way === "redo" ? (done.version ?? null) : null,
    };
    const later = done.version === undefined ? { [`${way}esId`]: done.id } : {};
    this.made({ event: { id: uuid(), operation: way, changes, ...names, reason: "" }, ...later });
    return changes;
  }

  /** What others made of the layer counts; what waits here is dropped. */
  async takeTheirs() {
    await this.again([]);
  }

  /** What waits here is done again on what others made of the layer. */
  async putMineOnTop() {
    await this.again(this.queue.waiting);
  }

  /**
   * What waits here becomes a layer of its own, which goes on from where the two parted.
   * @returns {Promise<string>} its address
   */
  keepAsCopy() {
    return this.queue.copied();
  }

  /** @param {Waiting[]} waiting */
  async again(waiting) {
    const answer = /** @type {LayerAnswer} */ (await answered(this.api));
    const before = this.state;
    const there = new State(answer.state);
    const rebased = waiting.map(({ event }) => {
      const changes = standing(event.changes, there, before);
      there.fold(changes);
      // what was undone here has another place there: it is an action like any other
      return { event: { ...event, changes, undoes: null, redoes: null } };
    });
    this.begin(answer, rebased);
    this.queue.restart(answer.layer.version, rebased);
    for (const listener of this.listeners) listener([], []);
  }
}

/**
 * Changes with the chains, or the mentions, they lean on, put back where others took them away, and kept where others
 * joined them.
 * @param {Change[]} changes
 * @param {State} there
 * @param {State} before
 * @returns {Change[]}
 */
function standing(changes, there, before) {
  const made = new Set(changes.filter(([table, , record]) => table === "chains" && record).map(([, id]) => id));
  const needed = changes.flatMap(([table, , record]) => {
    if (table === "mentions") return record?.chain ? [record.chain] : [];
    if (table === "relations") return record ? [record.source, ...record.targets] : [];
    return [];
  });
  const isThere = (/** @type {string} */ id) => there.chains.has(id) || there.mentions.has(id) || made.has(id);
  const missing = [...new Set(needed)].filter((id) => !isThere(id));
  const moved = new Set(changes.filter(([table]) => table === "mentions").map(([, id]) => id));
  const back = missing.filter((id) => !moved.has(id)).map((id) => {
    const mention = before.mentions.get(id);
    return /** @type {Change} */ (
      mention ? ["mentions", id, mention] : ["chains", id, before.chains.get(id) ?? EMPTY_CHAIN]
    );
  });
  const joined = (/** @type {string} */ chain) => [...(there.sets.get(chain) ?? [])].some((id) => !moved.has(id));
  return [...back, ...changes.filter(([table, id, record]) => table !== "chains" || record || !joined(id))];
}

const EMPTY_CHAIN = { name: "", notes: "", features: {} };

/** A random name for an event; pages that came without encryption have no `crypto.randomUUID`. */
function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const hex = [
    ...crypto.getRandomValues(new Uint8Array(16))
  ].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
