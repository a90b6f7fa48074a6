/* Which rows pass the filters. A test marks in `failed` the rows that do not: OUT, or n for the nth facet alone. */
import { asWritten } from "./numbers.js";
import { inOrder, sortsOf } from "./order.js";
import { isHere } from "./rows.js";

/** @import { Rows } from "./rows.js" */
/** @import { State } from "./address.js" */
/** @import { Column } from "./columns.js" */
/** @typedef {[key: string, ends: [number | string | null, number | null]]} Range */

const OUT = 255; // of a row that fails for more than one facet

/**
 * The ranges of figures that a state has.
 * @type {(rows: Rows, state: State) => Range[]}
 */
export const rangesOf = (rows, state) => {
  /** @type {(pair: [string, any]) => boolean} */
  const isRange = ([key, value]) => {
    const column = rows.byKey.get(key);
    return column?.isFigure && isHere(rows, column) && Array.isArray(value) && value.some((side) => side !== null);
  };
  return /** @type {Range[]} */ (Object.entries(state).filter(isRange));
};

/**
 * The columns by whose names a state filters.
 * @type {(rows: Rows, state: State) => Column[]}
 */
export const chosenFacets = (rows, state) =>
  rows.columns.filter((column) => column.isCategory && state[column.key] && isHere(rows, column));

/**
 * Marks the rows that a range leaves out.
 * @type {(column: Column, ends: Range[1], failed: Uint8Array) => void}
 */
export const leaveOutByRange = (column, [low, high], failed) => {
  const { values, bounds } = column;
  if (low === "unknown") {
    for (let i = 0; i < values.length; i++) if (values[i] !== null && !bounds.has(i)) failed[i] = OUT;
    return;
  }
  const [from, to] = [Number(low ?? -Infinity), high ?? Infinity];
  const step = column.clock ? 1000 : column.divisor / 10 ** column.decimals; // further off, no rounding brings it in
  for (let i = 0; i < values.length; i++) {
    const value = to < Infinity && bounds.has(i) ? null : values[i]; // nobody knows that a lower bound is so low
    if (value >= from && value <= to && value !== null) continue;
    const written = value !== null && value > from - step && value < to + step ? asWritten(column, value) : NaN;
    if (!(written >= from && written <= to)) failed[i] = OUT;
  }
};

/**
 * Marks the rows that the nth facet leaves out.
 * @type {(column: Column, names: string[], nth: number, failed: Uint8Array) => void}
 */
const leaveOutByNames = (column, names, nth, failed) => {
  const chosen = new Set(names.map((name) => (name === "" ? column.names.length : column.names.indexOf(name))));
  const hits = column.positions.map((set) => set.some((at) => chosen.has(at)));
  const { codes } = column;
  for (let i = 0; i < failed.length; i++) {
    if (!hits[codes[i]]) failed[i] = failed[i] ? OUT : nth;
  }
};

/**
 * How many rows each name of the nth facet has among those that pass all else.
 * @type {(column: Column, nth: number, failed: Uint8Array) => Uint32Array}
 */
const countNames = (column, nth, failed) => {
  const { codes } = column;
  const runs = new Uint32Array(column.positions.length);
  const names = new Uint32Array(column.names.length + 1);
  for (let i = 0; i < failed.length; i++) {
    if (!failed[i] || failed[i] === nth) runs[codes[i]]++;
  }
  runs.forEach((number, code) => {
    for (const at of column.positions[code]) names[at] += number;
  });
  return names;
};

/**
 * The positions of the rows that pass, and for each facet how many rows its names have among those that pass all else.
 * `marks` are those of rows that have the words of the filter, if it has any.
 * @type {(rows: Rows, state: State, marks: boolean[] | null) => { positions: Uint32Array, counts: Map<string, Uint32Array> }}
 */
export const select = (rows, state, marks) => {
  const order = inOrder(rows, sortsOf(rows, state));
  const facets = rows.columns.filter((column) => column.isCategory && isHere(rows, column));
  const failed = new Uint8Array(rows.ids.length);
  if (marks) for (let i = 0; i < failed.length; i++) if (!marks[i]) failed[i] = OUT;
  for (const [key, ends] of rangesOf(rows, state)) leaveOutByRange(rows.byKey.get(key), ends, failed);
  facets.forEach((column, at) => {
    if (state[column.key]) leaveOutByNames(column, state[column.key], at + 1, failed);
  });
  const counts = new Map(facets.map((column, at) => [column.key, countNames(column, at + 1, failed)]));
  return { positions: order.filter((i) => !failed[i]), counts };
};
