// Pages of the server: files dropped anywhere on the page go into its form, which shows how much of them was sent.

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("drop"));
const chooser = /** @type {HTMLInputElement | null} */ (form?.querySelector("input[type=file]"));

if (form && chooser) {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  addEventListener("dragleave", () => form.classList.remove("over"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    form.classList.remove("over");
    const files = await filesOf(event.dataTransfer);
    if (files.length) {
      const chosen = new DataTransfer();
      for (const file of files) chosen.items.add(file);
      chooser.files = chosen.files;
      form.requestSubmit();
    }
  });
  const folder = document.getElementById("folder");
  folder?.addEventListener("click", () => {
    chooser.webkitdirectory = true;
    chooser.addEventListener("cancel", () => { chooser.webkitdirectory = false; }, { once: true });
    chooser.addEventListener("change", () => { chooser.webkitdirectory = false; }, { once: true });
    chooser.click();
  });
}

/**
 * The files that were dropped, with those of dropped folders; hidden ones (.DS_Store) stay behind.
 * @param {DataTransfer | null} dropped
 * @returns {Promise<File[]>}
 */
async function filesOf(dropped) {
  const entries = [...(dropped?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory)) return [...(dropped?.files ?? [])];
  const files = (await Promise.all(entries.flatMap((entry) => (entry ? [filesIn(entry)] : [])))).flat();
  return files.filter(({ name }) => !name.startsWith("."));
}

/** @param {FileSystemEntry} entry @returns {Promise<File[]>} */
async function filesIn(entry) {
  if (entry.isFile) return [
    await new Promise((done, failed) => /** @type {FileSystemFileEntry} */ (entry).file(done, failed)),
  ];
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {FileSystemEntry[]} */
  const inside = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) break; // a reader gives a hundred at a time
    inside.push(...some);
  }
  return (await Promise.all(inside.map(filesIn))).flat();
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
