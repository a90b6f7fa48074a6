/* Figures of some runs, computed and written as figures.py and numbers/ do. A table of cases drives both: see
   test_two_languages.py. */

const UNIT_SPACE = "\u202f";

/* The exponent of a size above zero once it is rounded to so many digits. */
const exponentOf = (size, digits) => Number(size.toExponential(digits - 1).split("e")[1]);

/* A size over a power of ten, as a text that `decimal` reads without an error. */
const over = (size, power) => {
  const [digits, exponent = "0"] = String(size).split("e");
  return `${digits}e${exponent - power}`;
};

const withGroups = (text) => text.replace(/^\d+/, grouped);
const sized = (number, write) => (number === null ? "–" : (number < 0 ? "−" : "") + write(Math.abs(number)));

const money = (usd) =>
  sized(usd, (size) => {
    if (!size || size >= 0.01) return `$${withGroups(decimal(size, 2))}`;
    if (size < 1e-6) return "<$0.000001";
    return `$${decimal(size, 1 - Number(size.toExponential().split("e")[1]))}`.replace(/0+$/, "");
  });

const count = (number) => figure({ divisor: 1, decimals: Number.isInteger(number) ? 0 : 1 }, number);

const countShort = (number) =>
  sized(number, (size) => {
    if (size < 999.5) return count(size);
    const exponent = exponentOf(size, 3);
    const [unit, power] = exponent >= 9 ? ["bn", 9] : exponent >= 6 ? ["M", 6] : ["k", 3];
    const rounded = over(Number(size.toPrecision(3)), power);
    return withGroups(decimal(rounded, Math.max(2 - exponent + power, 0))) + UNIT_SPACE + unit;
  });

const duration = (ms) =>
  sized(ms, (size) => {
    const said = (...parts) => parts.map(([number, unit]) => number + UNIT_SPACE + unit).join(" ");
    const whole = (unit) => Number(decimal(size / unit, 0));
    if (size && size < 0.5) return said(["<1", "ms"]);
    if (size < 999.5) return said([whole(1), size ? "ms" : "s"]);
    if (size < 9950) return said([decimal(size / 1000, 1), "s"]);
    const seconds = whole(1000);
    if (seconds < 60) return said([seconds, "s"]);
    if (seconds < 3600) return said([Math.floor(seconds / 60), "min"], [seconds % 60, "s"]);
    const minutes = whole(60000);
    if (minutes >= 6000) return said([grouped(String(whole(3600000))), "h"]);
    return said([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
  });

/* The share of a whole number in another. */
const percent = (part, whole) => {
  if (!whole) return "–";
  const shown = Number((200n * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole)));
  return part < whole && shown >= 100 ? ">99%" : part && !shown ? "<1%" : `${shown}%`;
};

const median = (values) => {
  const known = Float64Array.from(values).sort();
  const middle = known.length >> 1;
  if (!known.length) return null;
  return known.length % 2 ? known[middle] : known[middle - 1] + (known[middle] - known[middle - 1]) / 2;
};

/* Without the error of adding floats one by one (Neumaier). */
const sum = (values) => {
  let all = 0;
  let lost = 0;
  for (const value of values) {
    const next = all + value;
    lost += Math.abs(all) >= Math.abs(value) ? all - next + value : value - next + all;
    all = next;
  }
  return all + lost;
};

/* Of ratios the geometric one. */
const mean = (values, isRatio) => {
  if (!values.length) return null;
  return isRatio ? Math.exp(sum(values.map(Math.log)) / values.length) : sum(values) / values.length;
};

/* A unit as it stands behind a figure. */
const unitBehind = (unit) => (unit && !["x", "×", "%"].includes(unit) ? UNIT_SPACE : "") + unit;

/* The mean of a score, as exact as one of its size deserves. */
const meanScore = (value, unit) => {
  if (value === null) return "–";
  const size = Math.abs(value);
  const small = Math.min(1 - Math.floor(Math.log10(size)), 4);
  const decimals = size >= 100 ? 0 : size >= 1 || !size ? 1 : small;
  return figure({ divisor: 1, decimals }, value) + unitBehind(unit);
};

/* Whether a run did not end by itself or at a limit of its own. */
const isCutShort = (status, turns) => turns === 0 || status === "stopped" || status === "interrupted";

/* Whether nobody can say how the agent did, for reasons outside of it. */
const isEnded = (outcome, status, turns) => outcome === "error" || (outcome === null && isCutShort(status, turns));

/* Runs by what they count as: [outcome, status, turns, cost, whether that is a lower bound] of each. What a success cost
   needs three of them; and where costs are missing, as many that report one, or it would be less than a run costs. */
const successOf = (runs) => {
  const ended = runs.filter((run) => isEnded(...run));
  const judged = runs.filter(([outcome]) => isJudged(outcome));
  const failed = runs.filter(([outcome, status, turns]) => outcome === null && status === "failed" && turns !== 0).length;
  const cutShort = judged.filter(([, status, turns]) => isCutShort(status, turns)).length;
  const passed = judged.filter(([outcome]) => outcome === "pass").length;
  const counted = [...judged, ...ended];
  const known = counted.map(([, , , cost]) => cost).filter((cost) => cost !== null);
  const isBound = counted.some(([, , , cost, isLower]) => cost === null || isLower);
  const priced = known.filter((cost) => cost).length;
  const each = passed >= 3 && priced && !(isBound && priced < passed) ? sum(known) / passed : null;
  return { passed, judged: judged.length, ended: ended.length, lost: ended.length + failed, cutShort, each, isBound };
};
