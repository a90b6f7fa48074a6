/* Figures of the steps of a run, as they are written and typed. */

/** @type {(number: number) => string} */
export const count = (number) => number.toLocaleString("en");
/** @type {(usd: number) => string} */
export const money = (usd) => `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
/** @type {(bytes: number) => string} */
export const kilobytes = (bytes) => `${count(Math.round(bytes / 100) / 10)} kB`;
/** @type {(ms: number) => string} */
export const clock = (ms) => `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;
/** @type {(rows: any[], key: string) => number} */
export const total = (rows, key) => rows.reduce((sum, row) => sum + (row[key] ?? 0), 0);

/**
 * Minutes as they are typed, and as the transcript writes times: 20, 20:30.
 * @type {(text: string) => number}
 */
export const asMs = (text) => (/^\d+(:\d\d)?$/.test(text) ? text.split(":").reduce((ms, part, i) => ms + Number(part) * [60_000, 1000][i], 0) : NaN);
