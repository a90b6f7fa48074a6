import assert from "node:assert/strict";
import test from "node:test";

import { numberOf } from "../../templates/static/src/more-typed.js";
import { asWritten, figure, hours, plural } from "../../templates/static/src/numbers.js";

const CENTS = { divisor: 1, decimals: 2 };
const CLOCK = { clock: true };

test("figures are rounded half up on the decimal that is meant", () => {
  const written = [1.005, 0.004, -0.004, 1234.5, -2.5, 0, null].map((value) => figure(CENTS, value));
  assert.deepEqual(written, ["1.01", "<0.01", ">−0.01", "1,234.50", "−2.50", "0.00", "–"]);
});

test("times are minutes and seconds, sums of them hours", () => {
  assert.deepEqual([0, 1, 59_500, 8_569_000].map((ms) => figure(CLOCK, ms)), ["0:00", "<0:01", "1:00", "142:49"]);
  assert.equal(hours(7_140_000), "1\u202fh 59");
});

test("numbers are compared as they are written", () => {
  assert.equal(asWritten(CENTS, 1.005), 1.01);
  assert.equal(asWritten(CLOCK, 1_500), 2_000);
});

test("runs are counted in words", () => {
  assert.deepEqual([0, 1, 1500].map(plural), ["0 runs", "1 run", "1,500 runs"]);
});

test("ends of ranges are read as they are typed", () => {
  assert.deepEqual(["1,500", "0,5", "<0.01", "x"].map((text) => numberOf(CENTS, text)), [1500, 0.5, 0, NaN]);
  const times = ["8:31", "1:05:00", "2 h 39 min", "42 s", "3", "12 ms"];
  const read = [511_000, 3_900_000, 9_540_000, 42_000, 180_000, 12];
  assert.deepEqual(times.map((text) => numberOf(CLOCK, text)), read);
});
