// The report: which view is shown, and the keys that change it. Every view is drawn from the data in the page.

import { drawConfusions } from "./confusions.js";
import { SUMMARY } from "./data.js";
import { drawDocuments } from "./documents.js";
import { byId, h, put } from "../shared/dom.js";
import { drawErrors } from "./errors.js";
import { drawRanking, showRanked } from "./ranking.js";
import { drawReading } from "./reading.js";
import { route, VIEWS } from "./route.js";

/** @type {Record<string, (root: HTMLElement, params: URLSearchParams) => Promise<void>>} */
const DRAW = {
  ranking: drawRanking,
  text: drawReading,
  confusions: drawConfusions,
  errors: drawErrors,
  documents: drawDocuments,
};

let latest = 0;

async function draw() {
  const { view, params } = route();
  const mine = ++latest;
  showLink(view);
  for (const one of VIEWS) byId(`view-${one}`).hidden = one !== view;
  const focus = focused();
  if (DRAW[view]) {
    const root = /** @type {HTMLElement} */ (byId(`view-${view}`).querySelector(".view"));
    const fresh = h("div", { class: "view" });
    try {
      await DRAW[view](fresh, params);
    } catch (error) {
      put(
        fresh,
        h(
          "p",
          { class: "warning", role: "alert" },
          `This view cannot be shown: ${/** @type {Error} */ (error).message}`,
        ),
      );
      console.error(error);
    }
    if (mine !== latest) return;
    root.replaceWith(fresh);
    reveal(fresh, params);
  }
  refocus(focus);
  document.title = `${view[0].toUpperCase()}${view.slice(1)} · ${SUMMARY.title}`;
  document.body.dataset.ready = view;
}

/** @param {string} view */
function showLink(view) {
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".bar a")))
    if (link.dataset.view === view) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else link.removeAttribute("aria-current");
}

/**
 * What an address points at can only be scrolled to once it is in the page.
 * @param {HTMLElement} root
 * @param {URLSearchParams} params
 */
function reveal(root, params) {
  showRanked(root);
  if (params.get("at")) root.querySelector(".here")?.scrollIntoView({ block: "center" });
}

// A redrawn view keeps the keyboard where it was.

const fields = (/** @type {string} */ tag) =>
  /** @type {HTMLElement[]} */ ([...document.querySelectorAll(`main section:not([hidden]) ${tag}`)]);

/** @returns {{ tag: string, place: number } | null} */
function focused() {
  const active = document.activeElement;
  if (!active?.matches("main select, main input")) return null;
  return { tag: active.tagName, place: fields(active.tagName).indexOf(/** @type {HTMLElement} */ (active)) };
}

/** @param {{ tag: string, place: number } | null} focus */
function refocus(focus) {
  if (focus && focus.place >= 0) fields(focus.tag)[focus.place]?.focus({ preventScroll: true });
}

let shown = route().view;
addEventListener("hashchange", () => {
  const { view, params } = route();
  if (view !== shown && !params.get("at")) scrollTo(0, Math.min(scrollY, byId("bar").offsetTop));
  shown = view;
  draw();
});
addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const view = VIEWS[Number(event.key) - 1];
  if (view) location.hash = `#${view}`;
  if (route().view === "text" && (event.key === "[" || event.key === "]")) {
    const step = event.key === "[" ? "previous" : "next";
    /** @type {HTMLElement | null} */ (document.querySelector(`#view-text [aria-label="${step} document"]`))?.click();
  }
});
// Nothing can be unfolded on paper: what is folded is printed open, and folded again after.
/** @type {HTMLDetailsElement[]} */
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [
    ...document.querySelectorAll("details:not([open])")
  ].map((one) => /** @type {HTMLDetailsElement} */ (one));
  for (const one of unfolded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of unfolded) one.open = false;
});
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
});
draw();
