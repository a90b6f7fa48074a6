/* What is drawn after each step: the rows in sight, the facets, what is said of them. */
import { fragment } from "./address.js";
import { make } from "./dom.js";
import { select } from "./filters.js";
import { plural } from "./numbers.js";
import { isOffered } from "./order.js";
import { isHere, isWhole } from "./rows.js";
import { summed, summedBySide } from "./sums.js";
import { $, box, table } from "./table-element.js";
import { columnOf, drawFacet, drawRanges, facetBoxes, isNarrowed, sayMisread } from "./table-facets.js";
import { drawFoot, drawHeads } from "./table-heads.js";
import { rows } from "./table-rows.js";
import { countShown, counted, positions, setShown, setVerdicts, shownColumns } from "./table-shown.js";
import { state } from "./table-state.js";
import { drawRows, measure } from "./table-window.js";
import { marksOfWords } from "./table-words.js";

/** @import { Column } from "./columns.js" */
/** @import { Step } from "./table-state.js" */

/** @type {string | null} The filters that the line of sums is of. */
let isSummed = null;

/** The figures of the page are of all runs, and say so while the table has fewer; in the matrix, marks of others fade. */
const drawBases = () => {
  for (const base of document.querySelectorAll(".base")) base.remove();
  const isPart = positions.length < rows.total;
  if (isPart) {
    for (const heading of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-all]"))) {
      heading.append(make("small", "base muted", ` ${heading.dataset.all} of all ${plural(rows.total)}`));
    }
  }
  const shown = new Set(Array.from(positions, (i) => `${rows.ids[i]}.html`));
  for (const mark of document.querySelectorAll(".matrix .plot > a")) {
    mark.classList.toggle("out", isPart && !shown.has(mark.getAttribute("href").split("/").at(-1)));
  }
};

/** Draws the sums for each configuration, once they are asked for. */
const drawSides = () => {
  const sides = /** @type {HTMLDetailsElement} */ (document.getElementById("sums-by"));
  sides.hidden = !isSummed || !positions.length;
  const lines = sides.open && !sides.hidden ? summedBySide(rows, positions) : [];
  const items = lines.map(([name, line]) => make("li", "", make("bdi", "", name), `: ${line}`));
  for (const item of items) /** @type {HTMLElement} */ (item.firstElementChild).dataset.untrusted = "";
  sides.lastElementChild.replaceChildren(...items);
};

$("sums-by").addEventListener("toggle", drawSides);

/** Draws the sums of what the filters leave, unless they are drawn: a sort changes no figure. */
const drawSums = () => {
  const filters = isNarrowed() ? fragment({ ...state, sort: null, columns: null }) : "";
  if (!isWhole(rows) || filters === isSummed) return;
  isSummed = filters;
  $("sums").textContent = filters && summed(rows.byKey, positions);
  drawSides();
  drawBases();
};

/**
 * The columns that the state names, or those that are shown at first.
 * @type {() => Column[]}
 */
const wantedColumns = () => {
  const isNamed = Boolean(state.columns?.some((/** @type {string} */ key) => isOffered(rows, rows.byKey.get(key))));
  const keys = new Set(["name", ...(state.columns ?? [])]);
  table.classList.toggle("chosen", isNamed);
  return rows.columns.filter((column) => isOffered(rows, column) && (isNamed ? keys.has(column.key) : column.shown));
};

/** Says what is shown, in the fields and texts around the table. */
const drawControls = () => {
  if ($("filter").value !== (state.q || "")) $("filter").value = state.q || "";
  $("count").textContent = counted();
  $("said").textContent = "";
  sayMisread();
  $("clear").hidden = !isNarrowed();
  for (const check of $("columns").querySelectorAll("input")) {
    check.checked = shownColumns.some(({ key }) => key === check.value);
  }
};

/** @type {(step?: Step) => void} */
export const draw = ({ isHistory = false, keepsPlace = isHistory } = {}) => {
  setVerdicts(state.judge ? window.sitegenJudge : null);
  $("judge").setAttribute("aria-pressed", Boolean(state.judge && window.sitegenJudge));
  const selected = select(rows, state, marksOfWords());
  setShown(wantedColumns(), selected.positions);
  table.setAttribute("aria-rowcount", String(countShown() + 2));
  if (!keepsPlace) box.scrollTop = 0;
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  drawRows(); // first: it asks how high the box is, which is known until something changes
  drawHeads();
  drawFoot();
  measure();
  const known = isWhole(rows) ? facetBoxes.filter((facet) => isHere(rows, columnOf(facet))) : []; // else the plain ones are right
  for (const facet of known) drawFacet(facet, selected.counts);
  drawRanges(isHistory);
  drawControls();
  if (focused !== document.activeElement && document.activeElement === document.body) {
    (focused.isConnected && focused.checkVisibility() ? focused : box).focus({ preventScroll: true });
  }
  drawSums();
  document.dispatchEvent(new CustomEvent("sitegen:shown", { detail: { positions, total: rows.ids.length } }));
};
