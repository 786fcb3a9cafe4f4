// Elements. Text only ever enters a page as text nodes and attributes, never as markup.

/**
 * @typedef {Node | string | number | null | undefined | false} Kid
 * @typedef {Kid | (Kid | (Kid | Kid[])[])[]} Kids
 * @typedef {Record<string, unknown>} Props
 */

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/**
 * @template {Element} T
 * @param {T} node
 * @param {Props | null} props
 * @param {Kids[]} kids
 */
function filled(node, props, kids) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "style")
      for (const [key, part] of Object.entries(/** @type {Record<string, string | number>} */ (value)))
        /** @type {HTMLElement} */ (/** @type {unknown} */ (node)).style.setProperty(key, String(part));
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...present(kids));
  return node;
}

/**
 * @param {Kids[]} kids
 * @returns {(Node | string)[]}
 */
function present(kids) {
  const flat = /** @type {Kid[]} */ (kids.flat(3));
  return flat
    .filter((kid) => kid !== null && kid !== undefined && kid !== false)
    .map((kid) => (kid instanceof Node ? kid : String(kid)));
}

/**
 * An element of HTML.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props | null} [props]
 * @param {...Kids} kids
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = null, ...kids) {
  return filled(document.createElement(tag), props, kids);
}

/**
 * An element of SVG.
 * @param {string} tag
 * @param {Props | null} [props]
 * @param {...Kids} kids
 */
export function s(tag, props = null, ...kids) {
  return filled(document.createElementNS(SVG, tag), props, kids);
}

/**
 * @param {Element} root
 * @param {...Kids} kids
 */
export function put(root, ...kids) {
  root.replaceChildren(...present(kids));
}

/**
 * Draw something again where somebody may be at work: the field that has the focus has it again, by its name, with what
 * was typed into it (what has no name leaves it to the whole), and what was scrolled stays where it was.
 * @param {Element} root
 * @param {() => void} draw
 */
export function drawnAgain(root, draw) {
  const scrolled = () => [...root.querySelectorAll(".members")];
  const tops = scrolled().map((list) => list.scrollTop);
  const active = document.activeElement;
  const inside = active && root.contains(active);
  draw();
  scrolled().forEach((list, place) => {
    list.scrollTop = tops[place] ?? 0;
  });
  if (!inside || document.activeElement === active) return;
  const name = active.getAttribute("name");
  const field = name && /** @type {HTMLInputElement | null} */ (root.querySelector(`[name="${CSS.escape(name)}"]`));
  if (
    field && "value" in field && field.type !== "checkbox"
  ) field.value = /** @type {HTMLInputElement} */ (active).value;
  /** @type {HTMLElement} */ (field || root).focus({ preventScroll: true });
}

const SHORT = 12; // letters of a name that stays on one line

/**
 * A name that may be written in either direction; a long one may be broken where its parts meet.
 * @param {string} text
 */
export const bdi = (text) =>
  h(
    "bdi",
    null,
    text.length > SHORT
      ? text.split(/(?<=[_/.-])(?=\p{L})/u).flatMap((part, place) => (place ? [h("wbr"), part] : [part]))
      : text,
  );

/** @param {number} count */
export const thousands = (count) => count.toLocaleString("en");

/** @param {number} count @param {string} noun */
export const counted = (count, noun) => `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;

/**
 * A labelled choice.
 * @param {string} label
 * @param {(string | [string, string])[]} values each with the text to show, where it is another
 * @param {string} chosen
 * @param {(value: string) => void} changed
 */
export function picker(label, values, chosen, changed) {
  const options = values.map((one) => (Array.isArray(one) ? one : [one, one]));
  return h(
    "label",
    null,
    label,
    h(
      "select",
      {
        name: label,
        onchange: (/** @type {Event} */ event) => changed(/** @type {HTMLSelectElement} */ (event.target).value),
      },
      options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)),
    ),
  );
}

/**
 * A choice among so many names that one types.
 * @param {string} label
 * @param {string[]} values
 * @param {string} chosen
 * @param {(value: string) => void} changed
 */
export function finder(label, values, chosen, changed) {
  const id = `known-${label}`;
  return h(
    "label",
    null,
    `${label} (${thousands(values.length)}, type to find)`,
    h("input", {
      type: "search",
      list: id,
      value: chosen,
      onchange: (/** @type {Event} */ event) => {
        const typed = /** @type {HTMLInputElement} */ (event.target).value;
        const near = values.includes(typed) ? typed : values.find((one) => one.includes(typed));
        changed(near ?? chosen);
      },
    }),
    h("datalist", { id }, values.map((value) => h("option", { value }))),
  );
}

let fading = 0;

/** A short message that goes away. @param {string} text */
export function toast(text) {
  const note = byId("toast");
  note.textContent = text;
  note.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => {
    note.hidden = true;
  }, 2200);
}

/** @param {string} text @param {string} what */
export async function copied(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { style: { position: "fixed", opacity: "0" } });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast(`Copied as ${what}`);
}
