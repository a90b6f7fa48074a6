/* Whose runs are compared. */

/** @import { Rows } from "./rows.js" */

/**
 * What a run is compared as: its configuration where models alone do not tell runs apart, else its model.
 * @type {(rows: Rows) => "configuration" | "model"}
 */
export const whoKey = (rows) => (rows.byKey.has("configuration") ? "configuration" : "model");

/** @type {(rows: Rows, row: number) => string | undefined} */
export const whose = ({ byKey }, row) => byKey.get("configuration")?.value(row) ?? byKey.get("model")?.value(row);
