/* The rows that a query finds, a mark for each; null where the query has no word. */
import { load } from "./loading.js";
import { marksByColumns } from "./more-words.js";

/** @import { Rows } from "./rows.js" */

/**
 * The marks of the search; where the site has none, by what the columns say.
 * @type {(rows: Rows, query: string) => Promise<boolean[] | null>}
 */
export const marksOf = async (rows, query) => {
  const link = document.querySelector("[data-search]");
  if (!link) return marksByColumns(rows, query);
  await load(link.dataset.search);
  const ids = await window.sitegenSearch.ids(query);
  return ids && rows.ids.map((id) => ids.has(id));
};
