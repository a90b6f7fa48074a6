/* Which run the page is of. */

/** The id of the run. */
export const mine = location.pathname.split("/").at(-1).replace(/\.html$/, "");
