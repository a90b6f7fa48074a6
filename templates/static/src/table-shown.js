/* Which rows and columns of the table are shown. */
import { grouped, plural } from "./numbers.js";
import { isWhole } from "./rows.js";
import { rows } from "./table-rows.js";

/** @import { Column } from "./columns.js" */

/** Rows that are drawn all at once; of more, those in sight. */
export const WHOLE = 200;

/** @type {Column[]} */
export let shownColumns = [];

/** @type {Uint32Array | undefined} The rows that pass, in their order; undefined until the table is drawn. */
export let positions;

/** Whether only rows in sight are drawn. */
export let isWindowed = false;

/**
 * What judge.js gives, while the reader judges.
 * @type {Window["sitegenJudge"] | null}
 */
export let verdicts = null;

/** @type {(columns: Column[], passing: Uint32Array) => void} */
export const setShown = (columns, passing) => {
  shownColumns = columns;
  positions = passing;
  isWindowed = positions.length > WHOLE;
};

/** @type {(given: Window["sitegenJudge"] | null) => void} */
export const setVerdicts = (given) => {
  verdicts = given;
};

/** How many rows are shown: also of those that are not here, while none is left out. */
export const countShown = () => (isWhole(rows) ? positions.length : rows.total);

/** @type {() => string} */
export const counted = () =>
  countShown() === rows.total ? plural(rows.total) : `${grouped(String(countShown()))} of ${plural(rows.total)}`;
