/* Columns of values, as the scripts of rows bring them. */
import { figure } from "./numbers.js";

/** @import { Rank } from "./ranks.js" */

/**
 * A column of the table, as rows.py writes it, and what is made of its values. A column of names has `codes` of the
 * rows, and for each code its `texts` and the `positions` of its names, of one name or of a set of `sets`.
 *
 * @typedef {object} Column
 * @property {string} key
 * @property {string} [label] Its head; without one it is not offered.
 * @property {string} [title]
 * @property {boolean} [shown] Whether it is shown unless a reader chooses others.
 * @property {string} [score] The name of a score.
 * @property {boolean} [summed] Whether the foot has its sum.
 * @property {string[]} [parts] Keys of the columns that it is the sum of.
 * @property {boolean} [clock] Whether its values are times, in milliseconds.
 * @property {number} [divisor]
 * @property {number} [decimals]
 * @property {string[]} [names]
 * @property {number[][]} [sets]
 * @property {string[][]} [looks] Of each code a word, a sign and a role; of models a colour.
 * @property {string} [none] What no name is called.
 * @property {string} [empty] The name of a set without names.
 * @property {boolean} [late] Whether its names come with its values.
 * @property {boolean} [further] Whether its values are not here yet.
 * @property {any[]} [values]
 * @property {Set<number>} [bounds] Rows whose values are lower bounds.
 * @property {Uint8Array} [known] Of a sum, how many parts are known.
 * @property {ArrayLike<number>} [codes]
 * @property {(string | null)[]} [texts]
 * @property {number[][]} [positions]
 * @property {boolean} [isCategory] Whether rows are filtered by its names.
 * @property {boolean} [isFigure]
 * @property {(row: number) => any} [value] The value as data/runs.json has it.
 * @property {(row: number) => string} [text] The text of a cell.
 * @property {(row: number) => string | null} [about] What stands beside the name of a run.
 * @property {Rank | null} [rank]
 * @property {HTMLElement | null} [widest] The cell of most width.
 */

/** @typedef {Map<string, Column>} ByKey */

/**
 * Makes properties when one of them is first asked for.
 * @type {(object: Record<string, any>, keys: string[], makeAll: () => object) => void}
 */
const lazily = (object, keys, makeAll) => {
  for (const key of keys) {
    Object.defineProperty(object, key, {
      configurable: true,
      get: () => {
        for (const [name, value] of Object.entries(makeAll())) Object.defineProperty(object, name, { value });
        return object[key];
      },
    });
  }
};

/**
 * Gives a column the functions that tell its values.
 * @type {(column: Column, byKey: ByKey) => void}
 */
export const decodeColumn = (column, byKey) => {
  const { parts } = column;
  column.isCategory = Boolean(column.names || column.late);
  column.isFigure = Boolean(parts || column.clock || column.divisor);
  column.value = (i) => column.values[i];
  if (column.isFigure) {
    column.text = (i) =>
      figure(column, column.values[i]) + (column.bounds.has(i) && column.values[i] !== null ? "+" : "");
  }
  if (column.isCategory) decodeCategory(column, byKey);
  if (parts) column.value = (i) => (column.known[i] < parts.length ? null : column.values[i]);
};

/**
 * How the value of a run in a column of names is told, once it is here.
 * @type {(column: Column, byKey: ByKey) => void}
 */
const decodeCategory = (column, byKey) => {
  column.value = (i) => {
    const set = column.sets?.[column.codes[i]];
    if (!set) return column.names[column.codes[i]] ?? null;
    return column.empty && !set.length ? null : set.map((at) => column.names[at]).filter((name) => name !== column.empty);
  };
  const detail = column.key === "status" && byKey.get("status_detail");
  column.text = (i) => {
    const why = detail && detail.value(i);
    return (column.texts[column.codes[i]] ?? "–") + (why ? `, ${why}` : "");
  };
};

/**
 * Reads the codes of a column of names.
 * @type {(column: Column, codes: number[]) => Partial<Column>}
 */
const decodeNames = ({ names, sets, looks, key }, codes) => {
  const hasWords = looks && key !== "model";
  return {
    codes: new Uint32Array(codes),
    texts: sets
      ? sets.map((set) => set.map((at) => names[at]).join(", ") || null)
      : [...names.map((name, at) => (hasWords ? looks[at][0] : name)), null],
    positions: sets
      ? sets.map((set) => (set.length ? set : [names.length]))
      : [...names, null].map((_, at) => [at]),
  };
};

/**
 * Takes the values of a column: texts of their own, one for each block, as most columns are asked for late or never.
 * @type {(column: Column, texts: string[]) => void}
 */
export const unpack = (column, texts) => {
  const parsed = () => texts.map((text) => JSON.parse(text));
  if (column.late) {
    lazily(column, ["names", "sets", "looks", "codes", "texts", "positions"], () => {
      const blocks = parsed();
      const [{ names, sets, looks }] = blocks;
      const named = { names, sets, looks, key: column.key };
      return { ...named, ...decodeNames(named, blocks.flatMap(({ codes }) => codes)) };
    });
  } else if (column.isCategory) {
    Object.assign(column, decodeNames(column, parsed().flat()));
  } else if (!column.isFigure) {
    lazily(column, ["values"], () => ({ values: parsed().flat() }));
  } else {
    lazily(column, ["values", "bounds"], () => {
      const blocks = parsed();
      return {
        values: blocks.flatMap(([values]) => values),
        bounds: new Set(blocks.flatMap(([, bounds]) => bounds)),
      };
    });
  }
};

/**
 * Takes the sum of other columns: what is unknown adds nothing and makes a lower bound.
 * @type {(column: Column, byKey: ByKey, length: number) => void}
 */
export const unpackSum = (column, byKey, length) => {
  lazily(column, ["values", "bounds", "known"], () => addUp(column.parts, byKey, length));
};

/** @type {(keys: string[], byKey: ByKey, length: number) => Partial<Column>} */
const addUp = (keys, byKey, length) => {
  const parts = keys.map((key) => byKey.get(key)?.values);
  const known = new Uint8Array(length);
  const bounds = new Set();
  const values = Array.from(known, (_, i) => {
    let sum = 0;
    for (const part of parts) {
      if (part && part[i] !== null) {
        sum += part[i];
        known[i]++;
      }
    }
    if (known[i] < parts.length) bounds.add(i);
    return known[i] ? sum : null;
  });
  for (const key of keys) {
    for (const i of byKey.get(key)?.bounds || []) bounds.add(i);
  }
  return { values, bounds, known };
};
