// What can be done to a layer: each function looks at a state and tells the changes, and changes nothing itself.

import { isZero, startOf } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Change} Change */
/** @typedef {import("./state.js").Part} Part */
/** @typedef {import("./state.js").Mention} Mention */
/** @typedef {import("./state.js").Chain} Chain */
/** @typedef {import("./state.js").Relation} Relation */

/**
 * @typedef {{ id: string, parts: Part[], label: string }} Marking a mention that is there, or that is marked on the way
 */

/** A name nobody else made up. @param {"m" | "c" | "r"} table */
export const newId = (table) =>
  table + [...crypto.getRandomValues(new Uint8Array(9))].map((byte) => byte.toString(36).padStart(2, "0")).join("");

/** What a state would become: changes on the way, and what they leave behind. */
class Draft {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {Map<string, Mention | null>} */
    this.mentions = new Map();
    /** @type {Map<string, Chain | null>} */
    this.chains = new Map();
    /** @type {Map<string, Relation | null>} */
    this.relations = new Map();
    /** How many mentions each chain gains or loses. @type {Map<string, number>} */
    this.growth = new Map();
  }

  /** @param {string} id @returns {Mention | null} */
  mention(id) {
    return this.mentions.has(id) ? (this.mentions.get(id) ?? null) : (this.state.mentions.get(id) ?? null);
  }

  /** @param {string} id @param {Mention | null} record */
  setMention(id, record) {
    const before = this.mention(id)?.chain;
    if (before) this.growth.set(before, (this.growth.get(before) ?? 0) - 1);
    if (record?.chain) this.growth.set(record.chain, (this.growth.get(record.chain) ?? 0) + 1);
    this.mentions.set(id, record);
  }

  /** @param {string} id */
  chain(id) {
    return this.chains.has(id) ? (this.chains.get(id) ?? null) : (this.state.chains.get(id) ?? null);
  }

  /** The relations as they would be. @returns {[string, Relation][]} */
  related() {
    return [...new Set([...this.state.relations.keys(), ...this.relations.keys()])].flatMap((id) => {
      const relation = this.relations.has(id) ? this.relations.get(id) : this.state.relations.get(id);
      return relation ? [/** @type {[string, Relation]} */ ([id, relation])] : [];
    });
  }

  /**
   * Another chain takes the place of one in all relations; none: it leaves them.
   * @param {string} from
   * @param {string | null} to
   */
  repoint(from, to) {
    const mapped = (/** @type {string} */ chain) => (chain === from ? to : chain);
    for (const [id, relation] of this.related()) {
      if (relation.source !== from && !relation.targets.includes(from)) continue;
      const source = mapped(relation.source);
      const targets = [...new Set(relation.targets.map(mapped))].filter((one) => one !== null && one !== source);
      const kept = source !== null && targets.length > 0;
      this.relations.set(id, kept ? { ...relation, source, targets: /** @type {string[]} */ (targets) } : null);
    }
  }

  /**
   * The changes, with chains that nothing is left of removed, and relations through mentions that are gone mended.
   * @returns {Change[]}
   */
  changes() {
    for (const id of [...this.growth.keys(), ...this.chains.keys()]) {
      const chain = this.chain(id);
      if (!chain || chain.name || chain.notes || this.state.size(id) + (this.growth.get(id) ?? 0) > 0) continue;
      this.repoint(id, null);
      this.chains.set(id, null);
    }
    const gone = new Set([...this.mentions].filter(([, mention]) => !mention).map(([id]) => id));
    for (const id of gone) if (this.state.relationsOf(id).length) this.repoint(id, null); // ends of relations, too
    if (gone.size)
      for (const [id, relation] of this.related())
        if (relation.via.some((one) => gone.has(one))) this.relations.set(id, { ...relation, via: [] });
    /** @type {Change[]} */
    const made = [
      ...[...this.chains].filter(([, record]) => record).map(
        ([id, record]) => /** @type {Change} */ (["chains", id, record]),
      ),
      ...[...this.mentions].map(([id, record]) => /** @type {Change} */ (["mentions", id, record])),
      ...[...this.relations].map(([id, record]) => /** @type {Change} */ (["relations", id, record])),
      ...[...this.chains].filter(([, record]) => !record).map(
        ([id, record]) => /** @type {Change} */ (["chains", id, record]),
      ),
    ];
    return made.filter(
      ([table, id, record]) => JSON.stringify(record) !== JSON.stringify(this.state[table].get(id) ?? null),
    );
  }
}

/** Extents in order, those that touch or overlap made one. @param {Part[]} parts @returns {Part[]} */
export function tidied(parts) {
  const filled = parts.filter(([start, end]) => start < end);
  if (!filled.length) return parts.slice(0, 1);
  /** @type {Part[]} */
  const joined = [];
  for (const [start, end] of [...filled].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = joined[joined.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

/**
 * A new mention.
 * @param {State} state
 * @param {string} id
 * @param {Part[]} parts
 * @param {{ chain?: string | null, label?: string, features?: Record<string, string> }} [about] a chain that is not
 * there yet is made
 */
export function mark(state, id, parts, { chain = null, label = "", features = {} } = {}) {
  const draft = new Draft(state);
  const tidy = tidied(parts);
  const zeros = tidy[0][0] === tidy[0][1] ? zerosAt(state, tidy[0][0]) : [];
  const order = zeros.length ? Math.max(...zeros.map((one) => state.mention(one).order)) + 1 : 0;
  if (chain && !state.chains.has(chain)) draft.chains.set(chain, EMPTY_CHAIN);
  draft.setMention(id, { parts: tidy, order, chain, features, label });
  return draft.changes();
}

/**
 * Several new mentions, with the chains that are not there yet, and relations from them or to them.
 * @param {State} state
 * @param {(Omit<Mention, "order"> & { id: string })[]} marks
 * @param {[string, Relation][]} [relations] with their ids
 */
export function markAll(state, marks, relations = []) {
  const draft = new Draft(state);
  for (const [id, relation] of relations) draft.relations.set(id, relation);
  for (const { id, ...mention } of marks) {
    if (mention.chain && !draft.chain(mention.chain)) draft.chains.set(mention.chain, EMPTY_CHAIN);
    draft.setMention(id, { ...mention, parts: tidied(mention.parts), order: 0 });
  }
  return draft.changes();
}

/** @type {Chain} */
const EMPTY_CHAIN = { name: "", notes: "", features: {} };

/** The zeros at one place. @param {State} state @param {number} point */
function zerosAt(state, point) {
  const found = [];
  for (let place = state.placeFrom(point); place < state.order.length; place += 1) {
    const mention = state.mention(state.order[place]);
    if (startOf(mention) > point) break;
    if (isZero(mention)) found.push(state.order[place]);
  }
  return found;
}

/** Mentions that are none after all. @param {State} state @param {string[]} ids */
export function unmark(state, ids) {
  const draft = new Draft(state);
  for (const id of ids) draft.setMention(id, null);
  return draft.changes();
}

/** Another extent. @param {State} state @param {string} id @param {Part[]} parts */
export function extend(state, id, parts) {
  const draft = new Draft(state);
  draft.setMention(id, { ...state.mention(id), parts: tidied(parts), order: 0 });
  return draft.changes();
}

/**
 * Kind, gender, number, sense, any feature, and the label; an empty one is taken away.
 * @param {State} state
 * @param {string[]} ids
 * @param {{ features?: Record<string, string>, label?: string }} about
 */
export function describe(state, ids, { features = {}, label }) {
  const draft = new Draft(state);
  for (const id of ids) {
    const mention = state.mention(id);
    const all = Object.entries({ ...mention.features, ...features }).filter(([, value]) => value !== "");
    draft.setMention(id, { ...mention, features: Object.fromEntries(all), label: label ?? mention.label });
  }
  return draft.changes();
}

/**
 * Mentions into a chain, from wherever they were.
 * @param {State} state
 * @param {string[]} ids
 * @param {string | null} chain
 */
export function attach(state, ids, chain) {
  const draft = new Draft(state);
  if (chain && !state.chains.has(chain)) draft.chains.set(chain, EMPTY_CHAIN);
  for (const id of ids) draft.setMention(id, { ...state.mention(id), chain });
  return draft.changes();
}

/** Mentions out of their chains, still marked. @param {State} state @param {string[]} ids */
export const detach = (state, ids) => attach(state, ids, null);

/** Some mentions become a chain of their own. @param {State} state @param {string[]} ids @param {string} chain */
export const split = (state, ids, chain) => attach(state, ids, chain);

/** A chain is cut in two before one of its mentions. @param {State} state @param {string} id @param {string} chain */
export function cut(state, id, chain) {
  const members = state.members(state.mention(id).chain ?? "");
  const later = members.slice(members.indexOf(id));
  return later.length === members.length ? [] : attach(state, later, chain);
}

/**
 * Two mentions corefer: their chains become one.
 * @param {State} state
 * @param {string} anaphor
 * @param {string} antecedent
 * @param {string} chain used when there is none yet
 */
export function link(state, anaphor, antecedent, chain) {
  const [from, to] = [state.mention(anaphor).chain, state.mention(antecedent).chain];
  if (from && to) return from === to ? [] : merge(state, to, [from]);
  return attach(state, [anaphor, antecedent], to ?? from ?? chain);
}

/**
 * Chains become one, which keeps its name; names, notes and relations of the others are not lost.
 * @param {State} state
 * @param {string} target
 * @param {string[]} sources
 */
export function merge(state, target, sources) {
  const draft = new Draft(state);
  const others = sources.filter((one) => one !== target && state.chains.has(one));
  const chains = [target, ...others].map((id) => /** @type {Chain} */ (state.chains.get(id)));
  const told = (/** @type {"name" | "notes"} */ what) =>
    [...new Set(chains.map((chain) => chain[what]).filter(Boolean))];
  draft.chains.set(target, {
    name: told("name")[0] ?? "",
    notes: [...told("notes"), ...told("name").slice(1).map((name) => `also: ${name}`)].join("\n"),
    features: Object.assign({}, ...chains.map((chain) => chain.features).reverse()),
  });
  for (const source of others) {
    for (const id of state.members(source)) draft.setMention(id, { ...state.mention(id), chain: target });
    draft.repoint(source, target);
    draft.chains.set(source, null);
  }
  return draft.changes();
}

/** A relation between chains. @param {State} state @param {string} id @param {Relation} relation */
export function relate(state, id, relation) {
  const draft = new Draft(state);
  const targets = [...new Set(relation.targets)].filter((one) => one !== relation.source);
  if (targets.length) draft.relations.set(id, { ...relation, targets });
  return draft.changes();
}

/** @param {State} state @param {string} id */
export function unrelate(state, id) {
  const draft = new Draft(state);
  draft.relations.set(id, null);
  return draft.changes();
}

/**
 * A relation between mentions, which are marked first where they are not.
 * @param {State} state
 * @param {string} id of a relation that is not there yet
 * @param {string} kind
 * @param {Marking} source
 * @param {Marking} target
 */
export function tie(state, id, kind, source, target) {
  const draft = new Draft(state);
  for (const { id: name, parts, label } of [source, target]) {
    const known = state.mentions.get(name);
    if (!known) draft.setMention(name, { parts: tidied(parts), order: 0, chain: null, features: {}, label });
    else if (label && known.label !== label) draft.setMention(name, { ...known, label });
  }
  const before = state.relationsFrom(source.id).find(([, relation]) => relation.kind === kind);
  const targets = [...new Set([...(before?.[1].targets ?? []), target.id])].filter((one) => one !== source.id);
  if (targets.length) draft.relations.set(before?.[0] ?? id, { kind, source: source.id, targets, via: [] });
  return draft.changes();
}

/**
 * A mention has a label and no relation of a kind any more, or is marked so.
 * @param {State} state
 * @param {string} kind
 * @param {Marking} source
 */
export function untie(state, kind, { id, parts, label }) {
  const draft = new Draft(state);
  const known = state.mentions.get(id);
  draft.setMention(
    id,
    known ? { ...known, label } : { parts: tidied(parts), order: 0, chain: null, features: {}, label },
  );
  for (const [relation] of state.relationsFrom(id).filter(([, one]) => one.kind === kind))
    draft.relations.set(relation, null);
  return draft.changes();
}

/** Another label in the place of all that some mentions have: the first of them stays. @param {State} state
 * @param {string[]} ids @param {string} label */
export function relabel(state, [first, ...others], label) {
  const draft = new Draft(state);
  draft.setMention(first, { ...state.mention(first), label });
  for (const id of others) draft.setMention(id, null);
  return draft.changes();
}

/** Name, notes and features of a chain. @param {State} state @param {string} id @param {Partial<Chain>} about */
export function rename(state, id, about) {
  const draft = new Draft(state);
  draft.chains.set(id, { ...(state.chains.get(id) ?? EMPTY_CHAIN), ...about });
  return draft.changes();
}
