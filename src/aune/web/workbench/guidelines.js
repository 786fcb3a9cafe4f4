// The guidelines of the project, beside the text: fetched when somebody opens them, and open on the next page again.

import { h, put } from "../shared/dom.js";

const OPEN = "aune-guidelines";

/** The guidelines at an address; nothing where a project has none. @param {string} [address] */
export function guidelinesOf(address) {
  if (!address) return "";
  const text = h("div", { class: "guidelines" });
  const box = /** @type {HTMLDetailsElement} */ (
    h("details", { "aria-label": "guidelines" }, h("summary", null, "Guidelines"), text)
  );
  box.addEventListener("toggle", () => {
    localStorage.setItem(OPEN, box.open ? "open" : "");
    if (box.open && !text.hasChildNodes()) load(address, text);
  });
  box.open = localStorage.getItem(OPEN) === "open";
  return h("section", { class: "card-part", "aria-label": "guidelines" }, box);
}

/** @param {string} address @param {HTMLElement} text */
async function load(address, text) {
  const response = await fetch(address, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!response?.ok) return put(text, h("p", { class: "warning" }, "The guidelines cannot be loaded now."));
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  put(text, ...page.body.children);
}
