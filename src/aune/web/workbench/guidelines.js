// The guidelines of the project, beside the text: the page contains them, and they are open on the next page again.

import { h } from "../shared/dom.js";

const OPEN = "aune-guidelines";

/** The guidelines of the page; nothing where a project has none. */
export function guidelinesOf() {
  const template = /** @type {HTMLTemplateElement | null} */ (document.getElementById("guidelines"));
  if (!template) return "";
  const text = h("div", { class: "guidelines" });
  text.append(template.content.cloneNode(true));
  const box = /** @type {HTMLDetailsElement} */ (
    h("details", { "aria-label": "guidelines" }, h("summary", null, "Guidelines"), text)
  );
  box.addEventListener("toggle", () => localStorage.setItem(OPEN, box.open ? "open" : ""));
  box.open = localStorage.getItem(OPEN) === "open";
  return h("section", { class: "card-part", "aria-label": "guidelines" }, box);
}
