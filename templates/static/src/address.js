/* The state of the table as the address has it: words (`q`), sorts, columns, names of facets and ranges of figures. */

/** @typedef {Record<string, any>} State */

const NUMBER = String.raw`(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)?`;
const RANGE = new RegExp(String.raw`^${NUMBER}\.\.${NUMBER}$`);

/**
 * The state of a fragment without its hash.
 * @type {(text: string, isCategory: (key: string) => boolean) => State}
 */
export const stateOf = (text, isCategory) => {
  const given = new URLSearchParams(text);
  const state = Object.create(null);
  for (const key of new Set(given.keys())) {
    const values = given.getAll(key);
    const value = values.at(-1);
    const range = RANGE.exec(value);
    if (isCategory(key)) {
      state[key] = values;
    } else if (key === "sort" || key === "columns") {
      state[key] = value.split(",").filter(Boolean);
    } else if (value === "unknown" && key !== "q") {
      state[key] = [value, null];
    } else if (range && key !== "q") {
      state[key] = [range[1], range[2]].map((side) => (side ? Number(side) : null));
    } else {
      state[key] = value;
    }
  }
  return state;
};

/**
 * The fragment of a state.
 * @type {(state: State) => string}
 */
export const fragment = (state) => {
  const written = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) {
    if (!Array.isArray(value)) {
      if (value || value === 0) written.set(key, value);
    } else if (key === "sort" || key === "columns") {
      if (value.length) written.set(key, value.join(","));
    } else if (value.some((side) => typeof side === "number")) {
      written.set(key, value.map((side) => side ?? "").join(".."));
    } else {
      for (const part of value) {
        if (part !== null) written.append(key, part);
      }
    }
  }
  return written.toString().replaceAll("%2C", ",");
};
