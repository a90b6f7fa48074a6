/* The language of queries, which the search and the filter of the table share. */

/** @typedef {{ word: string, goesOn: boolean }} Term A word of a query, and whether it may go on. */

// Signs that words are made of, as in search.py: of LETTERS a word has up to 32, each of SINGLES is a word.
export const LETTERS =
  "0-9a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u060b\u060d-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u0963" +
  "\u0966-\u0dff\u0f00-\u0fff\u10a0-\u177f\u1800-\u1fff\u2c00-\u2dff\ua000-\uabff\u{10000}-\u{1cfff}" +
  "\u{1e000}-\u{1efff}";

export const SINGLES =
  "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30fa\u30fc-\u30ff\u3105-\u312f\u3400-\u9fff" +
  "\u{20000}-\u{3ffff}";

const WORD = new RegExp(`(?<![${LETTERS}])[${LETTERS}]{1,32}|[${SINGLES}]`, "gu");

/** @type {(text: string) => string[]} */
export const wordsOf = (text) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/ß/g, "ss")
    .replace(/ς/g, "σ")
    .replace(/[\u0300-\u036f\u3099\u309a]/g, "")
    .match(WORD) ?? [];

// The fields of a query, as in search.py: the sign before their words follows from their place.
export const FIELDS = ["edited", "file", "command", "failed", "repeated", "tests", "signals", "model", "task", "agent", "status", "outcome", "labels",
  "project", "person", "code", "effort"];
const STATED = "\uac11"; // on both sides of the name of any other field
const MARK = new RegExp(`^(?:[\uac00-\uac10]|${STATED}[^${STATED}]*${STATED})`);
/** @type {(word: string) => string} */
export const unmarked = (word) => word.replace(MARK, "");
/** @type {(word: string) => boolean} */
export const isMarkAlone = (word) => MARK.test(word) && !unmarked(word);

/**
 * The field that a word of a query is of, if any.
 * @type {(word: string) => string}
 */
export const fieldOf = (word) => {
  if (word[0] === STATED) return word.split(STATED)[1];
  return MARK.test(word) ? FIELDS[word.charCodeAt(0) - 0xac00] : "";
};

/**
 * The key of a field as queries have it.
 * @type {(key: string) => string}
 */
export const inQuery = (key) => key.toLowerCase().replace(/[^\p{L}\p{N}_.-]+/gu, "_");

/**
 * The keys of other fields by the names that a query may have for them: the key, and what follows its first dot where no
 * other has it.
 * @type {(keys: string[]) => Record<string, string>}
 */
const namesOf = (keys) => {
  const long = keys.map(inQuery);
  const short = long.map((key) => key.slice(key.indexOf(".") + 1));
  /** @type {(name: string) => boolean} */
  const isOnly = (name) => !FIELDS.includes(name) && short.indexOf(name) === short.lastIndexOf(name);
  const pairs = short.map((name, i) => [name, long[i]]).filter(([name]) => isOnly(name));
  return Object.fromEntries([...pairs, ...long.map((key) => [key, key])]);
};

/**
 * Matches a field with its value.
 * @type {(names: string[]) => RegExp}
 */
const fieldPattern = (names) => {
  const sought = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).sort((a, b) => b.length - a.length);
  return new RegExp(`(?<![${LETTERS}A-Z_.])(${sought.join("|")}):("[^"]*"?|\\S*)`, "giu");
};
const MAX_TERMS = 16; // of a query, the last ones

/**
 * The words of a query, and the pairs of words that follow one another in the value of a field.
 * @type {(query: string, stated: Record<string, string>) => string[]}
 */
const parsed = (query, stated) => {
  const found = [];
  let at = 0;
  query = query.replace(/(?<![:"\w])[EW]_[A-Z_]+/g, "code:$&"); // as pages write them
  for (const { 0: all, 1: field, 2: value, index } of query.matchAll(fieldPattern([...FIELDS, ...Object.keys(stated)]))) {
    const name = field.toLowerCase();
    const nth = FIELDS.indexOf(name);
    const mark = nth < 0 ? `${STATED}${stated[name]}${STATED}` : String.fromCharCode(0xac00 + nth);
    const words = wordsOf(value);
    const pairs = words.slice(1).map((word, i) => `${words[i]}.${word}`);
    found.push(...wordsOf(query.slice(at, index)), ...(words.length ? [...words, ...pairs] : [""]).map((word) => mark + word));
    at = index + all.length;
  }
  return [...found, ...wordsOf(query.slice(at))];
};

/**
 * The terms of a query, each once. The last word may go on while no space or dot has ended it; a field alone is looked
 * for with any word. `keys` are those of fields that runs of this site state.
 * @type {(query: string, keys?: string[]) => Term[]}
 */
export const termsOf = (query, keys = []) => {
  const stated = namesOf(keys);
  const all = parsed(query, stated);
  const longer = parsed(`${query}x`, stated);
  const isOpen = longer.length === all.length;
  const terms = new Map(all.map((word, i) => [word, (isOpen && longer[i] !== word) || isMarkAlone(word)]));
  return Array.from(terms, ([word, goesOn]) => ({ word, goesOn })).slice(-MAX_TERMS);
};
