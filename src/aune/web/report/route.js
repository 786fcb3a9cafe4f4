// The address says what is shown: #view?name=value

/** The views there are, in the order of their links. */
export const VIEWS = [...document.querySelectorAll(".bar a")].map(
  (link) => /** @type {HTMLElement} */ (link).dataset.view ?? "",
);

/** @returns {{ view: string, params: URLSearchParams }} */
export function route() {
  const [view, query] = location.hash.slice(1).split("?");
  return { view: VIEWS.includes(view) ? view : VIEWS[0], params: new URLSearchParams(query ?? "") };
}

/**
 * @param {string} view
 * @param {Record<string, string | number | null | undefined>} params those that are empty are left out
 */
export function address(view, params) {
  const kept = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return `#${view}?${new URLSearchParams(kept.map(([name, value]) => [name, String(value)]))}`;
}

/** @param {string} view @param {Record<string, string | number | null | undefined>} params */
export function go(view, params) {
  location.hash = address(view, params);
}

/** The same view with other parameters. @param {Record<string, string | number | null | undefined>} changes */
export function change(changes) {
  const { view, params } = route();
  go(view, { ...Object.fromEntries(params), ...changes });
}
