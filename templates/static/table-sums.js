/* Sums of the runs shown: the foot of the table, and the line above it; `rows` are some of the runs shown. */

/* Sums without the error of adding floats one by one (Neumaier). Unknown adds nothing and makes a lower bound. */
const total = (column, rows = positions) => {
  if (!column.summed) return "";
  let sum = 0;
  let lost = 0;
  let known = 0;
  let missing = 0;
  const { values, bounds } = column;
  for (let nth = 0; nth < rows.length; nth++) {
    const value = values[rows[nth]];
    if (value === null || (bounds.size && bounds.has(rows[nth]))) missing++;
    if (value === null) continue;
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
    known++;
  }
  const total = known ? sum + lost : null;
  return (column.clock && total >= HOUR ? hours(total) : figure(column, total)) + (known && missing ? "+" : "");
};

/* How many of the judged runs pass. */
const passed = (rows = positions) => {
  const outcome = byKey.get("outcome");
  let passing = 0;
  let judged = 0;
  for (const i of rows) {
    if (!isJudged(outcome.value(i))) continue;
    judged++;
    if (outcome.value(i) === "pass") passing++;
  }
  return judged ? [grouped(String(passing)), grouped(String(judged))].join(" of ") : "";
};

/* The median of the runs shown that have a figure; with a plus where a lower bound is among them. */
const middle = (column, rows) => {
  const known = [...rows].filter((i) => column.values[i] !== null);
  const sorted = Float64Array.from(known, (i) => column.values[i]).sort();
  const half = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[half] : sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2;
  return figure(column, median) + (known.some((i) => column.bounds.has(i)) ? "+" : "");
};

/* Runs in one line: how many passed, and cost and time as sum and median. */
const summed = (rows = positions) => {
  if (!isWhole() || !rows.length) return "";
  const isKnown = (key) => byKey.get(key)?.values && rows.some((i) => byKey.get(key).values[i] !== null);
  const both = (key, mark) => {
    const column = byKey.get(key);
    const texts = [total(column, rows), `median ${middle(column, rows)}`];
    return texts.map((text) => text.replace(/\d/, `${mark}$&`)).join(", ");
  };
  const judged = byKey.get("outcome")?.codes ? passed(rows) : "";
  return [
    plural(rows.length),
    judged && `passed ${judged} judged`,
    isKnown("cost_usd") ? `cost ${both("cost_usd", "$$")}`
    : isKnown("computed_cost_usd") && `cost ≈ ${both("computed_cost_usd", "$$")}`,
    isKnown("wall_ms") && `time ${both("wall_ms", "")}`,
  ].filter(Boolean).join(" · ");
};

/* The same for each configuration of the runs shown, or each model where these are enough. */
const summedBySide = () => {
  const sides = new Map();
  for (const i of positions) {
    const name = whose(i) ?? "unknown";
    if (!sides.has(name)) sides.set(name, []);
    sides.get(name).push(i);
  }
  return [...sides].map(([name, rows]) => make("li", "", ofRun(make("span", "", name)), `: ${summed(rows)}`));
};

const drawSums = (isFiltered) => {
  const sides = $("sums-by");
  $("sums").textContent = isFiltered ? summed() : "";
  sides.hidden = !isFiltered || !positions.length;
  sides.lastElementChild.replaceChildren(...(sides.open && !sides.hidden ? summedBySide() : []));
};

$("sums-by").addEventListener("toggle", () => drawSums(isNarrowed()));
