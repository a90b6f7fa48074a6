/* Sums of the runs shown: the foot of the table, the line above it, and the same for each configuration. */
import { HOUR, figure, grouped, hours, plural } from "./numbers.js";
import { whose } from "./who.js";

/** @import { Column } from "./columns.js" */
/** @import { Rows } from "./rows.js" */
/** @typedef {ArrayLike<number> & Iterable<number>} Positions The rows that are shown. */

/**
 * Whether a run counts in the rate of success, however it ended.
 * @type {(outcome: string | null) => boolean}
 */
export const isJudged = (outcome) => outcome !== null && outcome !== "error";

/**
 * The sum of a column without the error of adding floats one by one (Neumaier). Unknown adds nothing and makes a lower
 * bound.
 * @type {(column: Column, positions: Positions) => string}
 */
export const total = (column, positions) => {
  if (!column.summed) return "";
  let sum = 0;
  let lost = 0;
  let known = 0;
  let missing = 0;
  const { values, bounds } = column;
  for (let nth = 0; nth < positions.length; nth++) {
    const value = values[positions[nth]];
    if (value === null || (bounds.size && bounds.has(positions[nth]))) missing++;
    if (value === null) continue;
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
    known++;
  }
  const all = known ? sum + lost : null;
  return (column.clock && all >= HOUR ? hours(all) : figure(column, all)) + (known && missing ? "+" : "");
};

/**
 * How many of the judged runs pass.
 * @type {(outcome: Column, positions: Positions) => string}
 */
export const passed = (outcome, positions) => {
  let passing = 0;
  let judged = 0;
  for (const i of positions) {
    if (!isJudged(outcome.value(i))) continue;
    judged++;
    if (outcome.value(i) === "pass") passing++;
  }
  return judged ? [grouped(String(passing)), grouped(String(judged))].join(" of ") : "";
};

/**
 * The median of the runs shown that have a figure; with a plus where a lower bound is among them.
 * @type {(column: Column, positions: Positions) => string}
 */
const middle = (column, positions) => {
  const known = [...positions].filter((i) => column.values[i] !== null);
  const sorted = Float64Array.from(known, (i) => column.values[i]).sort();
  const half = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[half] : sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2;
  return figure(column, median) + (known.some((i) => column.bounds.has(i)) ? "+" : "");
};

/**
 * The runs shown, in one line: how many passed, and cost and time as sum and median.
 * @type {(byKey: Map<string, Column>, positions: Positions) => string}
 */
export const summed = (byKey, positions) => {
  if (!positions.length) return "";
  /** @type {(key: string) => boolean} */
  const isKnown = (key) => byKey.get(key)?.values && [...positions].some((i) => byKey.get(key).values[i] !== null);
  /** @type {(key: string, mark: string) => string} */
  const both = (key, mark) => {
    const column = byKey.get(key);
    const texts = [total(column, positions), `median ${middle(column, positions)}`];
    return texts.map((text) => text.replace(/\d/, `${mark}$&`)).join(", ");
  };
  const outcome = byKey.get("outcome");
  const judged = outcome?.codes ? passed(outcome, positions) : "";
  return [
    plural(positions.length),
    judged && `passed ${judged} judged`,
    isKnown("cost_usd") ? `cost ${both("cost_usd", "$$")}`
    : isKnown("computed_cost_usd") && `cost ≈ ${both("computed_cost_usd", "$$")}`,
    isKnown("wall_ms") && `time ${both("wall_ms", "")}`,
  ].filter(Boolean).join(" · ");
};

/**
 * The same line for each configuration of the runs shown, or each model where these are enough, by its name.
 * @type {(rows: Rows, positions: Positions) => [string, string][]}
 */
export const summedBySide = (rows, positions) => {
  /** @type {Map<string, number[]>} */
  const sides = new Map();
  for (const i of positions) {
    const name = whose(rows, i) ?? "unknown";
    if (!sides.has(name)) sides.set(name, []);
    sides.get(name).push(i);
  }
  return Array.from(sides, ([name, own]) => [name, summed(rows.byKey, own)]);
};
