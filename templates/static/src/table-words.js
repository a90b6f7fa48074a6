/* The rows that have the words of the filter. */
import { further, more, rows, whole } from "./table-rows.js";
import { state } from "./table-state.js";

/** The words `of` a filter, a mark for each row that has them, and of how many rows. */
/** @type {{ of: string, marks: boolean[] | null, length: number }} */
let found = { of: "", marks: null, length: 0 };

const isFound = () => found.of === state.q && found.length === rows.ids.length;

/** Whether they are not known yet. */
export const lacksWords = () => Boolean(state.q?.trim()) && !isFound();

/** Asks the search for them; where the site has none, the columns have all words. */
export const findWords = async () => {
  const of = state.q;
  await whole();
  if (!document.querySelector("[data-search]")) await further();
  const { marksOf } = await more();
  found = { of, marks: await marksOf(rows, of), length: rows.ids.length };
};

/**
 * A mark for each row that has the words, or null where the filter has none or they are not known.
 * @type {() => boolean[] | null}
 */
export const marksOfWords = () => (isFound() ? found.marks : null);
