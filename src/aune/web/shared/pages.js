// Pages of the server: files dropped anywhere on the page go into its form, which shows how much of them was sent.

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("drop"));
const chooser = /** @type {HTMLInputElement | null} */ (form?.querySelector("input[type=file]"));

if (form && chooser) {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  addEventListener("dragleave", () => form.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer?.files.length) {
      chooser.files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
}

/** @param {HTMLFormElement} form @param {number} loaded @param {number} total bytes */
function showProgress(form, loaded, total) {
  const line = /** @type {HTMLElement | null} */ (form.querySelector(".sending"));
  const bar = line?.querySelector("progress");
  const words = line?.querySelector("span");
  if (!line || !bar || !words) return;
  line.hidden = false;
  const isSent = total > 0 && loaded >= total;
  if (isSent || !total) bar.removeAttribute("value"); // the server is reading: nobody knows how long
  else bar.value = loaded / total;
  words.textContent = isSent ? "sent; the server is reading…" : `${Math.floor((100 * loaded) / (total || 1))} % sent`;
}

for (const upload of document.querySelectorAll("form[hx-encoding='multipart/form-data']")) {
  upload.addEventListener("htmx:xhr:progress", (event) => {
    const { loaded = 0, total = 0 } = /** @type {CustomEvent} */ (event).detail;
    showProgress(/** @type {HTMLFormElement} */ (upload), loaded, total);
  });
  upload.addEventListener("htmx:afterRequest", () => {
    const line = /** @type {HTMLElement | null} */ (upload.querySelector(".sending"));
    if (line) line.hidden = true;
  });
}
