// Light or dark, before anything is painted: as the reader chose here, or as their machine says. A classic script, in the head.

(() => {
  const root = document.documentElement;
  const chosen = localStorage.getItem("aune:theme");
  root.dataset.theme = chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("#theme")) return;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("aune:theme", root.dataset.theme);
  });
})();
