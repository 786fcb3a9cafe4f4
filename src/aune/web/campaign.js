// Pages of a campaign: instants in the reader's own time, the page that one is on marked among the links.

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

for (const link of document.querySelectorAll("nav.campaign a")) {
  if (link.getAttribute("href") === location.pathname) link.setAttribute("aria-current", "page");
}
// What comes in place of the whole page, or as a file, is asked for anew.
if (document.querySelector("[data-again]")) setTimeout(() => location.reload(), 1500);
localised();
document.addEventListener("htmx:load", localised);
