/* In which order rows stand. A sort is the key of a column, with a minus before it where it is descending. */
import { ranked } from "./ranks.js";
import { isHere } from "./rows.js";

/** @import { Column } from "./columns.js" */
/** @import { Rank } from "./ranks.js" */
/** @import { State } from "./address.js" */
/** @import { Rows } from "./rows.js" */

/** @type {(sort: string) => string} */
export const keyOf = (sort) => sort.replace(/^-/, "");

/** @type {(sort: string) => boolean} */
export const isDescending = (sort) => sort.startsWith("-");

/**
 * Whether a reader may choose a column.
 * @type {(rows: Rows, column: Column | undefined) => boolean}
 */
export const isOffered = (rows, column) => Boolean(column?.label) && isHere(rows, column);

/**
 * The sorts of a state that there are columns for.
 * @type {(rows: Rows, state: State) => string[]}
 */
export const sortsOf = (rows, state) =>
  /** @type {string[]} */ (state.sort || []).filter((sort) => isOffered(rows, rows.byKey.get(keyOf(sort))));

/**
 * All rows in the order of the sorts. Lower bounds and then unknown values stay last in both directions; equal ones keep
 * their order.
 * @type {(rows: Rows, sorts: string[]) => Uint32Array}
 */
export const inOrder = (rows, sorts) => {
  if (rows.ordered?.by === sorts.join()) return rows.ordered.order;
  /** @type {Uint32Array} */
  let order = Uint32Array.from(rows.ids.keys());
  // Sorted by counting, which keeps the order of equal rows: so the last sort comes first.
  for (const sort of [...sorts].reverse()) {
    order = sortedBy(order, ranked(rows, rows.byKey.get(keyOf(sort))), isDescending(sort));
  }
  rows.ordered = { by: sorts.join(), order };
  return order;
};

/** @type {(order: Uint32Array, rank: Rank, isDown: boolean) => Uint32Array} */
const sortedBy = (order, { ranks, count, exact = count }, isDown) => {
  const places = new Uint32Array(order.length);
  const starts = new Uint32Array(count + 2);
  const next = new Uint32Array(order.length);
  for (let i = 0; i < places.length; i++) {
    const rank = ranks[i];
    const turned = rank < exact ? exact - 1 - rank : exact + count - 1 - rank;
    const place = rank < 0 ? count : isDown ? turned : rank;
    places[i] = place;
    starts[place + 1]++;
  }
  for (let place = 1; place < starts.length; place++) starts[place] += starts[place - 1];
  for (let i = 0; i < order.length; i++) next[starts[places[order[i]]]++] = order[i];
  return next;
};
