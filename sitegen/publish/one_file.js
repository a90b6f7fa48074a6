"use strict";
(() => {
  window.sitegenIsOneFile = true;
  const page = () => document.querySelector(":target")?.closest(".page") ?? document.getElementById("main");
  const name = () => {
    document.title = page().dataset.title;
    const links = [...document.querySelectorAll(".bar nav a")];
    const current = links.find((link) => link.hash === `#${page().id}`) ?? links[0];
    for (const link of links) link.removeAttribute("aria-current");
    current?.setAttribute("aria-current", current.hash === `#${page().id}` ? "page" : "true");
  };
  addEventListener("hashchange", name);
  addEventListener("DOMContentLoaded", name);
  const lead = ({ target }) => {
    const link = target.closest?.("a[href]");
    const path = link?.getAttribute("href");
    if (path && document.getElementById(path)?.matches(".page")) link.setAttribute("href", `#${path}`);
  };
  for (const event of ["pointerdown", "focusin", "click", "auxclick"]) addEventListener(event, lead, true);
  addEventListener("keydown", (event) => {
    const rel = { j: "next", k: "prev" }[event.key];
    if (!rel || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, textarea, select")) return;
    event.stopImmediatePropagation();
    const link = page().querySelector(`.step a[rel=${rel}]`);
    if (link) location.hash = link.getAttribute("href");
  }, true);
})();
