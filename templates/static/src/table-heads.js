/* The head and the foot of the table. */
import { fragment } from "./address.js";
import { drawn, make } from "./dom.js";
import { grouped } from "./numbers.js";
import { isDescending, keyOf, sortsOf } from "./order.js";
import { isWhole } from "./rows.js";
import { passed, total } from "./sums.js";
import { besides } from "./table-cells.js";
import { table } from "./table-element.js";
import { rows } from "./table-rows.js";
import { counted, positions, shownColumns, verdicts } from "./table-shown.js";
import { change, state } from "./table-state.js";

/** @import { Column } from "./columns.js" */

/** @type {Map<string, HTMLTableCellElement>} The heads by the keys of their columns. */
const heads = new Map();

/**
 * The class of the cells of a column: figures, or names, which a phone leaves out of a long table.
 * @type {(column: Column) => string}
 */
const kindOf = ({ isFigure, names, looks, key }) =>
  isFigure ? "n" : names && (!looks || key === "model") ? "names" : "";

/** @type {(column: Column) => HTMLTableCellElement} */
const makeHead = (column) => {
  const made = make("th", kindOf(column), make("button", "", ""));
  made.scope = "col";
  if (column.title) made.title = column.title;
  const button = /** @type {HTMLButtonElement} */ (made.firstElementChild);
  button.addEventListener("click", (event) => sortBy(column, event.shiftKey));
  return made;
};

/**
 * Writes into a button which sort of several its column is, and in which direction.
 * @type {(button: Element, sorts: string[], nth: number, direction: string) => void}
 */
const markSort = (button, sorts, nth, direction) => {
  const arrow = drawn("use", { href: `#i-${direction === "descending" ? "down" : "up"}` });
  button.append(drawn("svg", { class: "arrow", "aria-hidden": "true" }, arrow));
  if (sorts.length > 1) button.append(make("small", "", String(nth + 1)));
  if (nth > 0) button.append(make("span", "off", `, ${direction}`));
};

/** @type {(column: Column) => HTMLTableCellElement} */
const head = (column) => {
  if (!heads.has(column.key)) heads.set(column.key, makeHead(column));
  const sorts = sortsOf(rows, state);
  const nth = sorts.findIndex((sort) => keyOf(sort) === column.key);
  const shown = heads.get(column.key);
  const direction = nth < 0 ? "" : isDescending(sorts[nth]) ? "descending" : "ascending";
  shown.removeAttribute("aria-sort");
  if (nth === 0) shown.setAttribute("aria-sort", direction);
  shown.firstElementChild.replaceChildren(column.label);
  if (nth >= 0) markSort(shown.firstElementChild, sorts, nth, direction);
  return shown;
};

/**
 * Sorts by a column; once more turns the order round, and a third time ends it. With Shift it is a further order.
 * @type {(column: Column, isFurther: boolean) => void}
 */
const sortBy = ({ key, isFigure }, isFurther) => {
  const sorts = sortsOf(rows, state);
  const nth = sorts.findIndex((sort) => keyOf(sort) === key);
  const turns = isFigure ? [`-${key}`, key] : [key, `-${key}`]; // of figures, the largest are asked for first
  const next = nth < 0 ? turns[0] : sorts[nth] === turns[0] ? turns[1] : null;
  const wanted = isFurther ? sorts : [];
  if (nth >= 0 && isFurther) {
    wanted.splice(nth, 1, ...(next ? [next] : []));
  } else if (next) {
    wanted.push(next);
  }
  change({ sort: wanted });
};

/** Draws the heads of the columns that are shown. */
export const drawHeads = () => {
  table.tHead.rows[0].replaceChildren(
    ...shownColumns.flatMap((column) => [
      head(column),
      ...(column.key === "name" ? besides(() => make("th", "", "Your verdict")) : []),
      ...(column.key === "cost_usd" && rows.longest ? [make("td")] : []),
    ]),
  );
};

/** @type {() => string} */
const completed = () => {
  const status = rows.byKey.get("status");
  const ok = status.names.indexOf("ok");
  return `${grouped(String(positions.filter((i) => status.codes[i] === ok).length))} completed`;
};

/** @type {string | null} The filters that the foot is of; the plain table has the foot of all runs. */
let isFootOf = "";

/** Draws the foot anew next time: it has fewer columns than the state names. */
export const forgetFoot = () => {
  isFootOf = null;
};

/** @type {(column: Column) => HTMLTableCellElement} */
const footCell = (column) => {
  if (column.key === "name") return make("th", "", counted());
  if (column.key === "status") return make("td", "muted", completed());
  if (column.key === "outcome") {
    const passing = passed(column, positions);
    return make("td", "muted", passing && `${passing} pass`);
  }
  return column.isFigure ? make("td", "n", total(column, positions)) : make("td", kindOf(column));
};

/** Draws the foot, unless it is of the same filters: a sort changes no sum. */
export const drawFoot = () => {
  if (!isWhole(rows)) return; // the plain one is of all
  const filters = fragment({ ...state, sort: null }) + Boolean(verdicts);
  if (filters === isFootOf) return;
  isFootOf = filters;
  const made = make("tr");
  for (const column of shownColumns) {
    made.append(footCell(column));
    if (column.key === "name") made.append(...besides(() => make("td")));
    if (column.key === "cost_usd" && rows.longest) made.append(make("td"));
  }
  /** @type {HTMLTableCellElement} */ (made.firstElementChild).scope = "row";
  table.tFoot.replaceChildren(made);
};
