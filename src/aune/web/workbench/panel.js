// Beside the text: the mention one is at with its likely chains, all chains, and one chain with everything about it.

import { EXPLETIVE, NONE, shownAnswer } from "./anaphora.js";
import { bdi, counted, drawnAgain, h, picker, put, thousands, toast } from "../shared/dom.js";
import * as operations from "./operations.js";
import { chainLine, chip } from "./sheet.js";
import { isZero } from "./state.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./sheet.js").Look} Look */

const LISTED = 60;
const KINDS = ["name", "noun", "pronoun", "unanalysed"];
const USUAL = { gender: ["feminine", "masculine", "neuter"], number: ["singular", "plural"] };
const RELATIONS = ["part", "bridging", "split"];
/** What things are called where mentions have labels. @type {Record<string, { type: string, types: string }>} */
const NOUNS = {
  entities: { type: "type of entity", types: "Types" },
  tagging: { type: "tag", types: "Tags" },
  anaphora: { type: "what it is", types: "Pronouns" },
};
/** @type {Record<string, string>} */
const SEARCHES = { entities: "another type", tagging: "another tag", anaphora: "something else" };
/** @type {Record<string, string>} */
const MARKING = { entities: "mark with the first type", tagging: "take the first tag" };
/** @type {Record<string, string>} */
const FIRST_STEPS = {
  coref: "Select words with the mouse or with → and Shift (p: what looks like the next mention); " +
    "n makes them the first mention of a chain.",
  entities: "Select words with the mouse or with → and Shift, then take a type.",
  tagging: "Tab goes to the next word without a tag; digits take a tag, / searches one. " +
    "→ and Shift select a compound.",
  anaphora: "p goes to the next pronoun; digits take its antecedent, n says that it has none in the text.",
};

export class Panel {
  /**
   * @param {Editor} editor
   * @param {import("./rules.js").Rules} rules
   * @param {() => void} changed when the look of all marks changed
   */
  constructor(editor, rules, changed) {
    this.editor = editor;
    this.rules = rules;
    this.session = editor.session;
    this.look = editor.look;
    this.changed = changed;
    /** The chain that is open. @type {string | null} */
    this.open = null;
    /** Chains that are ticked. @type {Set<string>} */
    this.ticked = new Set();
    this.listed = LISTED;
    /** What the next relation between mentions is called. */
    this.kind = "related";
    this.sorted = "number";
    this.mentionCard = h("section", { class: "card-part", "aria-label": "mention" });
    this.chainCard = h("section", { class: "card-part", "aria-label": "chain" });
    this.breaches = h("section", { class: "card-part", "aria-label": "rules" });
    this.list = h("ul", { class: "chains" });
    this.tally = h("p", { class: "soft small" });
    this.acts = h("div", { class: "acts" });
    this.search = h("input", {
      type: "search",
      placeholder: NOUNS[this.session.task]?.type ?? "search a chain",
      "aria-label": NOUNS[this.session.task]?.type ?? "search a chain",
      oninput: () => this.drawList(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.searchKey(event),
    });
    this.chains = h(
      "section",
      { class: "card-part", "aria-label": this.session.labelled ? "types" : "chains" },
    );
    this.element = h(
      "aside",
      { class: "panel bench-panel", "aria-label": "mention and chains", tabindex: "0" },
      this.mentionCard,
      this.breaches,
      this.chainCard,
      this.chains,
    );
    this.element.addEventListener(
      "keydown",
      (event) => event.key === "Escape" && event.target !== this.search && this.afterwards(() => this.draw()),
    );
    this.layOut();
    this.draw();
  }

  get state() {
    return this.session.state;
  }

  layOut() {
    if (this.session.labelled) {
      put(this.chains, h("h2", null, NOUNS[this.session.task].types), this.search, this.list);
      return;
    }
    const single = h("input", { type: "checkbox", onchange: () => this.setHidden(single.checked) });
    put(
      this.chains,
      h(
        "div",
        { class: "row" },
        h("h2", null, "Chains"),
        picker("sorted by", ["number", "size", "name"], "number", (by) => this.sort(by)),
      ),
      this.tally,
      this.search,
      h("label", { class: "check" }, single, "hide singletons"),
      this.acts,
      this.list,
    );
  }

  /** @param {boolean} hidden */
  setHidden(hidden) {
    this.look.hideSingletons = hidden;
    this.changed();
    this.drawList();
  }

  /** @param {string} by */
  sort(by) {
    this.sorted = by;
    this.drawList();
  }

  draw() {
    drawnAgain(this.element, () => {
      this.drawMention();
      this.drawBreaches();
      this.drawChain();
      this.drawList();
    });
  }

  // The mention

  drawMention() {
    const { editor, session } = this;
    const mention = editor.mention();
    if (!mention) {
      put(
        this.mentionCard,
        h(
          "p",
          { class: "soft" },
          this.state.order.length
            ? "j goes to the first mention."
            : FIRST_STEPS[session.task],
        ),
        this.state.order.length > 0 && session.task !== "coref" &&
          h("p", { class: "soft small" }, FIRST_STEPS[session.task]),
        h("p", { class: "soft small" }, "? tells all keys."),
      );
      return;
    }
    const part = editor.part();
    const status = editor.reshaping
      ? (editor.reshaping.adds ? "select one more part of it" : "select what it covers")
      : part
      ? "selected"
      : mention.chain === null && !mention.label
      ? "in no chain"
      : session.task === "anaphora" && editor.current !== null
      ? `${mention.label} ${shownAnswer(session, editor.current)}`
      : "";
    put(
      this.mentionCard,
      h("h2", { class: "quoted", dir: "auto" }, bdi(session.passage.shown(mention))),
      h(
        "p",
        { class: "soft small state-line" },
        status || (mention.label ? mention.label : ["in ", ...chainLine(this.look, mention.chain ?? "")]),
      ),
      session.layer.editable && this.pending(),
      !part && this.rules.of(editor.current).map(({ message }) => h("p", { class: "warning" }, message)),
      session.layer.editable && (
        editor.reshaping ? this.reshapingActs(editor.reshaping.adds) : this.choices(part !== null)
      ),
      session.layer.editable && !part && this.mentionActs(),
      session.layer.editable && !part && this.features(mention),
      session.labelled && session.task !== "tagging" && !part && this.mentionRelations(mention),
    );
  }

  /** The relations of a mention, and what the next one is called. @param {import("./state.js").Mention} mention */
  mentionRelations(mention) {
    const { editor, session, state } = this;
    const { current } = editor;
    if (current === null) return null;
    const relations = state.relationsOf(current);
    const shown = (/** @type {string} */ id) => bdi(session.passage.shown(state.mention(id)));
    const line = (/** @type {[string, import("./state.js").Relation]} */ [id, { kind, source, targets }]) =>
      h(
        "li",
        null,
        h(
          "span",
          { class: "what" },
          shown(source),
          ` – ${kind} → `,
          targets.map((target, place) => [place ? ", " : "", shown(target)]),
        ),
        session.layer.editable && h(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-label": "remove the relation",
            onclick: () => this.afterwards(() => session.act("unrelate", operations.unrelate(state, id))),
          },
          "✕",
        ),
      );
    const kinds = session.schema.relationsFrom(mention.label).map(({ name }) => name);
    const offers = session.layer.editable && session.task === "entities" && (kinds.length || !session.schema.closed);
    if (!relations.length && !offers) return null;
    if (offers && !kinds.includes(this.kind)) this.kind = kinds[0] ?? this.kind;
    return h(
      "section",
      { "aria-label": "relations" },
      h("ul", { class: "members" }, relations.map(line)),
      offers && h(
        "div",
        { class: "acts relate" },
        kinds.length
          ? picker("relation", kinds, this.kind, (kind) => { this.kind = kind; })
          : h("input", {
            type: "text",
            name: "relation",
            value: this.kind,
            "aria-label": "relation",
            onchange: (/** @type {Event} */ event) => {
              this.kind = /** @type {HTMLInputElement} */ (event.target).value.trim() || "related";
            },
          }),
        this.act("relate to…", "b", () => editor.beginLink()),
      ),
    );
  }

  /** A relation of the chosen kind between two mentions. @param {string} source @param {string} target */
  relate(source, target) {
    const rule = this.session.schema.relations.find(({ name }) => name === this.kind);
    const { label } = this.state.mention(target);
    if (rule?.targets.length && !rule.targets.includes(label)) return toast(`${this.kind} does not go to ${label}`);
    const ends = [source, target].map((id) => ({ id, parts: [], label: "" }));
    this.session.act(
      "relate",
      operations.tie(this.state, operations.newId("r"), this.kind, ends[0], ends[1]),
    );
    this.editor.go(source);
  }

  /** What was begun and waits for its end: a link, or mentions that are picked. */
  pending() {
    const { editor, session } = this;
    const anaphor = editor.linking === null ? undefined : this.state.mentions.get(editor.linking);
    const picked = [...editor.sheet.picked].filter((id) => this.state.mentions.has(id)).length;
    return [
      anaphor && h(
        "p",
        { class: "small" },
        h("kbd", null, "Enter"),
        " links ",
        bdi(session.passage.shown(anaphor)),
        editor.linking === editor.current ? " to the mention that you go to" : " to this one",
      ),
      picked > 0 && h(
        "div",
        { class: "acts" },
        h("span", { class: "small" }, `${picked} picked:`),
        this.act("split off", "s", () => editor.split()),
        this.act("merge their chains", "g", () => editor.merge()),
      ),
    ];
  }

  /** What the schema has against all of it: click to go there. */
  drawBreaches() {
    const { broken } = this.rules;
    const line = (/** @type {import("./rules.js").Broken} */ { mention, message }) =>
      h(
        "li",
        null,
        h(
          "button",
          {
            type: "button",
            class: "choice",
            title: message,
            onclick: () => this.afterwards(() => this.editor.go(mention)),
          },
          h("span", { class: "what" }, bdi(this.session.passage.shown(this.state.mention(mention)))),
          h("span", { class: "soft small" }, this.state.mention(mention).label),
        ),
      );
    const open = this.breaches.querySelector("details")?.open ?? false;
    put(
      this.breaches,
      broken.length > 0 && h(
        "details",
        { open },
        h("summary", null, `${counted(broken.length, "rule")} broken`),
        h("ul", { class: "members" }, broken.slice(0, LISTED).map(line)),
      ),
    );
  }

  /** @param {boolean} selected */
  choices(selected) {
    const { editor } = this;
    const { labelled: entities, task } = this.session;
    const choices = editor.choices();
    const line = (
      /** @type {string} */ key,
      /** @type {import("../shared/dom.js").Kids} */ inside,
      /** @type {string} */ why,
      /** @type {() => unknown} */ does,
    ) =>
      h(
        "li",
        null,
        h(
          "button",
          { type: "button", class: "choice", onclick: () => this.afterwards(does) },
          h("kbd", null, key),
          h("span", { class: "what" }, inside),
          h("span", { class: "soft small" }, why),
        ),
      );
    return h(
      "ol",
      { class: "choices", "aria-label": task === "anaphora" ? "antecedents" : entities ? "types" : "likely chains" },
      choices.map(
        (choice, place) =>
          line(
            String(place + 1),
            choice.chain === null ? bdi(choice.label) : chainLine(this.look, choice.chain),
            choice.why || this.session.schema.types.get(choice.label)?.help || "",
            () => editor.take(choice),
          ),
      ),
      task === "anaphora" && line("n", "none in the text", "", () => editor.settle(NONE)),
      task === "anaphora" && line("w", "expletive: it rains", "", () => editor.settle(EXPLETIVE)),
      !entities && line("n", selected ? "new mention, new chain" : "new chain", "", () => editor.newChain()),
      selected && line("m", MARKING[task] ?? "mark, decide later", "", () => editor.mark()),
      line("/", SEARCHES[task] ?? "search", "", () => this.focusSearch()),
    );
  }

  /** @param {string} label @param {string} key @param {() => unknown} does */
  act(label, key, does) {
    return h(
      "button",
      { type: "button", class: "quiet", title: `key ${key}`, onclick: () => this.afterwards(does) },
      label,
    );
  }

  /** @param {boolean} adds whether a part is added */
  reshapingActs(adds) {
    const { editor } = this;
    return h(
      "div",
      { class: "acts" },
      this.act(adds ? "add the selected words" : "take the selected words", "m", () => editor.mark()),
      this.act("leave it as it was", "Escape", () => editor.escape()),
    );
  }

  mentionActs() {
    const { editor } = this;
    const act = this.act.bind(this);
    const mention = editor.mention();
    const zero = mention !== null && isZero(mention);
    const coref = !this.session.labelled;
    const { task } = this.session;
    return h(
      "div",
      { class: "acts" },
      !zero && act("extent", "e", () => editor.reshape(false)),
      !zero && act("add a part", "+", () => editor.reshape(true)),
      (task === "entities" || task === "tagging") &&
        act(task === "tagging" ? "one more tag" : "one more type", "t", () => editor.again()),
      task === "anaphora" && act("one more antecedent", "b", () => editor.beginLink()),
      task === "anaphora" && act("no answer yet", "y", () => editor.reopen()),
      coref && editor.mention()?.chain && act("out of its chain", "d", () => editor.detach()),
      coref && editor.mention()?.chain && act("split from here on", "y", () => editor.cut()),
      act("unmark", "x", () => editor.unmark()),
    );
  }

  /** @param {import("./state.js").Mention} mention */
  features(mention) {
    const rules = new Map(this.session.schema.featuresOf(mention.label).map((rule) => [rule.name, rule]));
    const usual = rules.size || this.session.schema.features.length || this.session.task === "tagging"
      ? [...rules.keys()]
      : ["kind", ...Object.keys(USUAL), "sense"];
    const names = [...new Set([...usual, ...Object.keys(mention.features)])];
    const describe = (/** @type {string} */ name, /** @type {string} */ value) => {
      if (this.editor.current !== null) this.session.act(
        "describe",
        operations.describe(this.state, [this.editor.current], { features: { [name]: value.trim() } }),
      );
    };
    const field = (/** @type {string} */ name) => {
      const value = mention.features[name] ?? "";
      const rule = rules.get(name);
      const known = rule
        ? (rule.kind === "closed" ? rule.values : null)
        : name === "kind"
        ? (this.session.kinds.length ? this.session.kinds : KINDS)
        : /** @type {Record<string, string[]>} */ (USUAL)[name];
      if (known) return picker(
        name,
        [
          ["", "–"],
          .../** @type {[string, string][]} */ (
            [...new Set([...known, value])].filter(Boolean).map((one) => [one, one])
          )
        ],
        value,
        (chosen) => describe(name, chosen),
      );
      return h(
        "label",
        { title: rule?.help ?? "" },
        name,
        h(
          "input",
          {
            type: rule?.kind === "number" ? "number" : "text",
            step: "any",
            name,
            value,
            onchange: (/** @type {Event} */ event) =>
              describe(name, /** @type {HTMLInputElement} */ (event.target).value),
          },
        ),
      );
    };
    const fresh = h("input", {
      type: "text",
      name: "another feature",
      placeholder: "feature=value",
      onchange: () => {
        const [name, ...value] = fresh.value.split("=");
        if (!name.trim() || !value.length) return toast("a feature and its value, such as role=agent");
        fresh.value = "";
        describe(name.trim(), value.join("="));
      },
    });
    const shut = this.mentionCard.querySelector("details")?.open !== true;
    const said = Object.entries(mention.features).map(
      ([name, value]) => (name === "kind" ? value : `${name} ${value}`),
    );
    return h(
      "details",
      { open: !shut },
      h("summary", null, said.length ? said.join(", ") : "kind and features"),
      h("div", { class: "controls fields" }, names.map(field), h("label", null, "another", fresh)),
    );
  }

  /** Show kind and features, ready to be changed. */
  describe() {
    const details = this.mentionCard.querySelector("details");
    if (!details) return;
    details.open = true;
    details.querySelector("select")?.focus();
  }

  /** Do something, and give the keyboard back to the text. @param {() => unknown} does */
  afterwards(does) {
    does();
    if (document.activeElement !== this.search) this.editor.sheet.element.focus({ preventScroll: true });
  }

  // All chains

  focusSearch() {
    this.search.value = "";
    this.search.focus();
    this.drawList();
  }

  /** @param {KeyboardEvent} event */
  searchKey(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      this.focusSearch();
      this.search.blur();
      this.editor.sheet.element.focus({ preventScroll: true });
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    const typed = this.search.value.trim();
    const first = this.shownChains()[0];
    this.search.blur();
    if (this.session.labelled) this.afterwards(() => typed && this.takeType(typed));
    else if (first && this.editor.mention()) this.afterwards(() => this.editor.group(first, "attach"));
    else if (first) this.afterwards(() => this.openChain(first));
    this.search.value = "";
    this.drawList();
  }

  /** The chains that are listed: those that were searched for, in the order that was chosen. */
  shownChains() {
    const typed = this.search.value.trim().toLowerCase();
    const { look, state } = this;
    const chains = [...state.chains.keys()].filter((id) => !(look.hideSingletons && state.size(id) === 1));
    const found = typed
      ? chains.filter((id) => String(look.numberOf(id)) === typed || this.words(id).includes(typed))
      : chains;
    if (this.sorted === "size") return found.sort(
      (a, b) => state.size(b) - state.size(a) || look.numberOf(a) - look.numberOf(b),
    );
    if (this.sorted === "name") return found.sort((a, b) => look.called(a).localeCompare(look.called(b)));
    return found.sort((a, b) => look.numberOf(a) - look.numberOf(b));
  }

  /** What a chain is found by: its name, its notes and its mentions. @param {string} id */
  words(id) {
    const { state, session } = this;
    const chain = state.chains.get(id);
    return [
      chain?.name,
      chain?.notes,
      ...[...(state.sets.get(id) ?? [])].map((one) => session.passage.shown(state.mention(one)))
    ].join("\n").toLowerCase();
  }

  drawList() {
    if (this.session.labelled) return this.drawTypes();
    const { look, state } = this;
    this.ticked = new Set([...this.ticked].filter((id) => state.chains.has(id)));
    const shown = this.shownChains();
    const grouped = [...state.sets.values()].reduce((sum, set) => sum + set.size, 0);
    const loose = state.mentions.size - grouped;
    put(
      this.tally,
      `${counted(grouped, "mention")} in ${counted(state.chains.size, "chain")}`,
      loose > 0 && [`, ${loose} in none (`, h("kbd", null, "Tab"), ")"],
    );
    put(
      this.list,
      shown.slice(0, this.listed).map((id) => this.chainRow(id)),
      shown.length > this.listed &&
        h(
          "li",
          null,
          h(
            "button",
            { type: "button", class: "quiet", onclick: () => { this.listed += 10 * LISTED; this.drawList(); } },
            `${counted(shown.length - this.listed, "chain")} more`,
          ),
        ),
      !shown.length && h("li", { class: "soft" }, state.chains.size ? "no such chain" : "no chain yet"),
    );
    const ticked = [...this.ticked];
    const act = (/** @type {string} */ label, /** @type {() => void} */ does) =>
      h("button", { type: "button", class: "quiet", onclick: does }, label);
    put(
      this.acts,
      ticked.length > 1 &&
        this.session.layer.editable &&
        act(`merge ${ticked.length} chains`, () => { this.ticked.clear(); this.editor.mergeChains(ticked); }),
      ticked.length > 0 && act(`show only ${ticked.length === 1 ? "this" : "these"}`, () => this.restrict(ticked)),
      look.only.size > 0 && act("show all", () => this.restrict([])),
    );
  }

  /**
   * The types that are listed: what is typed as it is, then what begins with it; the most frequent first, then in the
   * order of the schema.
   * @param {Map<string, number>} counts
   */
  shownTypes(counts) {
    const typed = this.search.value.trim().toLowerCase();
    const known = [
      ...new Set([...counts.keys(), ...this.session.labels])
    ].filter((label) => label.toLowerCase().includes(typed));
    const places = new Map(this.session.labels.map((label, place) => [label, place]));
    const rank = (/** @type {string} */ label) => [
      label.toLowerCase() === typed ? 0 : 1,
      label.toLowerCase().startsWith(typed) ? 0 : 1,
      -(counts.get(label) ?? 0),
      places.get(label) ?? places.size,
    ];
    const compared = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
      a.map((one, place) => one - b[place]).find((difference) => difference !== 0) ?? 0;
    return known.map((label) => /** @type {[number[], string]} */ ([rank(label), label]))
      .sort(([a, one], [b, other]) => compared(a, b) || one.localeCompare(other, "en"))
      .map(([, label]) => label);
  }

  /** How often each type is used. */
  typeCounts() {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { label } of this.state.mentions.values()) counts.set(label, (counts.get(label) ?? 0) + 1);
    return counts;
  }

  drawTypes() {
    const counts = this.typeCounts();
    const shown = this.shownTypes(counts);
    put(
      this.list,
      shown.slice(0, this.listed).map((label) => this.typeRow(label, counts.get(label) ?? 0)),
      shown.length > this.listed &&
        h("li", { class: "soft" }, `and ${thousands(shown.length - this.listed)} more: type what they contain`),
    );
  }

  /** A type with its colour, its key, its help and how often it is used. @param {string} label @param {number} count */
  typeRow(label, count) {
    const { schema } = this.session;
    const type = schema.types.get(label);
    const strange = schema.closed && !schema.knows(label);
    return h(
      "li",
      null,
      h(
        "button",
        {
          type: "button",
          class: "choice",
          title: type?.help ?? "",
          onclick: () => this.afterwards(() => this.editor.type(label)),
        },
        h("span", { class: "swatch", style: { "--h": this.look.labelHue(label) }, "aria-hidden": "true" }),
        type?.key && h("kbd", null, type.key),
        h("span", { class: "what" }, bdi(label), strange && h("span", { class: "warning" }, " not in the schema")),
        h("span", { class: "soft small count" }, count),
      ),
      type?.help && h("p", { class: "soft small type-help" }, type.help),
    );
  }

  /** The first type of the schema that is listed; where there is none, what is typed. @param {string} typed */
  takeType(typed) {
    const { schema } = this.session;
    const label = schema.closed && !schema.knows(typed) ? this.shownTypes(this.typeCounts())[0] : typed;
    if (label) this.editor.type(label);
    else toast(`the schema has no type ${typed}`);
  }

  /** @param {string[]} chains */
  restrict(chains) {
    this.look.only = new Set(chains);
    this.ticked.clear();
    this.changed();
    this.draw();
  }

  /** @param {string} id */
  chainRow(id) {
    const tick = h("input", {
      type: "checkbox",
      name: `pick ${id}`,
      "aria-label": `pick chain ${this.look.numberOf(id)}`,
      checked: this.ticked.has(id),
      onchange: () => {
        if (!this.ticked.delete(id)) this.ticked.add(id);
        this.draw();
      },
    });
    const name = h(
      "button",
      {
        type: "button",
        class: "choice",
        name: `chain ${id}`,
        "aria-expanded": String(this.open === id),
        onclick: () => this.openChain(this.open === id ? null : id),
      },
      h("span", { class: "what" }, chainLine(this.look, id)),
      h("span", { class: "soft small" }, this.state.size(id)),
    );
    const row = h("li", { class: "chain-row", draggable: "true", "data-chain": id }, tick, name);
    row.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/aune-chain", id));
    row.addEventListener("dragover", (event) => event.preventDefault());
    row.addEventListener("drop", (event) => this.dropped(event, id));
    return row;
  }

  /**
   * A chain dropped on another is merged with it, a mention dropped on a chain moves there.
   * @param {DragEvent} event
   * @param {string} chain
   */
  dropped(event, chain) {
    event.preventDefault();
    const other = event.dataTransfer?.getData("text/aune-chain");
    const mention = event.dataTransfer?.getData("text/aune-mention");
    if (!this.session.layer.editable) return;
    if (other && other !== chain) this.editor.mergeChains([chain, other]);
    if (mention) this.session.act("move", operations.attach(this.state, [mention], chain));
  }

  // One chain

  /** @param {string | null} id */
  openChain(id) {
    this.open = id;
    this.draw();
  }

  drawChain() {
    const id = this.open;
    const chain = id === null ? undefined : this.state.chains.get(id);
    if (id === null || !chain) {
      this.open = null;
      put(this.chainCard);
      return;
    }
    const editable = this.session.layer.editable;
    const name = h(
      "input",
      {
        type: "text",
        name: "name",
        value: chain.name,
        onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && this.afterwards(() => {}),
        disabled: !editable,
        onchange: () => this.session.act("name", operations.rename(this.state, id, { name: name.value.trim() })),
      },
    );
    const notes = h(
      "textarea",
      {
        rows: "2",
        name: "notes",
        disabled: !editable,
        onchange: () => this.session.act("name", operations.rename(this.state, id, { notes: notes.value.trim() })),
      },
      chain.notes,
    );
    const members = this.state.members(id);
    put(
      this.chainCard,
      h(
        "div",
        { class: "row" },
        h("h2", null, chip(this.look, id), " ", bdi(this.look.called(id))),
        h(
          "button",
          { type: "button", class: "quiet", "aria-label": "close the chain", onclick: () => this.openChain(null) },
          "✕",
        ),
      ),
      h(
        "div",
        { class: "controls fields" },
        h("label", { class: "wide" }, "name", name),
        h("label", { class: "wide" }, "notes", notes),
      ),
      editable && this.putHere(id),
      this.memberList(members),
      editable && this.splitButton(members),
      this.relations(id),
    );
  }

  /** The mention one is at, or what is selected, into the chain that is open. @param {string} id */
  putHere(id) {
    const mention = this.editor.mention();
    if (!mention || mention.chain === id || this.editor.reshaping) return null;
    return h(
      "div",
      { class: "acts" },
      h(
        "button",
        { type: "button", class: "put-here", onclick: () => this.afterwards(() => this.editor.group(id, "attach")) },
        "put here: ",
        bdi(this.session.passage.shown(mention)),
      ),
    );
  }

  /** @param {string[]} members */
  memberList(members) {
    const { sheet } = this.editor;
    const row = (/** @type {string} */ member) => {
      const shown = this.session.passage.shown(this.state.mention(member));
      const tick = h("input", {
        type: "checkbox",
        name: `pick ${member}`,
        "aria-label": `pick ${shown}`,
        checked: sheet.picked.has(member),
        onchange: () => {
          if (!sheet.picked.delete(member)) sheet.picked.add(member);
          sheet.restyle([member]);
          this.draw();
        },
      });
      const item = h(
        "li",
        { draggable: "true" },
        tick,
        h(
          "button",
          { type: "button", class: "choice serif", onclick: () => this.afterwards(() => this.editor.go(member)) },
          bdi(shown),
        ),
      );
      item.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/aune-mention", member));
      return item;
    };
    return h(
      "ul",
      { class: "members" },
      members.slice(0, 200).map(row),
      members.length > 200 && h("li", { class: "soft" }, `and ${counted(members.length - 200, "mention")}`),
    );
  }

  /** @param {string[]} members */
  splitButton(members) {
    const picked = members.filter((id) => this.editor.sheet.picked.has(id));
    if (!picked.length) return null;
    return h(
      "div",
      { class: "acts" },
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => this.editor.split() },
        `split ${counted(picked.length, "mention")} off`,
      ),
    );
  }

  /** @param {string} id */
  relations(id) {
    const { state, look } = this;
    const mine = [...state.relations].filter(([, relation]) => relation.source === id || relation.targets.includes(id));
    const line = (/** @type {[string, import("./state.js").Relation]} */ [name, relation]) =>
      h(
        "li",
        null,
        h(
          "span",
          { class: "what" },
          relation.source === id
            ? `${relation.kind} of `
            : [...chainLine(look, relation.source), ` is ${relation.kind} of `],
          relation.targets.map((target, place) => [place ? ", " : "", ...chainLine(look, target)]),
        ),
        this.session.layer.editable && h(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-label": "remove the relation",
            onclick: () => this.session.act("unrelate", operations.unrelate(state, name)),
          },
          "✕",
        ),
      );
    const kind = h(
      "input",
      { type: "text", name: "relation", value: "part", list: "relation-kinds", "aria-label": "kind of relation" },
    );
    const ticked = [...this.ticked].filter((chain) => chain !== id).map((chain) => look.numberOf(chain)).join(" ");
    const target = h(
      "input",
      {
        type: "text",
        name: "related",
        value: ticked,
        placeholder: "chain numbers",
        "aria-label": "related chains, by number",
      },
    );
    const relate = () => {
      const wanted = target.value.match(/\d+/g)?.map(Number) ?? [];
      const targets = [...state.chains.keys()].filter((chain) => chain !== id && wanted.includes(look.numberOf(chain)));
      const lacking = wanted.filter((number) => !targets.some((chain) => look.numberOf(chain) === number));
      if (lacking.length) return toast(`no other chain ${lacking.join(", ")}`);
      if (!targets.length || !kind.value.trim()) return toast("which chains? Their numbers, such as 2 5");
      this.session.act(
        "relate",
        operations.relate(state, operations.newId("r"), { kind: kind.value.trim(), source: id, targets, via: [] }),
      );
    };
    return h(
      "details",
      { open: mine.length > 0 || this.chainCard.querySelector("details")?.open === true },
      h("summary", null, mine.length ? counted(mine.length, "relation") : "relations"),
      h("ul", { class: "members" }, mine.map(line)),
      this.session.layer.editable && h(
        "div",
        { class: "acts relate" },
        kind,
        h("datalist", { id: "relation-kinds" }, RELATIONS.map((value) => h("option", { value }))),
        target,
        h("button", { type: "button", onclick: relate }, "relate"),
      ),
    );
  }
}
