/* The elements of the table of runs. */

/** The table; without `data-rows`, the plain one stands. */
export const table = /** @type {HTMLTableElement | null} */ (document.getElementById("run-table"));

/** What scrolls. */
export const box = /** @type {HTMLElement} */ (table?.closest(".scroll"));

export const body = table?.tBodies[0];

/** What is there only for a table that is alive. */
export const controls = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".controls"));

/**
 * An element of the page by its id.
 * @type {(id: string) => any}
 */
export const $ = (id) => document.getElementById(id);

/**
 * Whether the focus is in a place.
 * @type {(place: Node) => boolean}
 */
export const isFocused = (place) => place.contains(document.activeElement) && document.activeElement !== document.body;
