// What the schema, or the typology, has against an annotation: asked again whenever something is saved.

import { answered } from "./queue.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {{ mention: string, start: number, end: number, message: string, severity: "error" | "warning" }} Broken */

export class Rules {
  /**
   * @param {Session} session
   * @param {Broken[]} broken
   * @param {(mentions: Set<string>) => void} changed told the mentions of which something else is said now
   */
  constructor(session, broken, changed) {
    this.session = session;
    this.changed = changed;
    this.broken = broken;
    this.byMention = byMention(broken);
    if (!session.labelled && !session.schema.features.length) return;
    // what was said of a mention that is another now may be wrong: nothing is said until the server has looked
    session.listen((changes) => {
      const touched = new Set(changes.map(([, id]) => id));
      this.take(changes.length ? this.broken.filter(({ mention }) => !touched.has(mention)) : []);
    });
    session.afterSaves(() => this.ask());
  }

  /** What a mention breaks. @param {string | null} id */
  of(id) {
    return this.byMention.get(id ?? "") ?? [];
  }

  async ask() {
    const { broken, version } = await answered(`${this.session.api}broken`);
    if (version === this.session.queue.version && !this.session.queue.waiting.length) this.take(broken);
  }

  /** @param {Broken[]} broken */
  take(broken) {
    const before = this.byMention;
    this.broken = broken;
    this.byMention = byMention(broken);
    const said = (/** @type {Map<string, Broken[]>} */ known, /** @type {string} */ id) =>
      known.get(id)?.map(({ message }) => message).join();
    const others = [...before.keys(), ...this.byMention.keys()].filter(
      (id) => said(before, id) !== said(this.byMention, id),
    );
    if (others.length) this.changed(new Set(others));
  }
}

/** @param {Broken[]} broken @returns {Map<string, Broken[]>} */
function byMention(broken) {
  /** @type {Map<string, Broken[]>} */
  const found = new Map();
  for (const one of broken) found.set(one.mention, [...(found.get(one.mention) ?? []), one]);
  return found;
}
