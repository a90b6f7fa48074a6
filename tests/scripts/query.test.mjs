import assert from "node:assert/strict";
import test from "node:test";

import { fieldOf, isMarkAlone, termsOf, unmarked, wordsOf } from "../../templates/static/src/query.js";

const read = (query, keys) => termsOf(query, keys).map(({ word, goesOn }) => [fieldOf(word), unmarked(word), goesOn]);

test("words have no case, no accents and no marks", () => {
  assert.deepEqual(wordsOf("Straße, Éclair-x Ｗide"), ["strasse", "eclair", "x", "wide"]);
});

test("the last word may go on until something ends it", () => {
  assert.deepEqual(read("tide cur"), [["", "tide", false], ["", "cur", true]]);
  assert.deepEqual(read("tide cur "), [["", "tide", false], ["", "cur", false]]);
});

test("a field marks the words of its value, and pairs of them", () => {
  assert.deepEqual(read('file:"a b" x '), [
    ["file", "a", false],
    ["file", "b", false],
    ["file", "a.b", false],
    ["", "x", false],
  ]);
});

test("a field alone is looked for with any word", () => {
  const [term] = termsOf("failed:");
  assert.ok(isMarkAlone(term.word) && term.goesOn);
});

test("a field that runs state may be called by what follows its first dot", () => {
  assert.deepEqual(read("hard:fail ", ["verdict.hard"]), [["verdict.hard", "fail", false]]);
  const both = read("hard:fail ", ["verdict.hard", "observed.hard"]);
  assert.deepEqual(both, [["", "hard", false], ["", "fail", false]], "two have that name");
});

test("a code is a field of its own", () => {
  assert.equal(read("W_LIMIT ")[0][0], "code");
});
