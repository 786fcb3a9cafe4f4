// Pages of the server: files dropped anywhere on the page go into its form, which shows how much of them was sent.

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("drop"));
const chooser = /** @type {HTMLInputElement | null} */ (form?.querySelector("input[type=file]"));
const paths = /** @type {HTMLInputElement | null} */ (form?.querySelector("input[name=paths]"));

/** @typedef {{ file: File, path: string }} Located a file and its path in the folder that it came with */

if (form && chooser && paths) {
  /** @param {Located[]} located */
  const take = (located) => {
    const files = new DataTransfer();
    for (const { file } of located) files.items.add(file);
    chooser.files = files.files;
    paths.value = JSON.stringify(located.map(({ path }) => path)); // browsers send the names alone
  };
  addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  addEventListener("dragleave", () => form.classList.remove("over"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    form.classList.remove("over");
    const located = await filesOf(event.dataTransfer);
    if (!located.length) return;
    take(located);
    form.requestSubmit();
  });
  chooser.addEventListener("change", () => {
    chooser.webkitdirectory = false;
    const chosen = [...(chooser.files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
    take(chosen.filter(({ path }) => !path.includes("/") || !isHidden(path)));
  });
  chooser.addEventListener("cancel", () => { chooser.webkitdirectory = false; });
  document.getElementById("folder")?.addEventListener("click", () => {
    chooser.webkitdirectory = true;
    chooser.click();
  });
}

/** Whether a file or one of its folders is hidden (.DS_Store, .git). @param {string} path */
function isHidden(path) {
  return path.split("/").some((part) => part.startsWith("."));
}

/**
 * The files that were dropped, with those of dropped folders; hidden ones of folders stay behind.
 * @param {DataTransfer | null} dropped
 * @returns {Promise<Located[]>}
 */
async function filesOf(dropped) {
  const entries = [...(dropped?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory))
    return [...(dropped?.files ?? [])].map((file) => ({ file, path: file.name }));
  const located = (await Promise.all(entries.flatMap((entry) => (entry ? [filesIn(entry)] : [])))).flat();
  return located.filter(({ path }) => !isHidden(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** @param {FileSystemEntry} entry @returns {Promise<Located[]>} */
async function filesIn(entry) {
  if (entry.isFile) {
    /** @type {File} */
    const file = await new Promise(
      (done, failed) => /** @type {FileSystemFileEntry} */ (entry).file(done, failed),
    );
    return [{ file, path: entry.fullPath.replace(/^\//, "") }];
  }
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
