/* The fields and buttons of the filters. */
import { make } from "./dom.js";
import { chosenFacets, rangesOf } from "./filters.js";
import { figure, grouped } from "./numbers.js";
import { keyOf, sortsOf } from "./order.js";
import { ofRun } from "./table-cells.js";
import { $, isFocused } from "./table-element.js";
import { rows } from "./table-rows.js";
import { shownColumns } from "./table-shown.js";
import { change, state } from "./table-state.js";
import { marksOfWords } from "./table-words.js";

/** @import { Column } from "./columns.js" */
/** @import { State } from "./address.js" */

const OFFERED = 8; // names of a facet, beside those that are chosen

export const facetBoxes = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-facet]"))];

/** The keys of the columns that have a facet. */
export const facetKeys = facetBoxes.map(({ dataset }) => dataset.facet);

/** @type {(facet: HTMLElement) => Column} */
export const columnOf = (facet) => rows.byKey.get(facet.dataset.facet);

/** The names that a facet offers before one is looked for. */
const usual = new Map(
  facetBoxes.map((facet) => [facet, [...facet.querySelectorAll("button")].map(({ value }) => value)]),
);

/** Whether filters leave rows out. */
export const isNarrowed = () =>
  rangesOf(rows, state).length > 0 || Boolean(marksOfWords()) || chosenFacets(rows, state).length > 0;

/** Whether the state asks for a part of the rows. */
export const isFiltered = () => Boolean(state.q) || rows.columns.some(({ key }) => state[key]);

/** @type {(column: Column, value: string) => string} */
const nameOf = (column, value) =>
  value === "" ? column.none : ((column.sets ? column.names : column.texts)[column.names.indexOf(value)] ?? value);

/** @type {(column: Column, value: string) => HTMLButtonElement} */
const nameButton = (column, value) => {
  const made = make("button", "", make("span", "", nameOf(column, value)), " ", make("small"));
  made.value = value;
  const look = column.key === "model" && column.looks[value === "" ? column.names.length : column.names.indexOf(value)];
  if (look) made.prepend(make("span", `key m-${look[0]}`));
  return made;
};

/**
 * The names of a column that rows can be filtered by, and how many rows each of them would leave.
 * @type {(facet: HTMLElement, counts: Map<string, Uint32Array>) => void}
 */
export const drawFacet = (facet, counts) => {
  const column = columnOf(facet);
  const chosen = state[column.key] || [];
  const sought = facet.querySelector("input")?.value.trim().toLowerCase();
  const offered = sought
    ? column.names.filter((name) => name.toLowerCase().includes(sought)).slice(0, OFFERED)
    : usual.get(facet);
  const buttons = new Map([...facet.querySelectorAll("button")].map((button) => [button.value, button]));
  const focused = [...buttons.values()].filter(isFocused).map(({ value }) => value);
  const wanted = new Set([...offered, ...chosen, ...focused]);
  for (const [value, button] of buttons) {
    if (!wanted.has(value)) button.remove();
  }
  let before = facet.querySelector(".what");
  for (const value of wanted) {
    const at = value === "" ? column.names.length : column.names.indexOf(value);
    const button = buttons.get(value) || nameButton(column, value);
    button.setAttribute("aria-pressed", String(chosen.includes(value)));
    const number = at < 0 ? 0 : counts.get(column.key)[at];
    button.lastElementChild.textContent = grouped(String(number));
    button.classList.toggle("zero", !number);
    if (before.nextElementSibling !== button) before.after(button);
    before = button;
  }
};

/** @type {(column: Column, value: any) => string} */
const bound = (column, value) => {
  if (value === "unknown") return value;
  return column.clock ? figure(column, value) : String(value / column.divisor);
};

/**
 * A button that takes a filter or an order back.
 * @type {(text: string, changes: State) => HTMLButtonElement}
 */
const chip = (text, changes) => {
  const made = make("button", "", `${text} `, make("span", "", "×"));
  made.setAttribute("aria-label", `Remove: ${text}`);
  made.addEventListener("click", () => {
    change(changes);
    $("filter").focus();
  });
  return ofRun(made);
};

/** @type {(column: Column) => HTMLButtonElement} */
const facetChip = (column) => {
  const names = state[column.key].map((/** @type {string} */ value) => nameOf(column, value)).join(", ");
  return chip(`${column.label || "Ended by"}: ${names}`, { [column.key]: null });
};

/** @type {(key: string, ends: any[]) => HTMLButtonElement} */
const rangeChip = (key, [low, high]) => {
  const column = rows.byKey.get(key);
  const from = low === null ? "" : `${low === "unknown" ? "" : " from"} ${bound(column, low)}`;
  const to = high === null ? "" : ` to ${bound(column, high)}`;
  return chip(`${column.label}${from}${to}`, { [key]: null });
};

/**
 * The ends of ranges in their fields, and a button for each filter and order that no field or head shows.
 * @type {(isHistory: boolean) => void}
 */
export const drawRanges = (isHistory) => {
  const shown = new Map(rangesOf(rows, state));
  for (const facet of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-range]"))) {
    const { range: key } = facet.dataset;
    const [low, high] = shown.get(key) || [null, null];
    shown.delete(key);
    facet.querySelectorAll("input").forEach((input, side) => {
      if ((isFocused(input) || input.ariaInvalid === "true") && !isHistory) return;
      const value = side ? high : low;
      input.value = value === null ? "" : bound(rows.byKey.get(key), value);
      input.removeAttribute("aria-invalid");
    });
  }
  const seen = new Set(shownColumns.map(({ key }) => key));
  const sorts = sortsOf(rows, state);
  const unseen = sorts.filter((sort) => !seen.has(keyOf(sort)));
  $("further").replaceChildren(
    ...chosenFacets(rows, state).filter(({ key }) => !facetKeys.includes(key)).map(facetChip),
    ...[...shown].map(([key, ends]) => rangeChip(key, ends)),
    ...unseen.map((sort) =>
      chip(`sorted by ${rows.byKey.get(keyOf(sort)).label}`, { sort: sorts.filter((other) => other !== sort) }),
    ),
  );
};

/** Says what is wrong with a field that is not understood, or with both of a range. */
export const sayMisread = () => {
  const wrong = $("facets").querySelector('[aria-invalid="true"]');
  const column = wrong && rows.byKey.get(wrong.closest("[data-range]").dataset.range);
  const isTurned = rangesOf(rows, state).some(([, [from, to]]) => to !== null && Number(from) > to);
  if (column) {
    const example = column.clock ? "8:31, 1:05:00 or 2 h 39 min" : "1,500 or 0.5";
    $("misread").textContent = `Not understood, so ignored: write ${example}`;
  } else {
    $("misread").textContent = isTurned ? "No run matches: a range ends before it begins" : "";
  }
};
