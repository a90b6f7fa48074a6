/* The table of runs. Its rows come as columns from scripts. If they never come, the plain table stands. What nobody sees
   at first, more.js and judge.js, comes when it is asked for. */
import { fragment } from "./address.js";
import { painted } from "./painted.js";
import { exposed, isWhole } from "./rows.js";
import { draw } from "./table-drawing.js";
import { $, box, controls, table } from "./table-element.js";
import { keepPlace, wakeMoving } from "./table-moving.js";
import { further, idle, loadFirst, more, prepare, rows, whole } from "./table-rows.js";
import { change, clearState, readState, state, whenChanged } from "./table-state.js";
import { awaitAsked, lacksRows, sayLacking, sayNotAll, show, withAll } from "./table-steps.js";
import { wakeTools } from "./table-tools.js";
import { endTyping, wakeFilters } from "./table-typing.js";
import { whoKey } from "./who.js";

/** @import { State } from "./address.js" */
/**
 * What other scripts get.
 * @typedef {object} TableOfRuns
 * @property {(changes: State) => Promise<void>} filter
 * @property {() => State} state
 * @property {() => "configuration" | "model"} who
 * @property {Promise<{ ids: string[], columns: Record<string, any[]> }>} rows
 */

/** Shows the state that Back or Forward leads to. */
const goBack = () => {
  if (location.hash.length > 1 && !location.hash.includes("=")) return; // a place on the page, such as #runs
  readState();
  endTyping();
  show({ isHistory: true });
  box.scrollTop = history.state?.top ?? 0; // a link to another view has none
};

/** Brings the controls to life, and draws the table for the first time. */
const wake = () => {
  const typed = $("filter").value; // before there were rows
  whenChanged(show);
  wakeFilters();
  wakeTools();
  wakeMoving();
  addEventListener("popstate", goBack);
  box.classList.add("awake");
  const isRefused = lacksRows();
  if (typed) change({ q: typed });
  if (isRefused) clearState();
  draw({ isHistory: true });
  if (!typed) sayLacking();
  if (isRefused) sayNotAll();
  keepPlace();
  document.querySelector(".pages").hidden = true;
  for (const control of controls) control.inert = false;
};

/**
 * The marks of the matrix are one stop of Tab: arrows lead from one to the next.
 * @type {(matrix: HTMLTableElement) => void}
 */
const prepareMatrix = (matrix) => {
  matrix.querySelectorAll(".plot > a").forEach((mark, at) => mark.setAttribute("tabindex", at ? "-1" : "0"));
  /** @type {(changesOf: () => State | null) => Promise<unknown>} */
  const step = (changesOf) =>
    withAll(() => {
      const changes = changesOf();
      if (changes) change(changes);
    });
  const wakeIt = () => more().then(({ wakeMatrix }) => wakeMatrix(matrix, rows, step), () => {});
  for (const event of ["pointerover", "focusin"]) matrix.addEventListener(event, wakeIt, { once: true });
};

/** Leads to the table who opens a view that was sent: they would else see nothing of its filter. */
const leadToTable = () => {
  const leadsToChart = document.getElementById(new URLSearchParams(location.hash.slice(1)).get("chart"));
  const isOpened = /** @type {any} */ (performance.getEntriesByType("navigation")[0])?.type === "navigate";
  if (!isOpened || !fragment(state) || leadsToChart) return; // to a chart, the charts lead
  const section = $("runs");
  section.scrollIntoView();
  section.tabIndex = -1; // the next Tab goes on from here, and not from the top of the page
  section.focus({ preventScroll: true });
  section.removeAttribute("tabindex");
};

const start = () => {
  const ready =
    document.readyState === "complete"
      ? Promise.resolve()
      : new Promise((done) => {
          addEventListener("DOMContentLoaded", done);
        });
  const decoded = painted
    .then(loadFirst)
    .then(readState)
    .then(() => awaitAsked(state.judge));
  let hasFailed = false;
  const awake = Promise.all([decoded, ready]).then(wake);

  const matrix = document.querySelector(".matrix");
  if (matrix) awake.then(() => prepareMatrix(matrix), () => {});

  let given; // a promise of what other scripts get
  const rowsForOthers = () =>
    (given ??= awake
      .then(idle)
      .then(whole)
      .then(() => further().catch(() => {}))
      .then(() => exposed(rows)));

  // What failed is said elsewhere.
  awake.then(() => isWhole(rows) && rowsForOthers()).catch(() => {});
  awake.then(prepare).catch(() => {});

  // Without rows, the plain table stands.
  awake.catch(() => {
    hasFailed = true;
    for (const control of controls) control.hidden = true;
  });

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog")) return;
    const act = { "/": () => $("filter").focus(), "?": () => $("help").showModal() }[event.key];
    if (!act || hasFailed) return;
    event.preventDefault();
    if (event.key === "/") act(); // what is typed next is taken once there are rows
    // A key that is pressed too early is not lost: without a table, it is the page's.
    const repeat = () => event.target.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true }));
    awake.then(event.key === "/" ? null : act, repeat);
  });

  leadToTable();
  window.sitegenTable = {
    filter: (changes) => awake.then(() => change(changes)),
    state: () => state,
    who: () => whoKey(rows),
    get rows() {
      return rowsForOthers(); // of very many, asked for only when they are wanted
    },
  };
};

if (table?.dataset.rows) start();
