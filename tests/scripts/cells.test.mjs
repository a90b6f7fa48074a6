import assert from "node:assert/strict";
import test from "node:test";

import { csvCell } from "../../templates/static/src/csv.js";
import { recordOf } from "../../templates/static/src/more-exports.js";
import { exposed, fill, isHere, isWhole } from "../../templates/static/src/rows.js";
import { whoKey, whose } from "../../templates/static/src/who.js";
import { COST, MODEL, rowsOf } from "./tables.mjs";

test("no cell of CSV begins a formula, and numbers stay numbers", () => {
  const cells = ["=1+1", "\u200b+1", "a;=b", 'say "hi"', "a,b", "plain"].map((text) => csvCell(text));
  assert.deepEqual(cells, ["'=1+1", "'\u200b+1", "a;'=b", '"say ""hi"""', '"a,b"', "plain"]);
  assert.equal(csvCell("-1", true), "-1");
});

const TASK = { key: "task", label: "Task", names: ["tide"] };
const SUM = { key: "tokens", label: "Tokens", parts: ["input", "output"], divisor: 1, decimals: 0 };
const PARTS = ["input", "output"].map((key) => ({ key, divisor: 1, decimals: 0 }));
const rows = rowsOf([TASK, MODEL, COST, SUM, ...PARTS], {
  task: [0, 0, 1, 0],
  model: [0, 1, 0, 2],
  cost_usd: [[1, null, 2, 3], [3]],
  input: [[1, 2, null, null], []],
  output: [[10, null, 30, null], [0]],
});
const text = (key) => rows.ids.map((_, i) => rows.byKey.get(key).text(i));

test("ids are written by what they have in common", () => {
  assert.deepEqual(rows.ids, ["run-1", "run-2", "run-3", "run-4"]);
});

test("a run is called by its task and its model", () => {
  assert.deepEqual(text("name"), ["tide · Opus", "tide · Sonnet", "Opus", "tide"]);
});

test("a figure that is a lower bound has a plus, an unknown one a dash", () => {
  assert.deepEqual(text("cost_usd"), ["1.00", "–", "2.00", "3.00+"]);
});

test("a sum of columns whose parts are unknown is a lower bound, and no value of an export", () => {
  assert.deepEqual(text("tokens"), ["11+", "2+", "30+", "–"]);
  assert.deepEqual(rows.ids.map((_, i) => rows.byKey.get("tokens").value(i)), [11, null, null, null]);
});

test("an export has a field for each name, null where a column has none", () => {
  rows.exported = ["model", "cost_usd", "labels", "nothing"];
  assert.deepEqual(recordOf(rows, 1), {
    id: "run-2",
    name: "tide · Sonnet",
    page: "runs/run-2.html",
    model: "Claude Sonnet",
    cost_usd: null,
    labels: [],
    nothing: null,
    scores: {},
  });
});

test("other scripts get the columns that are here", () => {
  assert.deepEqual(exposed(rows).columns.model, ["Claude Opus", "Claude Sonnet", "Claude Opus", null]);
  assert.equal(isHere(rows, { parts: ["nothing"] }), true);
  assert.equal(whoKey(rows), "model");
  assert.equal(whose(rows, 0), "Claude Opus");
});

test("the rows of several blocks follow one another", () => {
  const block = (ids, model) => ({ ids: JSON.stringify(ids), model: JSON.stringify(model) });
  const few = rowsOf([MODEL], { model: [0] }, ["a 1"]);
  few.total = 3;
  assert.equal(isWhole(few), false);
  fill(few, [block(["a 1"], [0]), block(["b 1 2"], [1, 0])]);
  assert.deepEqual(few.ids, ["a1", "b1", "b2"]);
  assert.deepEqual(exposed(few).columns.model, ["Claude Opus", "Claude Sonnet", "Claude Opus"]);
  assert.equal(isWhole(few), true);
});
