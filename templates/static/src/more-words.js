/* The rows whose columns have the words of a query, where the site has no search, as in one file. */
import { FIELDS, fieldOf, inQuery, termsOf, unmarked, wordsOf } from "./query.js";

/** @import { Column } from "./columns.js" */
/** @import { Rows } from "./rows.js" */

/**
 * A mark for each row, or null where the query has no word.
 * @type {(rows: Rows, query: string) => boolean[] | null}
 */
export const marksByColumns = ({ columns, ids }, query) => {
  const stated = columns.filter(({ key, isCategory }) => isCategory && !FIELDS.includes(key));
  const terms = termsOf(query, stated.map(({ key }) => key));
  /** @type {(column: Column) => boolean} */
  const isSearched = ({ key, isCategory }) => isCategory || key === "name" || key === "note";
  /** @type {Record<string, string[]>} */
  const texts = {}; // by field, a text of words for each row
  /** @type {(field: string) => string[]} */
  const textsOf = (field) => {
    const searched = field ? columns.filter(({ key }) => inQuery(key) === field) : columns.filter(isSearched);
    return (texts[field] ??= ids.map((_, i) => {
      const said = searched.flatMap((column) => [column.text(i), column.isCategory ? column.value(i) : column.about?.(i)]);
      const words = wordsOf(said.join(" "));
      return words.length ? ` ${words.join(" ")} ` : "";
    }));
  };
  const tests = terms.map(({ word, goesOn }) => {
    const field = fieldOf(word);
    const sought = ` ${unmarked(word).replace(".", " ")}${goesOn ? "" : " "}`;
    return (/** @type {number} */ i) => textsOf(field)[i].includes(sought);
  });
  return tests.length ? ids.map((_, i) => tests.every((test) => test(i))) : null;
};
