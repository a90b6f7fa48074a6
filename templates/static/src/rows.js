/* The rows of the table. */
import { decodeColumn, unpack, unpackSum } from "./columns.js";
import { idsOf } from "./ids.js";

/** @import { Column } from "./columns.js" */
/** @typedef {Record<string, string>} Block What a script of rows sets: texts of JSON, by the keys of columns. */

/**
 * @typedef {object} Rows
 * @property {Column[]} columns
 * @property {Map<string, Column>} byKey
 * @property {string[]} ids The runs that are here.
 * @property {number} total How many rows all blocks have.
 * @property {string[]} exported Names of the fields of exports.
 * @property {string} schema
 * @property {number} [longest] The cost that the longest bar stands for, where costs have bars.
 * @property {string} [version] The build that wrote them.
 * @property {string[]} blocks The versions of the blocks behind the first.
 * @property {Block} [first] The first block.
 * @property {(string | null)[]} abouts What stands beside the names of runs.
 * @property {(string | null)[]} aparts What tells runs apart that are called alike.
 * @property {{ by: string, order: Uint32Array } | null} ordered The order that was asked for last.
 */

/** @type {() => Rows} */
export const noRows = () => ({
  columns: [],
  byKey: new Map(),
  ids: [],
  total: 0,
  exported: [],
  schema: "",
  blocks: [],
  abouts: [],
  aparts: [],
  ordered: null,
});

/**
 * Reads the first block into rows.
 * @type {(rows: Rows, given: Block) => void}
 */
export const decode = (rows, given) => {
  const { schema, columns, exported, longest, blocks = [], rows: total } = JSON.parse(given.head);
  const byKey = new Map(columns.map((/** @type {Column} */ column) => [column.key, column]));
  Object.assign(rows, { schema, columns, exported, longest, blocks, byKey, version: given.version, first: given });
  for (const column of columns) decodeColumn(column, byKey);
  decodeTexts(rows);
  fill(rows, [given]);
  rows.total = total ?? rows.ids.length;
};

/**
 * Gives the columns their texts that have no names and no figures.
 * @type {(rows: Rows) => void}
 */
const decodeTexts = (rows) => {
  const [name, task, configuration, model, attempt, start, note] = [
    "name",
    "task",
    "configuration",
    "model",
    "attempt",
    "started_at",
    "note",
  ].map((key) => rows.byKey.get(key));
  name.about = (i) => rows.abouts[i];
  name.text = (i) => {
    const title = name.values?.[i];
    const who = configuration?.value(i) ?? model?.value(i)?.replace(/^Claude /, "");
    const parts = [task?.value(i), who, attempt?.values[i]];
    return [...(title != null ? [title] : parts), rows.aparts[i]].filter((part) => part != null && part !== "").join(" · ");
  };
  if (start) start.text = (i) => (start.values[i] ?? "–").slice(0, 16).replace("T", " ");
  if (note) note.text = (i) => note.values[i] ?? "–";
};

/**
 * Takes the rows of some blocks in place of those that were there.
 * @type {(rows: Rows, given: Block[]) => void}
 */
export const fill = (rows, given) => {
  rows.ids.length = 0; // other scripts have it
  for (const block of given) rows.ids.push(...idsOf(JSON.parse(block.ids)));
  rows.abouts = given.flatMap(({ about }) => (about ? JSON.parse(about) : []));
  rows.aparts = given.flatMap(({ apart }) => (apart ? JSON.parse(apart) : []));
  for (const column of rows.columns) {
    column.rank = column.widest = null;
    if (column.parts) {
      unpackSum(column, rows.byKey, rows.ids.length);
    } else if (rows.first[column.key]) {
      unpack(column, given.map((block) => block[column.key]));
    }
  }
  rows.ordered = null;
};

/**
 * Takes the columns that come late, from the scripts of all blocks.
 * @type {(rows: Rows, given: Block[]) => void}
 */
export const fillFurther = (rows, given) => {
  for (const column of rows.columns.filter(({ further }) => further)) {
    unpack(column, given.map((block) => block[column.key]));
    column.further = false;
  }
};

/** @type {(rows: Rows) => boolean} */
export const isWhole = (rows) => rows.ids.length === rows.total;

/**
 * Whether the values of a column are here.
 * @type {(rows: Rows, column: Column) => boolean}
 */
export const isHere = (rows, column) => (column.parts ?? [column.key]).every((key) => !rows.byKey.get(key)?.further);

/**
 * What other scripts get: the values of data/runs.json, a column made when it is first asked for.
 * @type {(rows: Rows) => { ids: string[], columns: Record<string, any[]> }}
 */
export const exposed = (rows) => {
  /** @type {Record<string, any[]>} */
  const made = {};
  for (const { key, value } of rows.columns.filter((column) => isHere(rows, column))) {
    let values;
    if (key !== "name") {
      const get = () => (values ??= rows.ids.map((_, i) => value(i)));
      Object.defineProperty(made, key, { enumerable: true, get });
    }
  }
  return { ids: rows.ids, columns: made };
};
