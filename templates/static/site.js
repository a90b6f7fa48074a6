/* What every page gains by script: a remembered colour scheme and keys. Everything reads without it.
   Loaded before the first paint so that a remembered scheme does not flash; the rest waits for the document.
   `window.sitegen` is what the other scripts share. */
"use strict";

(() => {
  const html = document.documentElement;
  const root = document.currentScript.src.replace(/assets\/[^/]*$/, "") || location.href.split("#")[0]; // of the site
  const home = root.replace(/v-[0-9a-f]{12}\/$/, ""); // at an address, that of all its versions: see store/site.py

  /* Remembers the scheme that is given, and returns the one that is remembered. A browser may refuse both, as from
     file:// or in a private window. */
  const stored = (value) => {
    try {
      if (value !== undefined) localStorage.setItem("sitegen-scheme", value);
      return localStorage.getItem("sitegen-scheme");
    } catch {
      return null;
    }
  };

  const SCHEMES = { system: "system", light: "light", dark: "dark" };
  let scheme = Object.hasOwn(SCHEMES, stored()) ? stored() : "system";

  const applyScheme = () => {
    if (scheme === "system") delete html.dataset.scheme;
    else html.dataset.scheme = scheme;
  };

  applyScheme();
  html.classList.add("script"); // what only script brings to life has its place from the start

  /* An element with its class and what it holds. */
  const make = (tag, className, ...content) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (tag === "button") made.type = "button";
    made.append(...content);
    return made;
  };

  /* An element of SVG. */
  const drawn = (tag, attributes, ...content) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...content);
    return made;
  };

  /* One of the signs that every page has. */
  const sign = (name) =>
    drawn(
      "svg",
      { class: "sign", width: 13, height: 13, viewBox: "0 0 13 13", "aria-hidden": "true" },
      drawn("use", { href: `#i-${name}` }),
    );

  const loading = {}; // address of a script -> a promise

  /* Loads a script once, and again only after a failure. */
  const load = (address) =>
    (loading[address] ??= new Promise((loaded, failed) => {
      const script = make("script");
      script.onload = loaded;
      script.onerror = () => {
        delete loading[address];
        failed(new Error(`${address} did not load`));
      };
      script.src = address;
      document.head.append(script);
    }));

  /* Saves a file of this name. */
  const save = (name, blob) => {
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };

  /* Copies a text to the clipboard; whether that was possible. */
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Browsers may refuse it to a page from a file. The old way needs a selection, and somebody who has just clicked.
      if (!navigator.userActivation.isActive) return false;
      const area = make("textarea", "off", text);
      const back = document.activeElement;
      document.body.append(area);
      area.select();
      const isCopied = document.execCommand("copy");
      area.remove();
      back.focus();
      return isCopied;
    }
  };

  /* As in text_tables.py: signs that nobody sees, and those with which a formula begins. */
  const UNSEEN = String.raw`\x00-\x08\v\f\x0e- "\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb`;
  const SIGN = String.raw`[=+\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]`;
  const FORMULA = RegExp(`^(?:[${UNSEEN}\\s]*${SIGN}|[\\t\\r])`);
  const NEXT_FORMULA = RegExp(`[;|\\uff1b\\uff5c\\t\\r\\n](?=[${UNSEEN}]*${SIGN})`, "g");
  const csvCell = (text, isNumber) => {
    const shown = isNumber ? text : (FORMULA.test(text) ? "'" : "") + text.replace(NEXT_FORMULA, "$&'");
    return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
  };

  /* Fulfilled once the page is painted: what can wait for it would delay the first paint. */
  const painted = new Promise((done) => {
    new PerformanceObserver(done).observe({ type: "paint", buffered: true });
    addEventListener("load", () => setTimeout(done, 200)); // in a hidden tab, nothing is painted
  });

  window.sitegen = { home, root, make, drawn, sign, load, save, copy, csvCell, painted };

  /* The button that changes the colour scheme, in turn to each of the three. */
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

  /* Opens the search in a dialog, so that nobody has to leave the page. Where its script does not load, the link leads
     to the page of the search. */
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

  /* j and k lead to the next and the previous run, / to the search. */
  function keys(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, textarea, select, dialog") || document.querySelector("dialog[open]")) return;
    if (event.key === "/" && !event.defaultPrevented) return openSearch(event); // a table has it lead to its filter
    const rel = { j: "next", k: "prev" }[event.key];
    const link = rel && document.querySelector(`.step a[rel=${rel}]`);
    link?.click();
  }

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
    search?.addEventListener("click", (event) => {
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
})();
