/* The rows that are drawn: all, or of many those in sight. */
import { make } from "./dom.js";
import { plural } from "./numbers.js";
import { siteRoot } from "./places.js";
import { row, widest } from "./table-cells.js";
import { body, box, isFocused, table } from "./table-element.js";
import { rows } from "./table-rows.js";
import { WHOLE, countShown, isWindowed, positions, shownColumns } from "./table-shown.js";
import { state } from "./table-state.js";

const AROUND = 20; // rows that are drawn above those in sight, and below
const FIRST = 60; // rows that are drawn before it is known how high a row is
let first = 0;
let last = 0; // behind the last row that is drawn
let isPrinting = false;
let rowHeight = 0; // pixels, once some are drawn

/** @type {(className: string, ...content: (Node | string)[]) => HTMLTableRowElement} */
const wideRow = (className, ...content) => {
  const across = make("td", className ? "" : "muted", ...content);
  across.colSpan = shownColumns.length + 2;
  return make("tr", className, across);
};

/**
 * An empty row as high as the rows that are not drawn.
 * @type {(count: number) => HTMLTableRowElement}
 */
const space = (count) => {
  const made = wideRow("space");
  made.setAttribute("aria-hidden", "true");
  made.cells[0].style.height = `${count * rowHeight}px`;
  return made;
};

/** @type {(nth: number | string) => HTMLTableRowElement | null} */
export const rowAt = (nth) => body.querySelector(`[data-nth="${nth}"]`);

/** @type {(nth: number) => HTMLTableRowElement} */
const numbered = (nth) => {
  const made = row(positions[nth]);
  made.dataset.nth = String(nth);
  if (isWindowed) made.setAttribute("aria-rowindex", String(nth + 2));
  return made;
};

/**
 * Which rows are drawn: the first, and the one behind the last.
 * @type {() => [number, number]}
 */
const inSight = () => {
  if (isPrinting) return [0, Math.min(WHOLE, positions.length)];
  if (!isWindowed) return [0, positions.length];
  if (!rowHeight) return [0, FIRST];
  const top = Math.max(Math.floor(box.scrollTop / rowHeight) - AROUND, 0);
  const count = Math.ceil(box.clientHeight / rowHeight) + 2 * AROUND;
  return [Math.min(top, Math.max(positions.length - count, 0)), Math.min(top + count, positions.length)];
};

/**
 * Where what was typed may be found, as other filters and pages of groups leave runs out, and what is not looked at.
 * @type {() => (Node | string)[]}
 */
const elsewhere = () => {
  if (!state.q?.trim()) return [];
  if (!document.querySelector("[data-search]")) return [" Texts, files and commands are not searched in one file."];
  const link = make("a", "", "Search all runs for it");
  link.href = `${siteRoot}search.html#${new URLSearchParams({ q: state.q })}`;
  return [" ", link];
};

/** Draws the rows in sight anew. */
export const drawRows = () => {
  const focused = isFocused(body) && document.activeElement.closest("tr").dataset.nth;
  [first, last] = inSight();
  const drawnRows = [];
  for (let nth = first; nth < last; nth++) drawnRows.push(numbered(nth));
  if (!drawnRows.length) drawnRows.push(wideRow("", "No run matches these filters.", ...elsewhere()));
  if (isWindowed) drawnRows.unshift(space(first));
  if (isPrinting && isWindowed) {
    drawnRows.push(wideRow("", `and ${plural(countShown() - last)} more`));
  } else if (isWindowed) {
    drawnRows.push(space(positions.length - last));
  }
  body.replaceChildren(...(last - first < rows.ids.length ? [widest()] : []), ...drawnRows);
  if (focused) (rowAt(focused)?.querySelector("a") || box).focus({ preventScroll: true });
};

/**
 * Draws all rows that fit on paper, or those in sight again.
 * @type {(isOnPaper: boolean) => void}
 */
export const setPrinting = (isOnPaper) => {
  isPrinting = isOnPaper;
  if (isWindowed) drawRows();
};

/** While the table is scrolled, rows that stay in sight stay, so that the focus and what is selected do. */
export const scrolled = () => {
  if (!isWindowed || isPrinting) return;
  const [from, to] = inSight();
  if (Math.abs(from - first) < AROUND / 2 && Math.abs(to - last) < AROUND / 2) return;
  if (from >= last || to <= first) return drawRows();
  const focused = isFocused(body);
  for (let nth = first; nth < from; nth++) rowAt(nth).remove();
  for (let nth = Math.max(to, first); nth < last; nth++) rowAt(nth).remove();
  const above = [];
  const below = [];
  for (let nth = from; nth < first; nth++) above.push(numbered(nth));
  for (let nth = last; nth < to; nth++) below.push(numbered(nth));
  const [top, bottom] = body.querySelectorAll(".space");
  top.after(...above);
  bottom.before(...below);
  [first, last] = [from, to];
  top.replaceWith(space(first));
  bottom.replaceWith(space(positions.length - last));
  if (focused && !isFocused(body)) box.focus({ preventScroll: true });
};

/**
 * Moves the focus to a row, and the table until it is in sight.
 * @type {(nth: number) => void}
 */
export const toRow = (nth) => {
  if (!positions.length) return;
  const wanted = Math.min(Math.max(nth, 0), positions.length - 1);
  if (!rowAt(wanted)) {
    box.scrollTop = wanted * rowHeight;
    scrolled();
  }
  rowAt(wanted)?.querySelector("a").focus();
};

/** @type {() => number} */
export const firstInSight = () => {
  if (!isWindowed) return 0;
  const edge = box.getBoundingClientRect().top + table.tHead.offsetHeight;
  const seen = [...body.querySelectorAll("[data-nth]")].find((shown) => shown.getBoundingClientRect().top >= edge - 1);
  return seen ? Number(seen.dataset.nth) : first;
};

/** Measures how high a row is, once some are drawn. */
export const measure = () => {
  const drawnRows = [...body.querySelectorAll("[data-nth]")];
  if (!drawnRows.length) return;
  const { bottom } = drawnRows.at(-1).getBoundingClientRect();
  const height = (bottom - drawnRows[0].getBoundingClientRect().top) / drawnRows.length;
  if (height === rowHeight) return;
  rowHeight = height;
  if (!isWindowed) return;
  const spaces = [...body.querySelectorAll(".space")];
  [space(first), space(positions.length - last)].forEach((wanted, at) => spaces[at]?.replaceWith(wanted));
  scrolled();
};
