// Light or dark, before anything is painted: as the reader chose here, or as their machine says, also when it says
// otherwise at sunset. A classic script, in the head.

(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const painted = () => {
    root.dataset.theme = localStorage.getItem("aune:theme") ?? (system.matches ? "dark" : "light");
  };
  painted();
  system.addEventListener("change", painted);
  addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("#theme")) return;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("aune:theme", root.dataset.theme);
  });
})();
