/* Numbers as pages write them; see figures.py. */

/** @typedef {{ clock?: boolean, divisor?: number, decimals?: number }} Format The figures of a column. */

/**
 * Digits in groups of three.
 * @type {(digits: string) => string}
 */
export const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

/** @type {(number: number) => string} */
export const plural = (number) => `${grouped(String(number))} run${number === 1 ? "" : "s"}`;

/**
 * Digits of a number from zero up, rounded half up on the decimal that is meant, as figures.py does: 1.005 to 1.01.
 * @type {(size: number, decimals: number) => string}
 */
const decimal = (size, decimals) => {
  const [digits, exponent = "0"] = String(Number(size.toPrecision(15))).split("e");
  const [whole, part = ""] = digits.split(".");
  const shift = Number(exponent) + decimals - part.length;
  const power = 10n ** BigInt(Math.abs(shift));
  const exact = BigInt(whole + part);
  const text = String(shift < 0 ? (2n * exact + power) / (2n * power) : exact * power).padStart(decimals + 1, "0");
  return decimals ? `${text.slice(0, -decimals)}.${text.slice(-decimals)}` : text;
};

/**
 * A figure as pages write it.
 * @type {(column: Format, value: number | null) => string}
 */
export const figure = (column, value) => {
  if (value === null) return "–";
  if (column.clock) {
    const seconds = Number(decimal(value / 1000, 0));
    if (value && !seconds) return "<0:01";
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
  const minus = value < 0 ? "−" : "";
  const fixed = decimal(Math.abs(value / column.divisor), column.decimals);
  if (value && !Number(fixed)) return `${minus ? ">−" : "<"}${decimal(10 ** -column.decimals, column.decimals)}`;
  const [whole, part] = fixed.split(".");
  return minus + grouped(whole) + (part ? `.${part}` : "");
};

export const HOUR = 3600000;

/**
 * A sum of times, from an hour on.
 * @type {(ms: number) => string}
 */
export const hours = (ms) => {
  const minutes = Number(decimal(ms / 60000, 0));
  return `${grouped(String(Math.floor(minutes / 60)))}\u202fh ${String(minutes % 60).padStart(2, "0")}`;
};

/**
 * The number that a reader sees.
 * @type {(column: Format, value: number) => number}
 */
export const asWritten = (column, value) => {
  const [unit, decimals] = column.clock ? [1000, 0] : [column.divisor, column.decimals];
  return Number((Math.sign(value) * Number(decimal(Math.abs(value / unit), decimals)) * unit).toPrecision(15));
};
