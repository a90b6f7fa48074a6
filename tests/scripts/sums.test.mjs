import assert from "node:assert/strict";
import test from "node:test";

import { select } from "../../templates/static/src/filters.js";
import { isJudged, passed, summed, total } from "../../templates/static/src/sums.js";
import { COST, MODEL, OUTCOME, TIME, rowsOf } from "./tables.mjs";

const rows = rowsOf([MODEL, OUTCOME, COST, TIME], {
  model: [0, 0, 1, 1],
  outcome: [0, 1, 2, 3],
  cost_usd: [[0.5, 1, null, 2], [3]],
  wall_ms: [[60_000, 3_600_000, 1_000, 0], []],
});

const lineUnder = (state) => summed(rows.byKey, select(rows, state, null).positions);

test("the line of sums is of the runs that the filter leaves", () => {
  assert.equal(lineUnder({}), "4 runs · passed 1 of 2 judged · cost $3.50+, median $1.00+ · time 1\u202fh 01, median 0:31");
  const opus = lineUnder({ model: ["Claude Opus"] });
  assert.equal(opus, "2 runs · passed 1 of 2 judged · cost $1.50, median $0.75 · time 1\u202fh 01, median 30:30");
  assert.equal(lineUnder({ cost_usd: [0.5, 1], outcome: ["pass"] }), "1 run · passed 1 of 1 judged · cost $0.50, median $0.50 · time 1:00, median 1:00");
});

test("no run has no sums", () => {
  assert.equal(lineUnder({ model: ["nobody"] }), "");
});

test("what is unknown adds nothing and makes a lower bound", () => {
  const cost = rows.byKey.get("cost_usd");
  assert.equal(total(cost, [0, 1]), "1.50");
  assert.equal(total(cost, [0, 2]), "0.50+");
  assert.equal(total(cost, [2]), "–");
  assert.equal(total(cost, [3]), "2.00+");
  assert.equal(total({ ...cost, summed: false }, [0, 1]), "");
});

test("sums lose nothing to the order of their parts", () => {
  const values = [1e9, ...Array(1000).fill(0.001), -1e9];
  const column = { ...COST, values, bounds: new Set() };
  assert.equal(total(column, values.map((_, i) => i)), "1.00");
});

test("errors and runs without a verdict are not judged", () => {
  assert.deepEqual(["pass", "fail", "partial", "error", null].map(isJudged), [true, true, true, false, false]);
  assert.equal(passed(rows.byKey.get("outcome"), [2, 3]), "");
});
