import assert from "node:assert/strict";
import test from "node:test";

import { inOrder, isDescending, isOffered, keyOf, sortsOf } from "../../templates/static/src/order.js";
import { natural } from "../../templates/static/src/ranks.js";
import { COST, MODEL, rowsOf } from "./tables.mjs";

const rows = rowsOf([MODEL, COST, { key: "note", label: "Note", further: true }], {
  model: [1, 0, 1, 2],
  cost_usd: [[0.3, null, 0.1, 0.3], [2]],
});
const order = (...sorts) => [...inOrder(rows, sorts)];

test("a sort is a key, with a minus where it is descending", () => {
  assert.deepEqual(["cost_usd", "-cost_usd"].map(keyOf), ["cost_usd", "cost_usd"]);
  assert.deepEqual(["cost_usd", "-cost_usd"].map(isDescending), [false, true]);
});

test("lower bounds and then unknown values stay last in both directions", () => {
  assert.deepEqual(order("cost_usd"), [0, 3, 2, 1]);
  assert.deepEqual(order("-cost_usd"), [0, 3, 2, 1]);
});

test("equal rows are sorted by the next sort, and else keep their order", () => {
  assert.deepEqual(order("model", "-cost_usd"), [1, 0, 2, 3]);
  assert.deepEqual(order("-model"), [0, 2, 1, 3]);
  assert.deepEqual(order(), [0, 1, 2, 3]);
});

test("names stand by the size of their numbers", () => {
  const names = ["run 10", "run 9", "Run 9", "a"];
  assert.deepEqual(names.sort((a, b) => (natural(a) < natural(b) ? -1 : 1)), ["a", "Run 9", "run 9", "run 10"]);
});

test("a sort by a column that is not here or not there is left out", () => {
  assert.deepEqual(sortsOf(rows, { sort: ["-note", "nothing", "model"] }), ["model"]);
  assert.equal(isOffered(rows, undefined), false);
});
