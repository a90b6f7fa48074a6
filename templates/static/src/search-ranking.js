/* How lists of runs are read, and how much a word says for a run. */

/** @typedef {{ exact: boolean, list: string }} List Runs that hold a word, or one that begins with it. */

// Numbers of the index: each sign stands for its place here.
const DIGITS = "#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
export const VALUES = new Uint8Array(128);

[...DIGITS].forEach((sign, value) => {
  VALUES[sign.charCodeAt(0)] = value;
});
const LAST = 60; // values of a sign that ends a number; the others say that it goes on
const MORE = 26;
export const K1 = 2; // of BM25: how much more a word counts that a run repeats
export const B = 0.5; // of BM25: how much less it counts in a long run

/**
 * How many of these words or numbers in order come before another or equal it.
 * @type {<T>(ordered: ArrayLike<T>, other: T) => number}
 */
export function place(ordered, other) {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordered[middle] <= other) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * For each run twice how often it holds a word: of longer words, the one that says most counts, and half.
 * @type {(found: List[], count: number) => Uint8Array}
 */
export function frequencies(found, count) {
  const whole = new Uint8Array(count);
  const longer = new Uint8Array(count);
  for (const { exact, list } of found) {
    const most = exact ? whole : longer;
    let run = 0;
    let number = 0;
    for (let i = 0; i < list.length; i += 1) {
      const digit = VALUES[list.charCodeAt(i)];
      if (digit >= LAST) {
        number = number * MORE + digit - LAST;
        continue;
      }
      number = number * LAST + digit;
      run += number >> 2;
      most[run] = Math.max(most[run], 1 << (number & 3));
      number = 0;
    }
  }
  for (let run = 0; run < count; run += 1) whole[run] = 2 * whole[run] + longer[run];
  return whole;
}

/**
 * Adds to these runs what one word says for them.
 * @type {(doubled: Uint8Array, runs: number[], norms: Float64Array, scores: Float64Array) => void}
 */
export function weigh(doubled, runs, norms, scores) {
  let holding = 0;
  for (let run = 0; run < doubled.length; run += 1) holding += Number(doubled[run] > 0);
  const rarity = Math.log(1 + (doubled.length - holding + 0.5) / (holding + 0.5)) * (K1 + 1);
  for (const run of runs) {
    const frequency = doubled[run] / 2;
    scores[run] += (rarity * frequency) / (frequency + norms[run]);
  }
}
