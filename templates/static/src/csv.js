/* Cells of CSV, which a spreadsheet takes for no formula. As in text_tables.py: signs that nobody sees, and those with
   which a formula begins. */

const UNSEEN = String.raw`\x00-\x08\v\f\x0e- "\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb`;
const FORMULA_SIGN = String.raw`[=+\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]`;
const FORMULA = RegExp(`^(?:[${UNSEEN}\\s]*${FORMULA_SIGN}|[\\t\\r])`);
const NEXT_FORMULA = RegExp(`[;|\\uff1b\\uff5c\\t\\r\\n](?=[${UNSEEN}]*${FORMULA_SIGN})`, "g");

/**
 * A text as a cell; numbers may begin with a sign.
 * @type {(text: string, isNumber?: boolean) => string}
 */
export const csvCell = (text, isNumber = false) => {
  const shown = isNumber ? text : (FORMULA.test(text) ? "'" : "") + text.replace(NEXT_FORMULA, "$&'");
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
};
