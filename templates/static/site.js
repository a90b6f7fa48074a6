/* What every page gains by script: a remembered colour scheme and keys. Everything reads without it.
   Loaded before the first paint so that a remembered scheme does not flash; the rest waits for the document. */
"use strict";
(() => {
  const stored = (value) => {  // storage may be refused: from file://, in private windows
    try {
      if (value !== undefined) localStorage.setItem("sitegen-scheme", value);
      return localStorage.getItem("sitegen-scheme");
    } catch { return null; }
  };
  const SCHEMES = { system: "as the system", light: "light", dark: "dark" };
  let scheme = stored() in SCHEMES ? stored() : "system";
  const applyScheme = () => {
    if (scheme === "system") delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = scheme;
  };
  applyScheme();
  document.documentElement.classList.add("script");  // what only script brings to life has its place from the start

  function schemeButton(button) {
    const label = () => button.setAttribute("aria-label", `Colour scheme: ${SCHEMES[scheme]}. Change`);
    button.addEventListener("click", () => {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;  // the first click must show something
      const names = dark ? ["system", "light", "dark"] : ["system", "dark", "light"];
      scheme = names[(names.indexOf(scheme) + 1) % names.length];
      stored(scheme);
      applyScheme();
      label();
    });
    label();
    button.hidden = false;
  }

  /* A dialog spares going away and coming back. Where its script is missing, the link leads on. */
  let loading = null;  // run twice, the script would make two dialogs
  function openSearch(event) {
    const link = document.querySelector("[data-search]");
    event.preventDefault();
    if (window.sitegenSearch) return window.sitegenSearch.open();
    if (loading) return;
    const script = loading = document.createElement("script");
    loading.src = link.dataset.search;
    loading.onload = () => window.sitegenSearch.open();
    loading.onerror = () => {
      loading = null;
      location.href = link.href;
    };
    // Firefox says that it failed as well when the page is left meanwhile, and would be led away from where it goes.
    addEventListener("beforeunload", () => { script.onerror = null; }, { once: true });
    document.head.append(loading);
  }

  function keys(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, textarea, select, dialog")) return;
    if (event.key === "/" && !event.defaultPrevented) return openSearch(event);  // a table has it lead to its filter
    const rel = { j: "next", k: "prev" }[event.key];
    const link = rel && document.querySelector(`.step a[rel=${rel}]`);
    if (link) location.href = link.href;
  }

  addEventListener("DOMContentLoaded", () => {
    schemeButton(document.getElementById("scheme"));
    addEventListener("keydown", keys);
    document.querySelector("[data-search]").addEventListener("click", (event) => {
      if (!event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey) openSearch(event);
    });
  });
  addEventListener("beforeprint", () => {  // of those with a name, one can be open: they are menus
    document.querySelectorAll("details:not([open], [name])").forEach((fold) => {
      fold.open = true;
      addEventListener("afterprint", () => { fold.open = false; }, { once: true });
    });
  });
})();
