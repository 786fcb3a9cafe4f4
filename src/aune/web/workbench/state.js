// What a layer says about its text: mentions, chains and relations. A change says what a record becomes; folding a
// change
// tells what it was, and that is how everything can be undone.

import { lowest } from "../shared/text.js";

/** @typedef {[number, number]} Part from a code point up to another; an empty one is the place of a zero */
/**
 * @typedef {object} Mention
 * @property {Part[]} parts
 * @property {number} order ranks zeros at one place
 * @property {string | null} chain
 * @property {Record<string, string>} features
 * @property {string} label the type of an entity, the tag of a word, or what a pronoun is
 */
/** @typedef {{ name: string, notes: string, features: Record<string, string> }} Chain */
/** @typedef {{ kind: string, source: string, targets: string[], via: string[] }} Relation */
/** @typedef {{ mentions: Mention, chains: Chain, relations: Relation }} Records */
/** @typedef {keyof Records} Kind */
/** @typedef {{ [T in Kind]: [T, string, Records[T] | null] }[Kind]} Change */
/**
 * @typedef {{ mentions: Record<string, Mention>, chains: Record<string, Chain>, relations: Record<string, Relation> }}
 * PlainState
 */

/** Where a mention begins. @param {Mention} mention */
export const startOf = (mention) => mention.parts[0][0];

/** Where a mention ends. @param {Mention} mention */
export const endOf = (mention) => mention.parts[mention.parts.length - 1][1];

/** A mention that no character stands for. @param {Mention} mention */
export const isZero = (mention) => startOf(mention) === endOf(mention);

/**
 * In the order of reading: by where they begin, the longest first, zeros by their order.
 * @param {Mention} a
 * @param {Mention} b
 */
export const inReadingOrder = (a, b) => startOf(a) - startOf(b) || endOf(b) - endOf(a) || a.order - b.order;

export class State {
  /** @param {PlainState} plain */
  constructor(plain) {
    /** @type {Map<string, Mention>} */
    this.mentions = new Map(Object.entries(plain.mentions));
    /** @type {Map<string, Chain>} */
    this.chains = new Map(Object.entries(plain.chains));
    /** @type {Map<string, Relation>} */
    this.relations = new Map(Object.entries(plain.relations));
    /** The relations at each chain or mention. @type {Map<string, Set<string>>} */
    this.relationsAt = new Map();
    for (const [id, relation] of this.relations) this.tie(id, relation);
    /** The mentions of each chain. @type {Map<string, Set<string>>} */
    this.sets = new Map();
    for (const [id, mention] of this.mentions) this.enter(id, mention);
    /** How often anything changed: what was worked out before is known to be old. */
    this.folds = 0;
    /** The mentions in the order of reading. */
    this.order = [...this.mentions.keys()].sort((a, b) => this.compared(a, b));
  }

  /** @param {string} a @param {string} b */
  compared(a, b) {
    return inReadingOrder(this.mention(a), this.mention(b)) || (a < b ? -1 : Number(a > b));
  }

  /** @param {string} id @returns {Mention} */
  mention(id) {
    const mention = this.mentions.get(id);
    if (!mention) throw new Error(`no mention ${id}`);
    return mention;
  }

  /** The mentions of a chain, in the order of reading. @param {string} chain */
  members(chain) {
    return [...(this.sets.get(chain) ?? [])].sort((a, b) => this.compared(a, b));
  }

  /** @param {string | null} chain */
  size(chain) {
    return chain === null ? 0 : (this.sets.get(chain)?.size ?? 0);
  }

  /** The place of a mention in the order of reading. @param {string} id */
  place(id) {
    return lowest(0, this.order.length, (place) => this.compared(this.order[place], id) >= 0);
  }

  /**
   * The place in the order of reading of the first mention that begins at a code point or after it.
   * @param {number} point
   */
  placeFrom(point) {
    return lowest(0, this.order.length, (place) => startOf(this.mention(this.order[place])) >= point);
  }

  /** @param {string} id @param {Relation} relation */
  tie(id, relation) {
    for (const end of [relation.source, ...relation.targets])
      this.relationsAt.set(end, (this.relationsAt.get(end) ?? new Set()).add(id));
  }

  /** The relations that go from a chain or a mention. @param {string} end @returns {[string, Relation][]} */
  relationsFrom(end) {
    return this.relationsOf(end).filter(([, { source }]) => source === end);
  }

  /** The relations that go to a chain or a mention. @param {string} end @returns {[string, Relation][]} */
  relationsTo(end) {
    return this.relationsOf(end).filter(([, { targets }]) => targets.includes(end));
  }

  /** @param {string} end @returns {[string, Relation][]} */
  relationsOf(end) {
    return [...(this.relationsAt.get(end) ?? [])].map(
      (id) => [id, /** @type {Relation} */ (this.relations.get(id))],
    );
  }

  /** @param {string} id @param {Mention} mention */
  enter(id, mention) {
    if (mention.chain === null) return;
    const set = this.sets.get(mention.chain);
    if (set) set.add(id);
    else this.sets.set(mention.chain, new Set([id]));
  }

  /**
   * Make changes, and tell what puts back what was.
   * @param {Change[]} changes
   * @returns {Change[]}
   */
  fold(changes) {
    this.folds += 1;
    const inverse = changes.map(([table, id, record]) => {
      const was = this[table].get(id) ?? null;
      if (table === "mentions") this.becomes(
        id,
        /** @type {Mention | null} */ (was),
        /** @type {Mention | null} */ (record),
      );
      else if (record) /** @type {Map<string, unknown>} */ (this[table]).set(id, record);
      else this[table].delete(id);
      if (table === "relations") this.retie(
        id,
        /** @type {Relation | null} */ (was),
        /** @type {Relation | null} */ (record),
      );
      return /** @type {Change} */ ([table, id, was]);
    });
    return inverse.reverse();
  }

  /** @param {string} id @param {Relation | null} was @param {Relation | null} record */
  retie(id, was, record) {
    if (was) for (const end of [was.source, ...was.targets]) this.relationsAt.get(end)?.delete(id);
    if (record) this.tie(id, record);
  }

  /** @param {string} id @param {Mention | null} was @param {Mention | null} record */
  becomes(id, was, record) {
    const stays = was &&
      record &&
      JSON.stringify([was.parts, was.order]) === JSON.stringify([record.parts, record.order]);
    if (was && !stays) this.order.splice(this.place(id), 1);
    if (was?.chain) this.sets.get(was.chain)?.delete(id);
    if (record) this.mentions.set(id, record);
    else this.mentions.delete(id);
    if (record) this.enter(id, record);
    if (record && !stays) this.order.splice(this.place(id), 0, id);
  }

  /** As it is written down. @returns {PlainState} */
  plain() {
    return {
      mentions: Object.fromEntries(this.mentions),
      chains: Object.fromEntries(this.chains),
      relations: Object.fromEntries(this.relations),
    };
  }
}
