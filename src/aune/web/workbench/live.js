// The scores of the layer against another one, while one annotates: worked out again whenever something is saved.

import { h, picker, put } from "../shared/dom.js";
import { answered } from "./queue.js";
import { scoreTable } from "./scores.js";

/** @typedef {import("./session.js").Session} Session */

export class LiveScores {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.others = session.layer.siblings.filter((one) => one.visible !== false && one.id);
    this.against = "";
    this.table = h("div", { "aria-live": "polite" });
    this.element = h("section", { class: "card-part", "aria-label": "scores", hidden: !this.others.length });
    const names = this.others.map(
      (one) =>
        /** @type {[string, string]} */ (
          [String(one.id), one.author && one.author !== one.name ? `${one.name} (${one.author})` : one.name]
        ),
    );
    put(
      this.element,
      h(
        "div",
        { class: "row" },
        h("h2", null, "Scores"),
        picker("against", [["", "nothing"], ...names], "", (layer) => this.choose(layer)),
      ),
      this.table,
    );
    session.afterSaves(() => this.refresh());
  }

  /** @param {string} layer */
  choose(layer) {
    this.against = layer;
    put(this.table);
    this.refresh();
  }

  async refresh() {
    const { api } = this.session;
    if (!this.against) return;
    try {
      const { scores } = await answered(`${api}scores?against=${encodeURIComponent(this.against)}`);
      put(
        this.table,
        scoreTable(scores),
        h(
          "a",
          {
            class: "small",
            href: `/compare/${encodeURIComponent(this.against)}/${encodeURIComponent(this.session.name)}/`,
          },
          "compare in full",
        ),
      );
    } catch (error) {
      put(this.table, h("p", { class: "soft small" }, /** @type {Error} */ (error).message));
    }
  }
}
