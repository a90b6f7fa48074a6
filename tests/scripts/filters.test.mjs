import assert from "node:assert/strict";
import test from "node:test";

import { fragment, stateOf } from "../../templates/static/src/address.js";
import { chosenFacets, rangesOf, select } from "../../templates/static/src/filters.js";
import { marksByColumns } from "../../templates/static/src/more-words.js";
import { COST, MODEL, OUTCOME, rowsOf } from "./tables.mjs";

const TOOLS = { key: "tools", label: "Tools", names: ["none", "Bash", "Edit"], sets: [[], [1], [1, 2]], empty: "none", none: "unknown" };
const rows = rowsOf([MODEL, OUTCOME, COST, TOOLS], {
  model: [0, 0, 1, 1],
  outcome: [0, 1, 0, 3],
  cost_usd: [[0.5, 0.149, null, 2], [3]],
  tools: [0, 1, 2, 2],
});
const kept = (state, marks = null) => [...select(rows, state, marks).positions];

test("names of one facet add up, facets narrow each other", () => {
  assert.deepEqual(kept({ model: ["Claude Opus"] }), [0, 1]);
  assert.deepEqual(kept({ model: ["Claude Opus", "Claude Sonnet"], outcome: ["pass"] }), [0, 2]);
  assert.deepEqual(kept({ outcome: [""] }), [3], "no verdict");
  assert.deepEqual(kept({ tools: ["Edit"] }), [2, 3], "one of a set");
});

test("a facet counts what the other filters leave", () => {
  const { counts } = select(rows, { model: ["Claude Opus"], outcome: ["fail"] }, null);
  assert.deepEqual([...counts.get("model")], [0 + 1, 0, 0]);
  assert.deepEqual([...counts.get("outcome")], [1, 1, 0, 0]);
});

test("a range is of figures as they are written, and no lower bound is small", () => {
  assert.deepEqual(kept({ cost_usd: [0.15, null] }), [0, 1, 3]);
  assert.deepEqual(kept({ cost_usd: [null, 2] }), [0, 1]);
  assert.deepEqual(kept({ cost_usd: ["unknown", null] }), [2, 3]);
});

test("rows without the words of the filter are left out", () => {
  assert.deepEqual(kept({}, [true, false, false, true]), [0, 3]);
  assert.deepEqual(kept({}, marksByColumns(rows, "opus bash ")), [1]);
  assert.deepEqual(kept({}, marksByColumns(rows, "outcome:pass model:son")), [2]);
  assert.equal(marksByColumns(rows, " - "), null);
});

test("a state says which of its keys are ranges and facets", () => {
  const state = { model: ["Claude Opus"], cost_usd: [1, null], wall_ms: [1, 2], q: "x" };
  assert.deepEqual(rangesOf(rows, state), [["cost_usd", [1, null]]]);
  assert.deepEqual(chosenFacets(rows, state).map(({ key }) => key), ["model"]);
});

test("a state stands in the address and is read from it", () => {
  const isCategory = (key) => key === "model";
  const texts = ["q=a%2Cb&sort=model,-cost_usd", "model=A&model=B%2CC&cost_usd=0.5..", "cost_usd=unknown", "wall_ms=..1e-7"];
  for (const text of texts) assert.equal(fragment(stateOf(text, isCategory)), text.replaceAll("%2C", ","));
  assert.deepEqual({ ...stateOf("q=1..2&model=1..2&cost_usd=1..2", isCategory) }, { q: "1..2", model: ["1..2"], cost_usd: [1, 2] });
  assert.equal(fragment({ q: "", sort: [], model: null, cost_usd: [null, null] }), "");
});
