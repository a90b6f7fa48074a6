/* What is typed into the fields of a range. */

/** @import { Format } from "./numbers.js" */

// 1:05:00, 8:31, 2 h 39 min, 42 s
const TIME = /^(?:([\d.]+)\s*(?:h|:(?=.+:)))?\s*(?:([\d.]+)\s*(?:m|min|:|$))?\s*(?:([\d.]+)\s*s?)?$/i;

/**
 * What was typed for a column, in the unit of its values; times as pages write them, a number alone being minutes.
 * @type {(column: Format, text: string) => number}
 */
export const numberOf = (column, text) => {
  if (text[0] === "<") return 0; // as what is less than the smallest figure is compared
  const isGrouped = /^[1-9]\d{0,2}(?:,\d{3})+(?![\d,])/.test(text);
  const plain = isGrouped ? text.replaceAll(",", "") : text.replace(",", "."); // 1,500 is many, 0,5 is a half
  if (!column.clock) return /^[\d.]+$/.test(plain) ? Number(plain) : NaN;
  if (/^[\d.]+\s*ms$/i.test(plain)) return parseFloat(plain);
  const [isTime, hours = "0", minutes = "0", seconds = "0"] = TIME.exec(plain) ?? [];
  return isTime ? (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 : NaN;
};
