/* Ranks are dense and known once for each column, so that sorting, also by several, is sorting of numbers. */

/** @import { Rows } from "./rows.js" */
/** @import { Column } from "./columns.js" */
/**
 * The ranks of rows, -1 where a value is unknown, and how many ranks there are; of them the `exact` ones come first.
 * @typedef {{ ranks: ArrayLike<number>, count: number, exact?: number }} Rank
 */

/**
 * The values as 32-bit numbers; many times as fast as Int32Array.from.
 * @template T
 * @param {ArrayLike<T>} values
 * @param {(value: T, at: number) => number} numberOf
 */
const mapped = (values, numberOf) => {
  const numbers = new Int32Array(values.length);
  for (let i = 0; i < numbers.length; i++) numbers[i] = numberOf(values[i], i);
  return numbers;
};

/** @type {(values: (number | null)[]) => Rank} */
const rankNumbers = (values) => {
  const known = Float64Array.from(values.filter((value) => value !== null)).sort();
  let count = 0;
  for (let i = 0; i < known.length; i++) {
    if (!i || known[i] !== known[i - 1]) known[count++] = known[i];
  }
  const ranks = mapped(values, (value) => {
    if (value === null) return -1;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (known[middle] < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  });
  return { ranks, count };
};

/** @type {(text: string) => string} */
const inPoints = (text) =>
  text.replace(/[\ud800-\uffff]/g, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) + (unit < "\ue000" ? 0x2000 : -0x800)),
  );

/**
 * A key by which texts stand in the order of natural_order in names.py: numbers by their size, letters in any case by
 * their code points, also where UTF-16 has two units for one, and what is equal so far by the text itself.
 * @type {(text: string) => string}
 */
export const natural = (text) => {
  const key = inPoints(text.toLowerCase()).replace(/\d+/g, (digits) => {
    const size = digits.replace(/^0+/, "");
    return `\0${String.fromCharCode(size.length + 1)}${size}`;
  });
  return `${key}\0\0${inPoints(text)}`;
};

/** @type {(texts: (string | null)[]) => Rank} */
const rankTexts = (texts) => {
  const keys = texts.map((text) => text && natural(text));
  const known = [...new Set(keys.filter(Boolean))].sort();
  const ranks = new Map(known.map((key, rank) => [key, rank]));
  return { ranks: mapped(keys, (key) => ranks.get(key) ?? -1), count: known.length };
};

/**
 * Lower bounds may be larger than any exact figure, so they have ranks of their own behind those of the others.
 * @type {(column: Column) => Rank}
 */
const rankFigures = ({ values, bounds }) => {
  if (!bounds.size) return rankNumbers(values);
  const exact = rankNumbers(values.map((value, i) => (bounds.has(i) ? null : value)));
  const open = rankNumbers(values.map((value, i) => (bounds.has(i) ? value : null)));
  const ranks = mapped(exact.ranks, (rank, i) => (open.ranks[i] < 0 ? rank : exact.count + open.ranks[i]));
  return { ranks, count: exact.count + open.count, exact: exact.count };
};

/** @type {(column: Column) => Rank} */
const rankNames = ({ sets, texts, codes }) => {
  const { ranks, count } = sets
    ? rankTexts(texts) // else names are listed in their order
    : { ranks: texts.map((text, at) => (text === null ? -1 : at)), count: texts.length };
  return { ranks: mapped(codes, (code) => ranks[code]), count };
};

/**
 * The ranks of the rows by a column.
 * @type {(rows: Rows, column: Column) => Rank}
 */
export const ranked = ({ ids }, column) => {
  if (column.rank) return column.rank;
  if (column.codes) {
    column.rank = rankNames(column);
  } else if (column.isFigure) {
    column.rank = rankFigures(column);
  } else {
    column.rank = rankTexts(column.key === "name" ? ids.map((_, i) => column.text(i)) : column.values);
  }
  return column.rank;
};
