// Doubtful items of a key, as questions: the list is read here, and answers stay in the browser until they are sent.

import { byId, counted, h } from "../shared/dom.js";

/**
 * @typedef {object} Effect
 * @property {string} system
 * @property {number | null} before
 * @property {number | null} after
 * @property {number | null} rank_before
 * @property {number | null} rank_after
 */
/**
 * @typedef {object} Doubt
 * @property {number} rank
 * @property {string} document
 * @property {string} text
 * @property {string} before
 * @property {string} after
 * @property {string} key
 * @property {string} suggestion
 * @property {number} score
 * @property {Record<string, number>} evidence
 * @property {string[]} supporters
 * @property {Record<string, unknown> | null} edit
 * @property {string} correction
 * @property {Effect[]} effects
 */
/**
 * @typedef {object} List
 * @property {string} aune
 * @property {string} task
 * @property {{ path: string | null, sha256: string | null }} key
 * @property {number} items
 * @property {Doubt[]} doubts
 */
/** @typedef {{ decision: string, reason: string }} Answer */

const MOST_SHOWN = 500;

const form = /** @type {HTMLFormElement} */ (byId("review"));
const chooser = /** @type {HTMLInputElement} */ (byId("list"));
const sent = /** @type {HTMLInputElement} */ (form.elements.namedItem("answers"));

/** @type {List | null} */
let list = null;
/** The answers by the place of the item in the list. @type {Record<string, Answer>} */
let answers = {};

/** Where the answers to a list are kept: lists of the same key and the same items share them. */
function memory() {
  return `aune-doubts-${list?.key.sha256}`;
}

/** @param {Doubt} doubt */
function nameOf(doubt) {
  return `${doubt.document} ${JSON.stringify(doubt.edit)}`;
}

async function readList() {
  const [file] = chooser.files ?? [];
  if (!file) return;
  const said = byId("said");
  try {
    const found = /** @type {List} */ (JSON.parse(await file.text()));
    if (found.aune !== "doubts" || !Array.isArray(found.doubts)) throw new Error("it is no list of aune doubts");
    if (!found.key.sha256) throw new Error("it is of a key without a file");
    if (form.dataset.digest && form.dataset.digest !== found.key.sha256)
      throw new Error("it is about another version of the key: rank the items of this one");
    list = found;
  } catch (error) {
    said.textContent = `${file.name}: ${error instanceof Error ? error.message : "it cannot be read"}.`;
    return;
  }
  answers = JSON.parse(localStorage.getItem(memory()) ?? "{}");
  const shown = list.doubts.slice(0, MOST_SHOWN);
  const key = list.key.path ?? "the key";
  said.textContent = `${counted(shown.length, "item")} of ${list.items} of ${key}, for ${list.task}.`;
  byId("questions").replaceChildren(...shown.map(question));
  byId("sending").hidden = false;
  showTally();
}

/** @param {Doubt} doubt */
function question(doubt) {
  const name = nameOf(doubt);
  const heading = `question-${doubt.rank}`;
  const reason = h("input", {
    type: "text",
    maxlength: "5000",
    value: answers[name]?.reason ?? "",
    oninput: () => answer(name, { reason: reason.value }),
  });
  const choices = [choice(doubt, name, "", "later"), choice(doubt, name, "kept", "the key is right")];
  if (doubt.edit) choices.push(choice(doubt, name, "accepted", doubt.correction));
  return h(
    "li",
    { class: "panel", "aria-labelledby": heading },
    h("h2", { id: heading }, `${doubt.rank}. `, h("bdi", null, doubt.document)),
    h("p", { dir: "auto" }, `${doubt.before} `, h("mark", null, doubt.text || "∅"), ` ${doubt.after}`),
    h("p", null, "the key: ", h("strong", null, doubt.key || "nothing"), ...suggested(doubt)),
    h("div", { class: "evidence soft small" }, ...meters(doubt)),
    ...effects(doubt),
    h("fieldset", { class: "choices" }, h("legend", { class: "unseen" }, "what is right"), choices),
    h("label", { class: "why" }, "why, which is kept with the correction", reason),
  );
}

/** @param {Doubt} doubt */
function suggested(doubt) {
  if (!doubt.suggestion) return [];
  const by = doubt.supporters.length ? ` (${doubt.supporters.join(", ")})` : " (the model)";
  return [" · perhaps ", h("strong", null, doubt.suggestion), by];
}

/** @param {Doubt} doubt */
function meters(doubt) {
  return Object.entries(doubt.evidence).map(([kind, value]) => meter(kind, value));
}

/** @param {string} kind @param {number} value */
function meter(kind, value) {
  return h("label", null, `${kind} ${value.toFixed(2)} `, h("meter", { min: "0", max: "1", value: String(value) }));
}

/** @param {Doubt} doubt */
function effects(doubt) {
  const moves = doubt.effects.filter(
    (effect) => effect.before !== effect.after || effect.rank_before !== effect.rank_after,
  );
  if (!moves.length) return [];
  const texts = moves.map((effect) => {
    const change = 100 * ((effect.after ?? 0) - (effect.before ?? 0));
    const { rank_before: old, rank_after: rank } = effect;
    const ranks = old === rank ? "" : `, rank ${old} → ${rank}`;
    return `${effect.system} ${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(2)}${ranks}`;
  });
  return [h("p", { class: "soft small" }, `it would change: ${texts.join("; ")}`)];
}

/** @param {Doubt} doubt @param {string} name @param {string} value @param {string} text */
function choice(doubt, name, value, text) {
  const radio = h("input", {
    type: "radio",
    name: `decision-${doubt.rank}`,
    value,
    checked: (answers[name]?.decision ?? "") === value,
    onchange: () => answer(name, { decision: value }),
  });
  return h("label", null, radio, text);
}

/** @param {string} name @param {Partial<Answer>} change */
function answer(name, change) {
  const known = answers[name] ?? { decision: "", reason: "" };
  answers[name] = { ...known, ...change };
  localStorage.setItem(memory(), JSON.stringify(answers));
  showTally();
}

function given() {
  return (list?.doubts ?? [])
    .filter((doubt) => answers[nameOf(doubt)]?.decision)
    .map((doubt) => ({ document: doubt.document, edit: doubt.edit ?? {}, ...answers[nameOf(doubt)] }));
}

function showTally() {
  const all = given();
  const accepted = all.filter((one) => one.decision === "accepted").length;
  byId("tally").textContent = `${counted(accepted, "correction")}, ${all.length - accepted} times the key is right.`;
}

form.addEventListener("submit", (event) => {
  const all = given();
  const lacking = all.find((one) => one.decision === "accepted" && !one.reason.trim());
  if (!lacking && all.some((one) => one.decision === "accepted")) {
    sent.value = JSON.stringify({ task: list?.task, sha256: list?.key.sha256, answers: all });
    return;
  }
  event.preventDefault();
  byId("tally").textContent = lacking ? `Say why, about ${lacking.document}.` : "Accept a correction first.";
});
chooser.addEventListener("change", readList);
readList(); // the browser may remember the file
