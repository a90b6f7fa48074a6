/* The controls of the table, and how it comes to life. */

/* A menu that its opener shows and hides; a function that closes it and gives the focus back. */
const menu = (opener, panel) => {
  const show = (isOpen) => {
    panel.hidden = !isOpen;
    opener.setAttribute("aria-expanded", isOpen);
  };
  opener.addEventListener("click", () => show(panel.hidden));
  document.addEventListener("click", ({ target }) => {
    if (!panel.contains(target) && !opener.contains(target)) show(false);
  });
  for (const each of [opener, panel]) {
    each.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || panel.hidden) return;
      show(false);
      opener.focus();
    });
    each.addEventListener("focusout", ({ relatedTarget: to }) => {
      if (to && !panel.contains(to) && to !== opener) show(false);
    });
  }
  return () => {
    show(false);
    opener.focus();
  };
};

// 1:05:00, 8:31, 2 h 39 min, 42 s
const TIME = /^(?:([\d.]+)\s*(?:h|:(?=.+:)))?\s*(?:([\d.]+)\s*(?:m|min|:|$))?\s*(?:([\d.]+)\s*s?)?$/i;

/* What was typed for a column, in the unit of its values; times as pages write them, a number alone being minutes. */
const numberOf = (column, text) => {
  if (text[0] === "<") return 0; // as what is less than the smallest figure is compared
  const isGrouped = /^[1-9]\d{0,2}(?:,\d{3})+(?![\d,])/.test(text);
  const plain = isGrouped ? text.replaceAll(",", "") : text.replace(",", "."); // 1,500 is many, 0,5 is a half
  if (!column.clock) return /^[\d.]+$/.test(plain) ? Number(plain) : NaN;
  if (/^[\d.]+\s*ms$/i.test(plain)) return parseFloat(plain);
  const [isTime, hours = 0, minutes = 0, seconds = 0] = TIME.exec(plain) ?? [];
  return isTime ? (hours * 3600 + minutes * 60 + Number(seconds)) * 1000 : NaN;
};

/* What is wrong with a field that is not understood, or with both of a range. */
const sayMisread = () => {
  const wrong = $("facets").querySelector('[aria-invalid="true"]');
  const column = wrong && byKey.get(wrong.closest("[data-range]").dataset.range);
  $("misread").textContent = column
    ? `Not understood, so no limit: write ${column.clock ? "8:31, 1:05:00 or 2 h 39 min" : "1,500 or 0.5"}`
    : rangesOf(state).some(([, [from, to]]) => to !== null && from > to)
      ? "No run fits: a range ends before it begins"
      : "";
};

/* Brings the controls to life, and draws the table for the first time. */
const wake = () => {
  const filter = $("filter");
  const facets = $("facets");
  const help = $("help");
  let pause;
  filter.addEventListener("input", () => {
    change({ q: filter.value }, isTyping);
    isTyping = true;
    clearTimeout(pause);
    // What is typed at once is one step of history.
    pause = setTimeout(() => {
      isTyping = false;
    }, 1000);
  });
  filter.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // keys of an input method
    if (event.key === "Escape" && filter.value) {
      change({ q: null });
    } else if (event.key === "ArrowDown") {
      toRow(0);
    } else {
      return;
    }
    event.preventDefault();
  });
  $("clear").addEventListener("click", () => {
    for (const input of facets.querySelectorAll("[data-range] input")) input.ariaInvalid = null;
    change(Object.fromEntries(["q", ...FACETS, ...rangesOf(state).map(([key]) => key)].map((key) => [key, null])));
    filter.focus();
  });
  facets.addEventListener("click", ({ target }) => {
    const chip = target.closest("[data-facet] button");
    if (!chip) return;
    const { facet: key } = chip.closest("[data-facet]").dataset;
    const chosen = state[key] || [];
    change({
      [key]: chosen.includes(chip.value) ? chosen.filter((each) => each !== chip.value) : [...chosen, chip.value],
    });
  });
  facets.addEventListener("input", ({ target }) => {
    const range = target.closest("[data-range]");
    if (!range) return drawFacet(target.closest("[data-facet]"), select().counts);
    const column = byKey.get(range.dataset.range);
    const sides = [...range.querySelectorAll("input")].map((input) => {
      const text = input.value.replace("$", "").trim();
      const value = text ? numberOf(column, text) : null;
      input.setAttribute("aria-invalid", Number.isNaN(value));
      return value;
    });
    const before = state;
    change({ [column.key]: sides.map((side) => (Number.isNaN(side) ? null : side)) }, isTyping);
    isTyping ||= state !== before; // what is no range yet made no step of history
    sayMisread(); // where nothing was drawn
  });
  facets.addEventListener("focusout", () => {
    isTyping = false;
  });
  facets.addEventListener("keydown", ({ key, target, isComposing }) => {
    if (key !== "Enter" || isComposing || target.type !== "search" || !target.value.trim()) return;
    const sought = target.value.trim().toLowerCase();
    const found = [...target.closest("[data-facet]").querySelectorAll("button")].find(({ value }) =>
      value.toLowerCase().includes(sought),
    );
    if (!found) return;
    target.value = ""; // all names again, to choose another
    found.click();
  });
  $("fold").addEventListener("click", () =>
    $("fold").setAttribute("aria-expanded", facets.classList.toggle("is-open")),
  );

  menu($("choose"), $("columns"));
  for (const { key, label } of columns) {
    if (!label || key === "name") continue;
    const check = make("input");
    check.type = "checkbox";
    check.value = key;
    $("columns").append(make("label", "", check, label));
  }
  $("columns").addEventListener("change", () => {
    const keys = [...$("columns").querySelectorAll(":checked")].map(({ value }) => value);
    const isUsual = columns.every(({ key, label, shown }) => !label || key === "name" || shown === keys.includes(key));
    change({ columns: isUsual ? null : ["name", ...keys] });
  });
  $("link").addEventListener("click", async () => {
    $("said").textContent = (await copy(location.href)) ? "Link copied" : "The browser refused to copy";
  });
  const closeExports = menu($("export"), $("exports"));
  $("exports").addEventListener("click", ({ target, isTrusted }) => {
    if (!EXPORTS[target.value] || !isTrusted) return; // only a person saves a file
    closeExports();
    if (target.value === "markdown") {
      EXPORTS.markdown();
    } else {
      further().then(EXPORTS[target.value], () => {
        $("said").textContent = "Nothing saved: not all columns could be loaded";
      });
    }
  });

  $("keys").addEventListener("click", () => help.showModal());
  help.querySelector("button").addEventListener("click", () => help.close());
  box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = event.target.closest("[data-nth]");
    if (!step || event.target.closest("thead") || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    event.preventDefault();
    if (!at) {
      toRow(firstInSight());
    } else if (step < 0 && at.dataset.nth === "0") {
      filter.focus();
    } else {
      toRow(Number(at.dataset.nth) + step);
    }
  });
  new ResizeObserver(scrolled).observe(box);
  let isAwaited = false;
  box.addEventListener(
    "scroll",
    () => {
      if (isAwaited) return;
      isAwaited = true;
      requestAnimationFrame(() => {
        isAwaited = false;
        scrolled();
      });
    },
    { passive: true },
  );
  for (const [event, printing] of [
    ["beforeprint", true],
    ["afterprint", false],
  ]) {
    addEventListener(event, () => {
      isPrinting = printing;
      if (isWindowed) drawRows();
    });
  }
  addEventListener("popstate", () => {
    if (location.hash.length > 1 && !location.hash.includes("=")) return; // a place on the page, such as #runs
    state = readState();
    isTyping = false;
    show({ isHistory: true });
  });
  box.classList.add("awake");
  draw({ isHistory: true });
  sayLacking();
  const { top, nth } = history.state ?? {}; // where the reader was when a link led away
  if (top) {
    box.scrollTop = top;
    scrolled();
  }
  if (nth && document.activeElement === document.body) rowAt(nth)?.querySelector("a").focus({ preventScroll: true });
  document.addEventListener("click", ({ target }) => {
    const { nth: at } = document.activeElement.closest("[data-nth]")?.dataset ?? {};
    if (target.closest("a")) history.replaceState({ top: box.scrollTop, nth: at }, "");
  });
  document.querySelector(".pages").hidden = true;
  for (const each of controls) each.inert = false;
};

/* Some browsers find no idle time in a page that draws nothing: not longer than half a second. */
const idle = () =>
  new Promise((done) => {
    if (window.requestIdleCallback) {
      requestIdleCallback(done, { timeout: 500 });
    } else {
      setTimeout(done);
    }
  });

/* What the first filter and sort would have to wait for. */
const prepare = async () => {
  const ranks = columns.filter(({ shown }) => shown).map((column) => () => ranked(column));
  for (const step of [() => byText("a"), ...ranks]) {
    await idle();
    step();
  }
};

const ready =
  document.readyState === "complete"
    ? Promise.resolve()
    : new Promise((done) => {
        addEventListener("DOMContentLoaded", done);
      });

const decoded = painted
  .then(() => load(table.dataset.rows))
  .then(() => decode(window.sitegenRows))
  .then(() => lacking().length && further().catch(() => {}));

let hasFailed = false;
const awake = Promise.all([decoded, ready]).then(wake);

const rows = awake
  .then(idle)
  .then(() => further().catch(() => {}))
  .then(exposed);

for (const each of [rows, awake.then(prepare)]) each.catch(() => {}); // what failed is said elsewhere

// Without rows, the plain table stands.
awake.catch(() => {
  hasFailed = true;
  for (const each of controls) each.hidden = true;
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog")) return;
  const act = { "/": () => $("filter").focus(), "?": () => $("help").showModal() }[event.key];
  if (!act || hasFailed) return;
  event.preventDefault();
  // A key that is pressed too early is not lost: without a table, it is the page's.
  awake.then(act, () => event.target.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true })));
});

// Who opens a view that was sent would else see nothing of a filter. To a chart that it names, the charts lead.
const leadsToChart = document.getElementById(new URLSearchParams(location.hash.slice(1)).get("chart"));
if (performance.getEntriesByType("navigation")[0]?.type === "navigate" && fragment(state) && !leadsToChart) {
  const section = $("runs");
  section.scrollIntoView();
  section.tabIndex = -1; // the next Tab goes on from here, and not from the top of the page
  section.focus({ preventScroll: true });
  section.removeAttribute("tabindex");
}
window.sitegenTable = { filter: (changes) => awake.then(() => change(changes)), state: () => state, rows };
