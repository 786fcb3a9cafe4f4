// Skeletons: so many fictive mentions and two partitions typed by hand, scored while one types.

import { h, put } from "../shared/dom.js";
import { className, drawFigure, fateOf } from "./figure.js";
import { answered, csrf } from "./queue.js";
import { scoreTable } from "./scores.js";

/** @typedef {import("./figure.js").Chosen} Chosen */
/** @typedef {{ name: string, mentions: number, key: string, response: string, note: string }} Example */
/**
 * @typedef {{ problems: Record<string, string[]>, compared: Pick<import("./compare.js").Compared, "scores" | "key" |
 * "response"> }} Answer
 */
/** @typedef {{ mentions: number, key: string, response: string }} Typed */

const WAIT = 200;

class Skeleton {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.api = root.dataset.api ?? "";
    this.target = root.dataset.export ?? "";
    const typed = () => this.soon();
    this.mentions = h("input", { type: "number", min: "1", max: "2000", value: "17", oninput: typed });
    this.key = h("textarea", { rows: "3", spellcheck: "false", oninput: typed });
    this.response = h("textarea", { rows: "3", spellcheck: "false", oninput: typed });
    this.examples = h("div", { class: "acts" });
    this.wrong = h("div", { role: "alert" });
    this.results = h("div", { class: "compared", "aria-live": "polite" });
    /** @type {Chosen | null} */
    this.chosen = null;
    this.timer = 0;
    this.asked = 0;
    put(
      root,
      h(
        "p",
        { class: "soft" },
        "Classes are separated by / and mentions by blanks: 1 2 / 3 4 5. Mentions that are not named are classes " +
          "of their own; ranges such as 6-12 are understood.",
      ),
      this.examples,
      h(
        "div",
        { class: "controls skeleton-fields" },
        h("label", null, "mentions", this.mentions),
        h("label", { class: "wide" }, "key", this.key),
        h("label", { class: "wide" }, "response", this.response),
      ),
      this.wrong,
      this.results,
    );
    this.load();
  }

  async load() {
    /** @type {{ examples: Example[] }} */
    const { examples } = await answered(this.api);
    put(
      this.examples,
      "Examples of the papers: ",
      examples.map(
        (one) =>
          h("button", { type: "button", class: "quiet", title: one.note, onclick: () => this.take(one) }, one.name),
      ),
    );
    if (examples[0]) await this.take(examples[0]);
    document.body.dataset.ready = "skeleton";
  }

  /** @param {Example} example */
  take(example) {
    this.mentions.value = String(example.mentions);
    this.key.value = example.key;
    this.response.value = example.response;
    this.chosen = null;
    return this.score();
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.score(), WAIT);
  }

  async score() {
    const mine = ++this.asked;
    const typed = { mentions: Number(this.mentions.value), key: this.key.value, response: this.response.value };
    try {
      /** @type {Answer} */
      const answer = await answered(this.api, typed);
      if (mine === this.asked) this.draw(answer, typed);
    } catch (error) {
      if (mine === this.asked) put(this.wrong, h("p", { class: "warning" }, /** @type {Error} */ (error).message));
    }
  }

  /** What was typed as files. @param {Typed} typed */
  exports(typed) {
    const fields = Object.entries({ ...typed, csrfmiddlewaretoken: csrf() }).map(
      ([name, value]) => h("input", { type: "hidden", name, value: String(value) }),
    );
    const side = (/** @type {string} */ value) =>
      h("button", { name: "side", value, class: "quiet" }, `${value} as SGML`);
    return h("form", { method: "post", action: this.target, class: "acts" }, fields, side("key"), side("response"));
  }

  /** @param {Answer} answer @param {Typed} typed */
  draw(answer, typed) {
    const { key, response, scores } = answer.compared;
    const choose = (/** @type {Chosen} */ chosen) => {
      this.chosen = chosen;
      this.draw(answer, typed);
    };
    if (this.chosen && !(this.chosen.side ? response : key)[this.chosen.chain]) this.chosen = null;
    put(
      this.wrong,
      Object.entries(answer.problems).flatMap(
        ([side, problems]) => problems.map((problem) => h("p", { class: "warning" }, `${side}: ${problem}`)),
      ),
    );
    put(
      this.results,
      h("section", { class: "titled" }, scoreTable(scores, "response against key"), this.target && this.exports(typed)),
      h(
        "section",
        { class: "panel", "aria-label": "classes" },
        drawFigure([key, response], this.chosen, choose, () => {}),
        this.chosen && [
          h("h3", null, className(this.chosen.side, this.chosen.chain)),
          fateOf([key, response], this.chosen),
        ],
      ),
    );
  }
}

const root = document.getElementById("skeleton");
if (root) new Skeleton(root);
