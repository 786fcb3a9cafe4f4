// Pages of the server: files dropped anywhere on the page go into its form.

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
