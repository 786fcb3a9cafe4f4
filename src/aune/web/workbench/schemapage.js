// The page on which a schema is edited: types, features and relations as tables, kept as one JSON file.

import { byId, h, picker, put } from "../shared/dom.js";
import { asked } from "./queue.js";

/** @typedef {import("./schema.js").LabelType} LabelType */
/** @typedef {import("./schema.js").FeatureRule} FeatureRule */
/** @typedef {import("./schema.js").RelationRule} RelationRule */
/** @typedef {import("./schema.js").PlainSchema & { nesting: "free" | "nested" | "flat" }} EditedSchema */
/** @typedef {"types" | "features" | "relations"} Part */

/** @type {Record<EditedSchema["nesting"], string>} */
const NESTINGS = {
  free: "may cross and nest",
  nested: "may nest, and not cross",
  flat: "may not overlap, but on the same words",
};
/** @type {[FeatureRule["kind"], string][]} */
const KINDS = [["closed", "one of these values"], ["text", "free text"], ["number", "a number"]];

/** Names with commas between them. @param {string} typed */
const listed = (typed) => typed.split(",").map((name) => name.trim()).filter(Boolean);

/** @returns {LabelType} */
const freshType = () => ({ name: "", colour: "", key: "", help: "", inside: null });
/** @returns {FeatureRule} */
const freshFeature = () => ({ name: "", kind: "text", values: [], types: [], help: "" });
/** @returns {RelationRule} */
const freshRelation = () => ({ name: "", sources: [], targets: [], symmetric: false, help: "" });

class SchemaPage {
  /** @param {HTMLElement} root @param {EditedSchema} schema */
  constructor(root, schema) {
    this.root = root;
    this.schema = schema;
    this.task = root.dataset.task ?? "";
    this.outcome = h("div", { "aria-live": "polite" });
    this.draw();
    document.body.dataset.ready = "schema";
  }

  draw() {
    const { schema, task } = this;
    const labelled = task !== "coref";
    const closed = h("input", { type: "checkbox", checked: schema.closed, onchange: () => {
      schema.closed = closed.checked;
    } });
    put(
      this.root,
      h(
        "section",
        { class: "panel asked" },
        h("label", null, "Name", this.input(schema.name, (value) => { schema.name = value; }, { name: "name" })),
        labelled && h("label", { class: "check" }, closed, "other types than these are wrong"),
        labelled && picker(
          "Mentions",
          /** @type {[string, string][]} */ (Object.entries(NESTINGS)),
          schema.nesting,
          (value) => { schema.nesting = /** @type {EditedSchema["nesting"]} */ (value); },
        ),
      ),
      labelled && this.table("types", "Types", ["name", "colour", "key", "inside", "help"], schema.types,
        (type) => this.typeCells(type), freshType),
      this.table("features", "Features", ["name", "is", "values", ...(labelled ? ["types"] : []), "help"],
        schema.features, (feature) => this.featureCells(feature, labelled), freshFeature),
      this.table("relations", "Relations", ["name", ...(labelled ? ["from", "to"] : []), "both ways", "help"],
        schema.relations, (relation) => this.relationCells(relation, labelled), freshRelation),
      this.outcome,
      this.acts(),
    );
  }

  /**
   * @param {string} value
   * @param {(value: string) => void} changed
   * @param {Record<string, string>} about
   */
  input(value, changed, about) {
    const field = h("input", { type: "text", value, ...about, onchange: () => changed(field.value.trim()) });
    return field;
  }

  /**
   * A table with a row for each item, whose rows are added, moved and taken away.
   * @template Item
   * @param {Part} part
   * @param {string} title
   * @param {string[]} columns
   * @param {Item[]} items
   * @param {(item: Item) => import("../shared/dom.js").Kids[]} cells
   * @param {() => Item} fresh
   */
  table(part, title, columns, items, cells, fresh) {
    const button = (/** @type {string} */ sign, /** @type {string} */ label, /** @type {() => void} */ does) =>
      h("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick: () => {
        does();
        this.draw();
      } }, sign);
    const row = (/** @type {Item} */ item, /** @type {number} */ place) =>
      h(
        "tr",
        null,
        cells(item).map((cell) => h("td", null, cell)),
        h(
          "td",
          { class: "acts" },
          place > 0 && button("↑", `${title} ${place + 1} up`, () => {
            items.splice(place - 1, 0, ...items.splice(place, 1));
          }),
          button("✕", `remove ${title} ${place + 1}`, () => { items.splice(place, 1); }),
        ),
      );
    const add = h("button", { type: "button", onclick: () => {
      items.push(fresh());
      this.draw();
      /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-part=${part}] tr:last-child input`))?.focus();
    } }, `Add a ${title.toLowerCase().replace(/s$/, "")}`);
    return h(
      "section",
      { class: "panel", "data-part": part, "aria-label": title },
      h("h2", null, title),
      items.length > 0 && h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": `table of ${title.toLowerCase()}` },
        h(
          "table",
          { class: "schema" },
          h("thead", null, h("tr", null, [...columns, ""].map((name) => h("th", { scope: "col" }, name)))),
          h("tbody", null, items.map(row)),
        ),
      ),
      h("p", null, add),
    );
  }

  /** @param {LabelType} type */
  typeCells(type) {
    const colour = h("input", {
      type: "color",
      "aria-label": "colour",
      value: type.colour || "#888888",
      onchange: () => { type.colour = colour.value; },
    });
    const inside = type.inside === null ? "" : type.inside.join(", ") || "any";
    return [
      this.input(type.name, (value) => { type.name = value; }, { "aria-label": "name of the type" }),
      colour,
      this.input(type.key, (value) => { type.key = value; }, { "aria-label": "key", maxlength: "1", size: "2" }),
      this.input(
        inside,
        (value) => { type.inside = value === "" ? null : value === "any" ? [] : listed(value); },
        { "aria-label": "only inside of", placeholder: "anywhere; any; or types" },
      ),
      this.input(type.help, (value) => { type.help = value; }, { "aria-label": "help", size: "40" }),
    ];
  }

  /** @param {FeatureRule} feature @param {boolean} labelled */
  featureCells(feature, labelled) {
    const kind = h("select", { "aria-label": "what it is", onchange: () => {
      feature.kind = /** @type {FeatureRule["kind"]} */ (kind.value);
    } }, KINDS.map(([value, label]) => h("option", { value, selected: value === feature.kind }, label)));
    return [
      this.input(feature.name, (value) => { feature.name = value; }, { "aria-label": "name of the feature" }),
      kind,
      this.input(
        feature.values.join(", "),
        (value) => { feature.values = listed(value); },
        { "aria-label": "values", placeholder: "yes, no" },
      ),
      ...(labelled ? [this.names(feature.types, (names) => { feature.types = names; }, "types that have it")] : []),
      this.input(feature.help, (value) => { feature.help = value; }, { "aria-label": "help", size: "30" }),
    ];
  }

  /** @param {RelationRule} relation @param {boolean} labelled */
  relationCells(relation, labelled) {
    const symmetric = h("input", { type: "checkbox", "aria-label": "both ways", checked: relation.symmetric,
      onchange: () => { relation.symmetric = symmetric.checked; } });
    return [
      this.input(relation.name, (value) => { relation.name = value; }, { "aria-label": "name of the relation" }),
      ...(labelled
        ? [
          this.names(relation.sources, (names) => { relation.sources = names; }, "from types"),
          this.names(relation.targets, (names) => { relation.targets = names; }, "to types"),
        ]
        : []),
      symmetric,
      this.input(relation.help, (value) => { relation.help = value; }, { "aria-label": "help", size: "30" }),
    ];
  }

  /** @param {string[]} names @param {(names: string[]) => void} changed @param {string} label */
  names(names, changed, label) {
    return this.input(
      names.join(", "),
      (value) => changed(listed(value)),
      { "aria-label": label, placeholder: "all types" },
    );
  }

  acts() {
    const file = h("input", { type: "file", accept: ".json", onchange: () => this.take(file.files?.[0]) });
    return h(
      "section",
      { class: "panel asked" },
      h("button", { type: "button", class: "main", onclick: () => this.store(this.schema) }, "Save"),
      this.root.dataset.stored === "yes" &&
        h("button", { type: "button", onclick: () => this.store(null) }, "Back to the types of each text"),
      h("label", null, "or take the schema of a file ", file),
    );
  }

  /** The schema of a file, to be looked at before it is saved. @param {File | undefined} file */
  async take(file) {
    if (!file) return;
    try {
      const { types = [], features = [], relations = [], name = "", nesting = "free", closed = true } = JSON.parse(
        await file.text(),
      );
      this.schema = {
        name, nesting, closed,
        types: types.map((/** @type {LabelType} */ type) => Object.assign(freshType(), type)),
        features: features.map((/** @type {FeatureRule} */ feature) => Object.assign(freshFeature(), feature)),
        relations: relations.map((/** @type {RelationRule} */ relation) => Object.assign(freshRelation(), relation)),
      };
      this.draw();
    } catch (error) {
      this.say(`This file is no schema: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {EditedSchema | null} schema */
  async store(schema) {
    const response = await asked(`/api${location.pathname}`, { task: this.task, schema }).catch(() => null);
    if (response?.ok) return location.assign(`${location.pathname}?task=${this.task}&saved=1`);
    const answer = await response?.json().catch(() => null);
    this.say(answer?.problems?.join("; ") ?? "no network: nothing was saved, try again");
  }

  /** @param {string} message */
  say(message) {
    put(this.outcome, h("p", { class: "warning", role: "alert" }, message));
  }
}

new SchemaPage(byId("schema"), JSON.parse(byId("plain").textContent ?? "{}"));
