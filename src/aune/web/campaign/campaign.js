// Pages of a campaign: instants in the reader's own time, the page that one is on marked among the links, and forms
// that
// keep what was typed when it is refused.

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const zone = new Intl.DateTimeFormat(undefined, { timeZoneName: "short" });

/** @param {Date} instant */
function zoneName(instant) {
  return zone.formatToParts(instant).find((part) => part.type === "timeZoneName")?.value ?? "";
}

/** What was written in UTC, in local time; UTC stays where one points at it. */
function localised() {
  for (const element of document.querySelectorAll("time[datetime]:not([title])")) {
    const instant = new Date(element.getAttribute("datetime") ?? "");
    element.setAttribute("title", element.textContent ?? "");
    element.textContent = `${clock.format(instant)} ${zoneName(instant)}`;
  }
}

/**
 * What is refused is told beside the form, where it can be mended: htmx sends it, and goes on where it is taken.
 * @param {HTMLFormElement} form
 */
function staysHere(form) {
  const told = document.createElement("div");
  told.className = "refusal";
  told.setAttribute("aria-live", "polite");
  form.append(told);
  form.setAttribute("hx-post", form.getAttribute("action") ?? "");
  form.setAttribute("hx-target", "find .refusal");
  form.setAttribute("hx-disabled-elt", "find button");
  if (form.enctype === "multipart/form-data") form.setAttribute("hx-encoding", form.enctype);
}

// before htmx looks at the page, which it does when all of it is there; a form whose answer is a page is left alone
for (const form of document.querySelectorAll('main form[method="post"][action^="/campaign/"]:not([data-page])')) {
  if (form instanceof HTMLFormElement) staysHere(form);
}
for (const link of document.querySelectorAll("nav.campaign a")) {
  if (link.getAttribute("href") === location.pathname) link.setAttribute("aria-current", "page");
}
// What comes in place of the whole page, or as a file, is asked for anew.
if (document.querySelector("[data-again]")) setTimeout(() => location.reload(), 1500);
localised();
document.addEventListener("htmx:load", localised);
