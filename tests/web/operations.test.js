// Operations one by one, and many at random: whatever is done can be taken back, and nothing is left hanging.

import * as operations from "../../src/aune/web/workbench/operations.js";
import { classesOf, linksOf } from "../../src/aune/web/workbench/links.js";
import { State } from "../../src/aune/web/workbench/state.js";
import { randomly, same } from "./checks.js";

/** @typedef {import("../../src/aune/web/workbench/state.js").Part} Part */

/** Mentions of the words of a text: "1 2/3" are two chains. @param {string} partition */
function stateOf(partition) {
  const state = new State({ mentions: {}, chains: {}, relations: {} });
  partition.split("/").forEach((words, chain) => {
    for (const word of words.split(" ").filter(Boolean)) {
      const start = Number(word) * 10;
      state.fold(operations.mark(state, `m${word}`, [[start, start + 5]], { chain: `c${chain}` }));
    }
  });
  return state;
}

/** @param {State} state */
const partition = (state) =>
  [...state.sets.keys()]
    .filter((chain) => state.size(chain))
    .sort()
    .map((chain) => state.members(chain).map((id) => id.slice(1)).join(" "))
    .join("/");

/** Everything that a state promises. @param {State} state */
function sound(state) {
  const text = JSON.stringify(state.plain());
  for (const [id, mention] of state.mentions) {
    if (mention.chain !== null && !state.chains.has(mention.chain)) throw new Error(`${id} is in no chain that is there`);
    same(state.order[state.place(id)], id);
  }
  same(state.order.length, state.mentions.size);
  for (const [id, chain] of state.chains)
    if (!state.size(id) && !chain.name && !chain.notes) throw new Error(`chain ${id} is empty: ${text}`);
  for (const { source, targets, via } of state.relations.values()) {
    for (const chain of [source, ...targets]) if (!state.chains.has(chain)) throw new Error(`a relation to ${chain}: ${text}`);
    for (const mention of via) if (!state.mentions.has(mention)) throw new Error(`a relation through ${mention}`);
    if (!targets.length || targets.includes(source)) throw new Error("a relation to itself");
  }
}

export function test_marking_and_unmarking() {
  const state = stateOf("1 2/3");
  same(partition(state), "1 2/3");
  state.fold(operations.unmark(state, ["m3"]));
  same(partition(state), "1 2");
  same(state.chains.has("c1"), false);
}

export function test_parts_are_in_order_and_joined() {
  same(operations.tidied([[5, 9], [0, 2], [8, 11], [2, 3]]), [[0, 3], [5, 11]]);
  same(operations.tidied([[4, 4]]), [[4, 4]]);
}

export function test_zeros_at_one_place_have_an_order() {
  const state = stateOf("1");
  state.fold(operations.mark(state, "z1", [[10, 10]]));
  state.fold(operations.mark(state, "z2", [[10, 10]]));
  same([state.mention("z1").order, state.mention("z2").order], [0, 1]);
  same(state.order, ["m1", "z1", "z2"]);
}

export function test_another_extent_keeps_the_chain() {
  const state = stateOf("1 2");
  state.fold(operations.extend(state, "m1", [[30, 35]]));
  same(state.order, ["m2", "m1"]);
  same(state.mention("m1").chain, "c0");
}

export function test_features_are_given_and_taken() {
  const state = stateOf("1");
  state.fold(operations.describe(state, ["m1"], { features: { kind: "name", gender: "feminine" } }));
  state.fold(operations.describe(state, ["m1"], { features: { kind: "" }, label: "person" }));
  same(state.mention("m1").features, { gender: "feminine" });
  same(state.mention("m1").label, "person");
  same(operations.describe(state, ["m1"], { features: { gender: "feminine" } }), []);
}

export function test_grouping() {
  const state = stateOf("1 2 3/4 5");
  state.fold(operations.attach(state, ["m4"], "c0"));
  same(partition(state), "1 2 3 4/5");
  state.fold(operations.split(state, ["m1", "m4"], "c9"));
  same(partition(state), "2 3/5/1 4");
  state.fold(operations.detach(state, ["m5"]));
  same(partition(state), "2 3/1 4");
  same(state.mention("m5").chain, null);
}

export function test_merging_loses_no_name_and_no_relation() {
  const state = stateOf("1/2/3");
  state.fold(operations.rename(state, "c0", { name: "she", notes: "old" }));
  state.fold(operations.rename(state, "c1", { name: "Ann" }));
  state.fold(operations.relate(state, "r1", { kind: "part", source: "c1", targets: ["c2", "c0"], via: [] }));
  state.fold(operations.merge(state, "c0", ["c1"]));
  same(partition(state), "1 2/3");
  same(state.chains.get("c0"), { name: "she", notes: "old\nalso: Ann", features: {} });
  same(state.relations.get("r1"), { kind: "part", source: "c0", targets: ["c2"], via: [] });
  state.fold(operations.merge(state, "c0", ["c2"]));
  same(state.relations.size, 0);
}

export function test_a_named_chain_outlives_its_mentions() {
  const state = stateOf("1/2");
  state.fold(operations.rename(state, "c0", { name: "she" }));
  state.fold(operations.relate(state, "r1", { kind: "part", source: "c0", targets: ["c1"], via: ["m1", "m2"] }));
  state.fold(operations.unmark(state, ["m1"]));
  same(state.chains.has("c0"), true);
  same(state.relations.get("r1")?.via, []);
  state.fold(operations.unmark(state, ["m2"]));
  same(state.relations.size, 0);
  state.fold(operations.rename(state, "c0", { name: "" }));
  same(state.chains.size, 0);
}

export function test_links_and_classes_are_the_same_partition() {
  const state = stateOf("1 4 5/2 3/6");
  same(linksOf(state), [["m4", "m1"], ["m5", "m4"], ["m3", "m2"]]);
  same(classesOf(linksOf(state)).map((one) => [...one].sort().join(" ")).sort(), ["m1 m4 m5", "m2 m3"]);
  state.fold(operations.cut(state, "m5", "c8"));
  same(partition(state), "1 4/2 3/6/5");
  state.fold(operations.link(state, "m6", "m1", "c9"));
  same(partition(state), "1 4 6/2 3/5");
}

export function test_all_that_is_done_can_be_taken_back() {
  const random = randomly(5);
  for (let round = 0; round < 20; round += 1) {
    const state = stateOf("1 2 3/4 5/6/7 8 9");
    const start = JSON.stringify(sorted(state));
    const undo = [];
    for (let step = 0; step < 60; step += 1) {
      const changes = anything(state, random, step);
      undo.push([state.fold(changes), changes]);
      sound(state);
    }
    const end = JSON.stringify(sorted(state));
    for (const [inverse] of [...undo].reverse()) state.fold(inverse);
    same(JSON.stringify(sorted(state)), start);
    sound(state);
    for (const [, changes] of undo) state.fold(changes);
    same(JSON.stringify(sorted(state)), end);
  }
}

/** @param {State} state */
const sorted = (state) => Object.values(state.plain()).map((table) => Object.entries(table).sort());

/** @param {State} state @param {(most: number) => number} random @param {number} step */
function anything(state, random, step) {
  const mentions = [...state.mentions.keys()];
  const chains = [...state.chains.keys()];
  const some = (/** @type {string[]} */ list) => list.filter(() => random(3) === 0);
  const one = (/** @type {string[]} */ list) => list[random(list.length)];
  if (!mentions.length || !chains.length) return operations.mark(state, `n${step}`, [[random(90), 90 + random(9)]], { chain: `d${step}` });
  switch (random(10)) {
    case 0:
      return operations.mark(state, `n${step}`, [[random(50), 50 + random(9)]], { chain: random(2) ? one(chains) : `d${step}` });
    case 1:
      return operations.unmark(state, some(mentions).slice(0, 2));
    case 2:
      return operations.extend(state, one(mentions), [[random(50), 60], [70, 75]]);
    case 3:
      return operations.attach(state, some(mentions), one(chains));
    case 4:
      return operations.merge(state, one(chains), some(chains));
    case 5:
      return operations.split(state, some(mentions), `d${step}`);
    case 6:
      return operations.relate(state, `r${step}`, { kind: "part", source: one(chains), targets: some(chains), via: some(mentions) });
    case 7:
      return operations.rename(state, one(chains), { name: random(2) ? "she" : "" });
    case 8:
      return operations.cut(state, one(mentions), `d${step}`);
    default:
      return operations.link(state, one(mentions), one(mentions), `d${step}`);
  }
}
