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

/* What is wrong with a field that is not understood, or with both of a range. */
const sayMisread = () => {
  const wrong = $("facets").querySelector('[aria-invalid="true"]');
  const column = wrong && byKey.get(wrong.closest("[data-range]").dataset.range);
  $("misread").textContent = column
    ? `Not understood, so ignored: write ${column.clock ? "8:31, 1:05:00 or 2 h 39 min" : "1,500 or 0.5"}`
    : rangesOf(state).some(([, [from, to]]) => to !== null && from > to)
      ? "No run matches: a range ends before it begins"
      : "";
};

/* Brings the controls to life, and draws the table for the first time. */
const wake = () => {
  const filter = $("filter");
  const facets = $("facets");
  const help = $("help");
  const typed = filter.value; // before there were rows
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
    change(Object.fromEntries(["q", ...chosenFacets().map(({ key }) => key), ...rangesOf(state).map(([key]) => key)].map((key) => [key, null])));
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
  facets.addEventListener("input", async ({ target }) => {
    const range = target.closest("[data-range]");
    if (!range) {
      const facet = target.closest("[data-facet]");
      return withAll(async () => {
        if (!isHere(columnOf(facet))) await further();
        drawFacet(facet, select().counts);
      });
    }
    const { numberOf } = made ?? (await more().catch(() => ({})));
    if (!numberOf) return ($("misread").textContent = "The range is ignored: a script did not load");
    const column = byKey.get(range.dataset.range);
    const sides = [...range.querySelectorAll("input")].map((input) => {
      const text = input.value.replace("$", "").trim();
      const value = text ? numberOf(column, text) : null;
      input.setAttribute("aria-invalid", Number.isNaN(value));
      return value;
    });
    const before = state;
    change({ [column.key]: sides.map((side) => (Number.isNaN(side) ? null : side)) }, isTyping);
    isTyping ||= state !== before; // what is not a range yet is not a step of the history
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
  $("rest")?.querySelector("button").addEventListener("click", () => withAll());
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
  $("export").addEventListener("click", () => more().catch(() => {})); // meanwhile
  $("exports").addEventListener("click", ({ target: { value }, isTrusted }) => {
    if (!value || !isTrusted) return; // only a person saves a file
    closeExports();
    withAll(() =>
      Promise.all([more(), value !== "markdown" && further()]).then(
        ([{ EXPORTS }]) => EXPORTS[value](),
        () => {
          $("said").textContent = "Nothing saved: not all columns could be loaded";
        },
      ),
    );
  });
  $("judge").addEventListener("click", () => change({ judge: state.judge ? null : "1" }));
  if (hasVerdicts() && isWhole()) {
    Promise.allSettled([idle().then(further), judging()]); // to say how many the site lacks
  }

  $("keys").addEventListener("click", () => help.showModal());
  help.querySelector("button").addEventListener("click", () => help.close());
  box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = event.target.closest("[data-nth]");
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return; // Ctrl and 0 is the browser's
    if (verdicts && at && verdicts.KEYS[event.key] !== undefined && !event.target.closest("input")) {
      at.querySelector(".judging").set(verdicts.KEYS[event.key]);
    }
    if (!step || event.target.closest("thead")) return;
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
  for (const link of document.querySelectorAll('.alert a[href^="#"], .waste a')) {
    link.addEventListener("click", () => setTimeout(() => $("runs").scrollIntoView())); // far below
  }
  addEventListener("popstate", () => {
    if (location.hash.length > 1 && !location.hash.includes("=")) return; // a place on the page, such as #runs
    state = readState();
    isTyping = false;
    show({ isHistory: true });
    box.scrollTop = history.state?.top ?? 0; // a link to another view has none
  });
  box.classList.add("awake");
  const isRefused = lacksRows();
  if (typed) change({ q: typed });
  if (isRefused) state = {};
  draw({ isHistory: true });
  if (!typed) sayLacking();
  if (isRefused) sayNotAll();
  const { top, nth } = history.state ?? {}; // where the reader was when a link led away
  if (top) {
    box.scrollTop = top;
    scrolled();
  }
  if (nth && document.activeElement === document.body) rowAt(nth)?.querySelector("a").focus({ preventScroll: true });
  document.addEventListener("click", ({ target }) => {
    const { nth: at } = document.activeElement.closest("[data-nth]")?.dataset ?? {};
    const link = target.closest("a");
    if (link) history.replaceState({ top: box.scrollTop, nth: at }, "");
    const nth = link?.closest("[data-nth]")?.dataset.nth;
    if (nth) keepView(Number(nth));
  });
  document.querySelector(".pages").hidden = true;
  for (const each of controls) each.inert = false;
};

/* For the page of a run: which runs are shown around it, so that previous and next follow this view. */
const NEAR = 200;
const keepView = (nth) => {
  const first = Math.max(nth - NEAR, 0);
  const runs = Array.from(positions.subarray(first, nth + NEAR), (i) => [ids[i], byKey.get("name").text(i)]);
  const view = { to: ids[positions[nth]], address: location.href, first, total: count(), runs };
  try {
    sessionStorage.setItem(`sitegen-view:${siteRoot}`, JSON.stringify(view));
  } catch {
    // then they follow the order of all runs
  }
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
  if (!isWhole()) return;
  const ranks = columns.filter(({ shown }) => shown).map((column) => () => ranked(column));
  for (const step of ranks) {
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
  .then(() => asked(state.judge));

/* The marks of the matrix are one stop of Tab: arrows lead from one to the next. */
const matrix = document.querySelector(".matrix");
const wakened = () => {
  matrix.querySelectorAll(".plot > a").forEach((mark, at) => mark.setAttribute("tabindex", at ? -1 : 0));
  const wakeIt = () => more().then((given) => given.wakeMatrix(matrix), () => {});
  for (const event of ["pointerover", "focusin"]) matrix.addEventListener(event, wakeIt, { once: true });
};

let hasFailed = false;
const awake = Promise.all([decoded, ready]).then(wake);

if (matrix) awake.then(wakened, () => {});

let given; // a promise of what other scripts get

const rows = () =>
  (given ??= awake
    .then(idle)
    .then(whole)
    .then(() => further().catch(() => {}))
    .then(exposed));

// What failed is said elsewhere.
for (const each of [awake.then(() => isWhole() && rows()), awake.then(prepare)]) each.catch(() => {});

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
  if (event.key === "/") act(); // what is typed next is taken once there are rows
  // A key that is pressed too early is not lost: without a table, it is the page's.
  awake.then(event.key === "/" ? null : act, () => event.target.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true })));
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
/* What stands in other scripts, which come when they are needed. */
const more = () =>
  load(table.dataset.more).then(
    () =>
      (made ??= window.sitegenMore({
        $, blocks, byKey, change, columns, exported, fetched, figure, grouped, ids, plural, schema, table, whoKey, whose,
        withAll,
        now: () => ({ positions, shownColumns }),
      })),
  );

const judging = () =>
  load(table.dataset.judge).then(() => {
    if ($("tools").querySelector(".judged")) return;
    $("said").before(window.sitegenJudge.counter());
    if (positions) drawRows(); // with what the reader says
    const settle = () => window.sitegenJudge.settle((id) => siteSays(ids.indexOf(id)));
    return whole().then(further).then(settle, () => {});
  });

/* Whether the browser keeps verdicts of this site, so that judge.js is wanted. */
const hasVerdicts = () => {
  try {
    return localStorage.getItem(`sitegen-judged:${window.sitegen.home}`)?.length > 2;
  } catch {
    return false;
  }
};

window.sitegenTable = {
  filter: (changes) => awake.then(() => change(changes)),
  state: () => state,
  who: whoKey,
  get rows() {
    return rows(); // of very many, asked for only when they are wanted
  },
};
