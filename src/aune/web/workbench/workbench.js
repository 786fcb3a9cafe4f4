// The page on which a layer is annotated: the text, what stands beside it, and what became of what was done.

import { bdi, byId, counted, h, put, toast } from "../shared/dom.js";
import { COMMANDS, Editor } from "./editor.js";
import { guidelinesOf } from "./guidelines.js";
import { isOpen } from "./anaphora.js";
import { Announcer } from "./announcer.js";
import { Discussion } from "./discussion.js";
import { drawArcs, drawRelations } from "./links.js";
import { LiveScores } from "./live.js";
import { Mouse } from "./mouse.js";
import { Panel } from "./panel.js";
import { asked } from "./queue.js";
import { Predictions } from "./predictions.js";
import { Rules } from "./rules.js";
import { Session } from "./session.js";
import { EditSheet, Look } from "./sheet.js";

const READY = 200; // milliseconds after the text is there

/** What a key is called on the page. @param {string} key */
const keyName = (key) =>
  key.replace("Arrow", "").replace("Right", "→").replace("Left", "←").replace("Down", "↓").replace("Up", "↑");

class Workbench {
  /** @param {HTMLElement} root @param {Session} session */
  constructor(root, session) {
    this.root = root;
    this.session = session;
    this.look = new Look(session);
    this.sheet = new EditSheet(session, this.look);
    this.sheet.element.id = "main"; // where the link at the top of the page leads
    this.editor = new Editor(session, this.look, this.sheet, {
      moved: () => this.moved(),
      search: () => this.panel.focusSearch(),
      describe: () => this.panel.describe(),
      help: () => this.help.showModal(),
      links: () => this.toggleLinks(),
      discuss: () => this.discussion.write(),
      correct: (operation, part) => this.correct(operation, part),
      relate: (source, target) => this.panel.relate(source, target),
      predicted: (how) => this.predictions[how](),
    });
    const rules = new Rules(session, session.broken, (mentions) => this.ruled(mentions));
    this.look.breaches = (id) => rules.of(id).length > 0;
    this.sheet.restyle(rules.byMention.keys());
    this.panel = new Panel(this.editor, rules, () => this.looksOtherwise());
    this.live = new LiveScores(session);
    this.discussion = new Discussion(this.editor);
    this.predictions = new Predictions(this.editor);
    const guidelines = guidelinesOf();
    const parts = [this.predictions.element, this.discussion.element, this.live.element, guidelines];
    this.panel.element.append(...parts);
    this.mouse = new Mouse(this.editor);
    this.announcer = new Announcer(this.editor);
    this.status = h("span", { class: "status", role: "status" });
    this.notice = h("div", { class: "notice", role: "alert", hidden: true });
    this.help = this.helpDialog();
    this.undo = this.button("undo", "↶", () => this.editor.back("undo"));
    this.redo = this.button("redo", "↷", () => this.editor.back("redo"));
    this.links = h(
      "button",
      { type: "button", "aria-pressed": "false", title: "classes or links (l)", onclick: () => this.toggleLinks() },
      "links",
    );
    this.done = h(
      "button",
      { type: "button", onclick: () => this.finish() },
      session.layer.kind === "proposal" ? "send" : "done",
    );
    this.export = h("a", { class: "small", href: "export?losses=1" }, "export");
    this.drawing = 0;
    session.listen((changes, inverse) => this.stateChanged(changes, inverse));
    session.watchers.push(() => this.showQueue());
    root.tabIndex = -1; // a click beside everything leaves the keys working
    root.addEventListener("keydown", (event) => this.key(event));
    put(
      root,
      this.toolbar(),
      this.notice,
      h("div", { class: "bench" }, this.sheet.element, this.panel.element),
      this.help,
      this.announcer.element,
    );
    this.showQueue();
    this.sheet.element.focus({ preventScroll: true });
    this.goTo(location.hash);
    document.body.dataset.ready = "workbench";
  }

  /** Go to the place that an address names, as searches do: `#at-120` in code points. @param {string} hash */
  goTo(hash) {
    const point = Number(hash.match(/^#at-(\d+)$/)?.[1] ?? -1);
    const { state, passage } = this.session;
    if (point < 0 || point >= passage.source.length) return;
    const there = state.order.find((id) => state.mention(id).parts[0][0] === point);
    if (there) this.editor.go(there);
    else this.editor.selectWord(passage.wordAt(point));
  }

  /** @param {string} label @param {string} sign @param {() => unknown} does */
  button(label, sign, does) {
    return h(
      "button",
      { type: "button", class: "icon", "aria-label": label, title: label, onclick: () => this.panel.afterwards(does) },
      sign,
    );
  }

  toolbar() {
    const { layer } = this.session;
    const { home = "/", text = "" } = this.root.dataset;
    return h(
      "div",
      { class: "bench-bar" },
      h(
        "div",
        { class: "where" },
        h("a", { href: home, class: "brand" }, "aune"),
        h(
          "h1",
          null,
          bdi(this.session.title),
          this.session.title !== layer.name && h("span", { class: "soft" }, " · ", bdi(layer.name)),
        ),
        text && h("a", { href: text, class: "small" }, "text and layers"),
      ),
      h(
        "div",
        { class: "tools" },
        this.status,
        this.undo,
        this.redo,
        !this.session.labelled && this.links,
        this.done,
        this.export,
        this.button("keys", "?", () => this.help.showModal()),
        h(
          "button",
          { id: "theme", type: "button", class: "icon", "aria-label": "light or dark", title: "light or dark" },
          "◐",
        ),
      ),
    );
  }

  helpDialog() {
    const row = (/** @type {import("./editor.js").Command} */ { keys, does }) =>
      h(
        "tr",
        null,
        h(
          "td",
          null,
          (keys.length > 4 ? ["1–9"] : keys).map((key, place) => [place ? " " : "", h("kbd", null, keyName(key))]),
        ),
        h("td", null, does),
      );
    return h(
      "dialog",
      { class: "help", "aria-label": "keys", onclose: () => this.sheet.element.focus({ preventScroll: true }) },
      h("form", { method: "dialog", class: "row" }, h("h2", null, "Keys"), h("button", { class: "quiet" }, "close")),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "keys" },
        h("table", null, h("tbody", null, COMMANDS.map(row))),
      ),
      h(
        "p",
        { class: "soft" },
        "With the mouse: click a mention and a chain; select words and take what the small menu offers (Alt: letters " +
          "instead of words); drag the grips under the ends of a mention; drop a chain on a chain to merge them, " +
          "a mention on a chain to move it.",
      ),
    );
  }

  /** @param {import("./state.js").Change[]} changes @param {import("./state.js").Change[]} inverse */
  stateChanged(changes, inverse) {
    this.look.forget([...changes, ...inverse]);
    if (changes.length || inverse.length) this.sheet.update(changes, inverse);
    else this.sheet.drawAll();
    const { current } = this.editor;
    if (current !== null && !this.session.state.mentions.has(current)) this.editor.current = null;
    if (!this.editor.extent) this.sheet.show(this.editor.current, true);
    this.moved();
  }

  /** Other chains are shown now: what is shown alone is what the export begins with. */
  looksOtherwise() {
    this.sheet.restyleAll();
    this.export.href =
      `export?losses=1${[...this.look.only].map((chain) => `&chain=${encodeURIComponent(chain)}`).join("")}`;
  }

  /** Show where we are: once for however much happens at a key. */
  moved() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.panel.draw();
      this.announcer.moved();
      this.discussion.moved();
      this.predictions.moved();
      this.mouse.moved();
      this.showLinks();
      this.showQueue();
    });
  }

  /**
   * Correct the words of the text, when everything is saved; the page is then drawn anew.
   * @param {"split" | "join" | "sentence"} operation
   * @param {import("./state.js").Part} part
   */
  async correct(operation, [start, end]) {
    const { passage, queue } = this.session;
    if (queue.state !== "saved") return toast("wait until everything is saved");
    const address = `/api${this.root.dataset.text}segmentation`;
    const response = await asked(address, { operation, start, end, words: passage.words }).catch(() => null);
    const answer = await response?.json().catch(() => null);
    if (!response?.ok) return toast(answer?.problems?.join("; ") ?? "no network: try again");
    location.hash = `at-${start}`;
    location.reload();
  }

  /** The schema says something else of mentions now. @param {Set<string>} mentions */
  ruled(mentions) {
    this.sheet.restyle(mentions);
    this.moved();
  }

  /** Whoever goes on by keys wants to see what digits take. @param {KeyboardEvent} event */
  key(event) {
    this.mouse.settle();
    const { current, extent } = this.editor;
    this.editor.key(event);
    if (this.editor.current !== current || this.editor.extent !== extent) this.panel.element.scrollTop = 0;
  }

  /**
   * The layer is done: others may see it, and nothing changes in it until it is opened again on the page of its text.
   */
  async finish() {
    const { api, layer, queue } = this.session;
    if (queue.state !== "saved") return toast("wait until everything is saved");
    const left = this.leftOver();
    if (left && !(await this.agreed(left))) return;
    const response = await asked(`${api}done`, { done: true }).catch(() => null);
    if (response?.ok) location.assign(layer.back || this.root.dataset.text || "/");
    else toast(response ? (await response.json()).problems.join("; ") : "no network: try again");
  }

  /** What somebody who is done may have forgotten, in words; nothing when there is nothing. */
  leftOver() {
    const { state, labelled, task } = this.session;
    const loose = labelled ? 0 : [...state.mentions.values()].filter(({ chain }) => chain === null).length;
    const open = task === "anaphora" ? [...state.mentions.keys()].filter((id) => isOpen(state, id)).length : 0;
    const untagged = task === "tagging" ? this.editor.untagged().length : 0;
    const { broken } = this.panel.rules;
    return [
      loose && `${counted(loose, "mention")} in no chain`,
      open && `${counted(open, "pronoun")} without an answer`,
      untagged && `${counted(untagged, "word")} without a tag`,
      broken.length && `${counted(broken.length, "rule")} of the schema broken`,
    ].filter(Boolean).join(", ");
  }

  /** Whether it is done all the same. @param {string} left @returns {Promise<boolean>} */
  agreed(left) {
    const question = h(
      "dialog",
      { class: "help question", "aria-label": "done" },
      h("p", null, `There are still: ${left}.`),
      h(
        "form",
        { method: "dialog", class: "acts" },
        h("button", { value: "" }, "go on annotating"),
        h("button", { value: "done" }, "done all the same"),
      ),
    );
    this.root.append(question);
    question.showModal();
    return new Promise((decided) => {
      question.addEventListener("close", () => {
        question.remove();
        this.sheet.element.focus({ preventScroll: true });
        decided(question.returnValue === "done");
      });
    });
  }

  toggleLinks() {
    this.look.links = !this.look.links;
    this.links.setAttribute("aria-pressed", String(this.look.links));
    this.sheet.restyleAll();
    this.showLinks();
    this.sheet.element.focus({ preventScroll: true });
  }

  showLinks() {
    if (this.session.labelled) drawRelations(this.sheet);
    else drawArcs(this.sheet, this.look.links ? this.sheet.lit : null);
  }

  showQueue() {
    const { queue, layer } = this.session;
    this.status.textContent = layer.editable ? queue.said() : layer.done ? "done: read only" : "read only";
    this.status.dataset.state = queue.state;
    this.undo.disabled = !this.session.undoable.length;
    this.redo.disabled = !this.session.redoable.length;
    this.done.hidden = !layer.editable;
    this.showNotice();
  }

  showNotice() {
    const { queue } = this.session;
    this.notice.hidden = !["moved", "refused", "closed", "signedout"].includes(queue.state);
    if (this.notice.hidden || this.notice.dataset.state === queue.state + queue.waiting.length) return;
    this.notice.dataset.state = queue.state + queue.waiting.length;
    const choice = (/** @type {string} */ label, /** @type {() => Promise<unknown>} */ does) =>
      h("button", { type: "button", onclick: () => this.resolve(does) }, label);
    const mine = counted(queue.waiting.length, "change");
    const theirs = choice(`take theirs, drop my ${mine}`, () => this.session.takeTheirs());
    const copy = choice("keep mine as a copy", async () => location.assign(await this.session.keepAsCopy()));
    if (queue.state === "signedout") return this.showSignedOut(mine);
    if (queue.state === "moved" && queue.moved)
      put(
        this.notice,
        h(
          "p",
          null,
          `This layer was changed in another window (${counted(queue.moved.events.length, "change")}` +
            `${this.overlap()}). Nothing of yours is lost: ${mine} wait here.`,
        ),
        h("div", { class: "acts" }, choice("put mine on top", () => this.session.putMineOnTop()), copy, theirs),
      );
    else
      put(
        this.notice,
        h("p", null, `The server did not take ${mine}: ${queue.problems.join("; ")}`),
        h(
          "div",
          { class: "acts" },
          choice("try again", () => this.session.putMineOnTop()),
          queue.state === "closed" && copy,
          theirs,
        ),
      );
  }

  /** The session ended: the page stays, and goes on when somebody signed in again. @param {string} changes */
  showSignedOut(changes) {
    const address = `/sign-in?next=${encodeURIComponent(this.root.dataset.text || "/")}`;
    const retry = async () => {
      if (!(await this.session.queue.signedIn())) toast("not signed in yet");
    };
    put(
      this.notice,
      h("p", null, `You were signed out elsewhere. Nothing of yours is lost: ${changes} wait here.`),
      h(
        "div",
        { class: "acts" },
        h("a", { href: address, target: "_blank" }, "sign in again in another window"),
        h("button", { type: "button", onclick: () => this.resolve(retry) }, "go on"),
      ),
    );
  }

  /** How many records both sides changed, in words. */
  overlap() {
    const { queue } = this.session;
    const touched = (/** @type {import("./queue.js").LayerEvent[]} */ events) =>
      new Set(events.flatMap(({ changes }) => changes.map(([table, id]) => `${table} ${id}`)));
    const theirs = touched(queue.moved?.events ?? []);
    const both = [...touched(queue.waiting.map(({ event }) => event))].filter((one) => theirs.has(one)).length;
    return both ? `, ${both} of them where you changed something too` : ", none of them where you changed something";
  }

  /** @param {() => Promise<unknown>} does */
  async resolve(does) {
    try {
      await does();
      this.notice.dataset.state = "";
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
    this.showQueue();
    this.sheet.element.focus({ preventScroll: true });
  }
}

async function open() {
  const root = byId("workbench");
  document.documentElement.classList.add("benched");
  put(root, h("p", { class: "empty" }, "…"));
  try {
    const session = await Session.opened(root.dataset.api ?? "");
    new Workbench(root, session);
    setTimeout(() => session.ranking, READY); // so that the first key does not wait for it
  } catch (error) {
    put(
      root,
      h(
        "p",
        { class: "warning", role: "alert" },
        `This layer cannot be opened: ${/** @type {Error} */ (error).message}`,
      ),
    );
    document.body.dataset.ready = "workbench";
  }
}

open();
