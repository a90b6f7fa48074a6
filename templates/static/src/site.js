/* What every page gains by script: a remembered colour scheme and keys. Everything reads without it.
   Loaded before the first paint so that a remembered scheme does not flash; the rest waits for the document. */
import { load } from "./loading.js";

const html = document.documentElement;

/**
 * Remembers the scheme that is given, and returns the one that is remembered. A browser may refuse both, as from
 * file:// or in a private window.
 * @type {(value?: string) => string | null}
 */
const stored = (value) => {
  try {
    if (value !== undefined) localStorage.setItem("sitegen-scheme", value);
    return localStorage.getItem("sitegen-scheme");
  } catch {
    return null;
  }
};

/** @type {Record<string, string>} */
const SCHEMES = { system: "system", light: "light", dark: "dark" };
let scheme = Object.hasOwn(SCHEMES, stored()) ? stored() : "system";

const applyScheme = () => {
  if (scheme === "system") delete html.dataset.scheme;
  else html.dataset.scheme = scheme;
};

applyScheme();
html.classList.add("script"); // what only script brings to life has its place from the start

/**
 * The button that changes the colour scheme, in turn to each of the three.
 * @type {(button: HTMLElement) => void}
 */
function schemeButton(button) {
  const label = () => {
    button.title = `Colour scheme: ${SCHEMES[scheme]}. Change`;
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches; // the first click must show something
    const names = dark ? ["system", "light", "dark"] : ["system", "dark", "light"];
    scheme = names[(names.indexOf(scheme) + 1) % names.length];
    stored(scheme);
    applyScheme();
    label();
  });
  label();
}

/**
 * Opens the search in a dialog, so that nobody has to leave the page. Where its script does not load, the link leads
 * to the page of the search.
 * @type {(event: Event) => void}
 */
function openSearch(event) {
  const link = document.querySelector("[data-search]");
  if (!link) return;
  event.preventDefault();
  if (window.sitegenSearch) return window.sitegenSearch.open();
  let isHere = true;
  // Firefox reports a failure too when the page is left meanwhile, and the link must not lead it elsewhere.
  addEventListener(
    "beforeunload",
    () => {
      isHere = false;
    },
    { once: true },
  );
  let typed = ""; // meanwhile
  /** @type {(early: KeyboardEvent) => void} */
  const take = (early) => {
    if (early.key?.length !== 1 || early.altKey || early.ctrlKey || early.metaKey) return;
    typed += early.key;
    early.preventDefault();
    early.stopPropagation();
  };
  document.addEventListener("keydown", take, true);
  load(link.dataset.search).then(
    () => window.sitegenSearch.open(typed),
    () => {
      if (isHere) location.href = link.href;
    },
  ).finally(() => document.removeEventListener("keydown", take, true));
}

/**
 * j and k lead to the next and the previous run, / to the search.
 * @type {(event: KeyboardEvent) => void}
 */
function keys(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest("input, textarea, select, dialog") || document.querySelector("dialog[open]")) return;
  if (event.key === "/" && !event.defaultPrevented) return openSearch(event); // a table has it lead to its filter
  const rel = /** @type {Record<string, string>} */ ({ j: "next", k: "prev" })[event.key];
  const link = rel && document.querySelector(`.step a[rel=${rel}]`);
  link?.click();
}

/** @type {(event: Event) => void} */
function skip(event) {
  const main = document.getElementById("main");
  event.preventDefault(); // the fragment of the address is the state of a table or a search
  main.tabIndex = -1;
  main.focus();
  main.addEventListener("blur", () => main.removeAttribute("tabindex"), { once: true });
}

addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("scheme"); // a theme may have left out any of these
  if (button) schemeButton(button);
  document.querySelector(".skip")?.addEventListener("click", skip);
  addEventListener("keydown", keys);
  const search = document.querySelector("[data-search]");
  search?.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    if (!event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey) openSearch(event);
  });
  const wasLeftFromDialog = history.state?.search !== undefined;
  if (search && wasLeftFromDialog) {
    load(search.dataset.search).then(
      () => window.sitegenSearch.open(),
      () => {},
    );
  }
});

/* Paper shows what is folded. Elements with a name are menus, of which one at most can be open. */
addEventListener("beforeprint", () => {
  document.querySelectorAll("details:not([open], [name], .raw)").forEach((fold) => {
    fold.open = true;
    addEventListener(
      "afterprint",
      () => {
        fold.open = false;
      },
      { once: true },
    );
  });
});
