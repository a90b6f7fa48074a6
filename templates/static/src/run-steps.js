/* The steps of a run, as its strip draws them: see strip_data in strip.py. */
import { make } from "./dom.js";
import { load } from "./loading.js";

/**
 * @typedef {object} StepFields
 * @property {number} number
 * @property {number} lane
 * @property {string} kind Empty of a message.
 * @property {string} name
 * @property {number} failed 1 where it failed.
 * @property {number} bytes
 * @property {number | null} begin
 * @property {number | null} end
 * @property {number | null} context Tokens that were sent.
 * @property {number} at Milliseconds since the start.
 */
/** @typedef {StepFields & Record<string, any>} Step A step, with where it begins and ends on each axis. */
/**
 * @typedef {object} Steps
 * @property {Step[]} rows
 * @property {string[]} lanes
 * @property {number[]} compactions Numbers of the steps at which the context was compacted.
 * @property {number} start
 * @property {boolean} isBound Whether tokens are a lower bound.
 * @property {boolean} isCostBound
 * @property {(row: Step) => string} hrefOf
 */

const NAMES = ["number", "lane", "kind", "name", "failed", "bytes", "begin", "end", "context", "tokens", "usd"];

/** @type {Record<string, Promise<Steps>>} */
const steps = {}; // address -> a promise
/** @type {(base: string) => Promise<Steps>} */
export const stepsAt = (base) => (steps[base] ??= readSteps(base).catch((error) => {
  delete steps[base];
  throw error;
}));
/** @type {(base: string) => Promise<Steps>} */
const readSteps = async (base) => {
  await load(`${base}data.js`);
  const data = window.sitegenSteps;
  const ends = data.axes.flatMap((/** @type {string} */ axis) => [`${axis} begin`, `${axis} end`]);
  let at = 0; // time since the start; a step without one is where the step before it is
  /** @type {(row: any[]) => Step} */
  const named = (row) => {
    const step = Object.fromEntries([...NAMES, ...ends].map((name, i) => [name, row[i]]));
    if (step.begin !== null) at = Math.max(step.begin - data.start, 0);
    return { ...step, at };
  };
  /** @type {(row: Step) => string} */
  const hrefOf = ({ number }) => `${base}${Math.ceil(number / data.perPage)}.html#s${number}`;
  return { ...data, rows: data.rows.map(named), hrefOf };
};
/** @type {(data: Steps, row: Step, text: Node | string) => HTMLAnchorElement} */
export const linkTo = (data, row, text) => Object.assign(make("a", "", text), { href: data.hrefOf(row) });

/**
 * The largest results that the main agent's context holds at a step: those since it was compacted.
 * @type {(data: Steps, step: Step) => Step[]}
 */
export const held = ({ rows, compactions }, { number }) => {
  const from = compactions.findLast((each) => each < number) ?? 0;
  const results = rows.filter((row) => row.number > from && row.number < number && row.bytes >= 1000);
  return results.sort((a, b) => b.bytes - a.bytes).slice(0, 3);
};
