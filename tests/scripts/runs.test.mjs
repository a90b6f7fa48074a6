import assert from "node:assert/strict";
import test from "node:test";

import { loadBlocks } from "../../templates/static/src/more-blocks.js";
import { aligned } from "../../templates/static/src/run-alignment.js";
import { asMs, clock, kilobytes, money, total } from "../../templates/static/src/run-figures.js";
import { frequencies, place, weigh } from "../../templates/static/src/search-ranking.js";

const calls = (names) => names.split("").map((name) => ({ kind: "Bash", name }));
const names = (rows) => rows.map((pair) => pair.map((call) => call?.name ?? "-").join("")).join(" ");

test("the same calls of two runs stand in one row", () => {
  assert.equal(names(aligned(calls("abd"), calls("acd"))), "aa bc dd");
  assert.equal(names(aligned(calls("ab"), calls("xab"))), "-x aa bb");
  assert.equal(names(aligned(calls(""), calls("a"))), "-a");
});

test("figures of steps are written and typed alike", () => {
  assert.deepEqual([asMs("20"), asMs("20:30"), asMs("x")], [1_200_000, 1_230_000, NaN]);
  assert.deepEqual([clock(1_230_000), kilobytes(12_345), money(0.01), money(1)], ["20:30", "12.3 kB", "$0.0100", "$1.00"]);
  assert.equal(total([{ tokens: 1 }, { tokens: null }, { tokens: 2 }], "tokens"), 3);
});

test("a place is behind all that is not larger", () => {
  assert.deepEqual([0, 1, 2, 9].map((number) => place([1, 2, 4], number)), [0, 1, 2, 3]);
});

test("a word that a run repeats counts more, a longer one half", () => {
  const exact = frequencies([{ exact: true, list: "*" }], 3); // the second run, four times
  const longer = frequencies([{ exact: false, list: "*" }], 3);
  assert.deepEqual([...exact].map((doubled, run) => doubled === 2 * longer[run]), [true, true, true]);
  const scores = new Float64Array(3);
  weigh(exact, [0, 1, 2], Float64Array.of(1, 1, 1), scores);
  assert.deepEqual([...scores].map((score) => score > 0), [...exact].map((doubled) => doubled > 0));
});

test("blocks are loaded by their versions, in their order", async () => {
  const asked = [];
  const said = [];
  const load = async (address, version) => {
    asked.push([address, version]);
    return { ids: address };
  };
  const blocks = await loadBlocks("data/rows-further.js?v=a", ["b", "c"], load, (text) => said.push(text));
  assert.deepEqual(asked, [["data/rows-2-further.js?v=b", '"b"'], ["data/rows-3-further.js?v=c", '"c"']]);
  assert.deepEqual(blocks.map(({ ids }) => ids), asked.map(([address]) => address));
  assert.deepEqual(said, ["Loading rows, 2 of 3", "Loading rows, 3 of 3", ""]);
});
