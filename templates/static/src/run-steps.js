/* The steps of a run, as its strip draws them: see strip_data in strip.py. */
import { make } from "./dom.js";
import { load } from "./loading.js";

const NAMES = ["number", "lane", "kind", "name", "failed", "bytes", "begin", "end", "context", "tokens", "usd"];

const steps = {}; // address -> a promise
export const stepsAt = (base) => (steps[base] ??= readSteps(base).catch((error) => {
  delete steps[base];
  throw error;
}));
const readSteps = async (base) => {
  await load(`${base}data.js`);
  const data = window.sitegenSteps;
  const ends = data.axes.flatMap((axis) => [`${axis} begin`, `${axis} end`]);
  let at = 0; // time since the start; a step without one is where the step before it is
  const named = (row) => {
    const step = Object.fromEntries([...NAMES, ...ends].map((name, i) => [name, row[i]]));
    if (step.begin !== null) at = Math.max(step.begin - data.start, 0);
    return { ...step, at };
  };
  const hrefOf = ({ number }) => `${base}${Math.ceil(number / data.perPage)}.html#s${number}`;
  return { ...data, rows: data.rows.map(named), hrefOf };
};
export const linkTo = (data, row, text) => Object.assign(make("a", "", text), { href: data.hrefOf(row) });

/* The largest results that the main agent's context holds at a step: those since it was compacted. */
export const held = ({ rows, compactions }, { number }) => {
  const from = compactions.findLast((each) => each < number) ?? 0;
  const results = rows.filter((row) => row.number > from && row.number < number && row.bytes >= 1000);
  return results.sort((a, b) => b.bytes - a.bytes).slice(0, 3);
};
