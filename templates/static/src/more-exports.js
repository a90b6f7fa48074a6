/* What is shown, as a file or in the clipboard. */
import { csvCell } from "./csv.js";
import { grouped, plural } from "./numbers.js";
import { copy, save } from "./saving.js";

/** @import { Column } from "./columns.js" */
/** @import { Rows } from "./rows.js" */
/** @typedef {{ rows: Rows, positions: Uint32Array, columns: Column[], table: HTMLTableElement }} Shown */

const COPIED = 1000; // rows of markdown

/** @type {(value: any, column: Column | undefined) => string} */
const csvValue = (value, column) => {
  if (value?.length === 0 && column?.empty) value = column.empty;
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    value = Object.entries(value).map((pair) => pair.join("="));
  }
  const text = value === null ? "" : Array.isArray(value) ? value.join(";") : String(value);
  return csvCell(text, typeof value === "number");
};

/**
 * The key of a column as addresses have it; see views.py.
 * @type {(key: string) => string}
 */
const inAddress = (key) => key.replaceAll("%", "%25").replaceAll(",", "%2C");

/**
 * A run as data/runs.json has it.
 * @type {(rows: Rows, i: number) => Record<string, any>}
 */
export const recordOf = ({ byKey, columns, exported, ids }, i) => {
  /** @type {Record<string, any>} */
  const made = { id: ids[i], name: byKey.get("name").text(i), page: `runs/${ids[i]}.html` };
  for (const key of exported) made[key] = byKey.get(inAddress(key))?.value(i) ?? (key === "labels" ? [] : null);
  const scores = columns.filter(({ score, values }) => score && values[i] !== null);
  made.scores = Object.fromEntries(scores.map(({ score, values }) => [score, values[i]]));
  return made;
};

/** @type {(name: string, type: string, text: string, positions: Uint32Array) => string} */
const saved = (name, type, text, positions) => {
  save(name, new Blob([text], { type }));
  return `${plural(positions.length)} saved as ${name}`;
};

/**
 * A word of markdown. As in text_tables.py: what GitHub would take for a link or a mention is code.
 * @type {(word: string) => string}
 */
const plainWord = (word) => {
  if (!/[@#]|:[/a-z+-]|www\.|\bGH-|(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])/i.test(word)) {
    return word.replace(/[\\`*_{}[\]()!|~$<>&]/g, "\\$&");
  }
  const fence = "`".repeat(Math.max(0, ...(word.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  const space = /^`|`$/.test(word) ? " " : "";
  return `${fence}${space}${word}${space}${fence}`;
};

/** @type {(text: string) => string} */
const plain = (text) => text.replace(/[\x00-\x1f\x7f]+/g, " ").split(/(\s+|\|)/).map(plainWord).join("");

/** @type {(cells: string[]) => string} */
const markdownLine = (cells) => `| ${cells.join(" | ")} |`;

/** @type {(shown: Shown) => string} */
const markdown = ({ positions, columns, table }) => {
  const lines = [...positions.subarray(0, COPIED)].map((i) =>
    markdownLine(columns.map((column) => plain(column.text(i)))),
  );
  const heads = table.tHead.rows[0].children;
  const foot = [...table.tFoot.rows[0].children].filter((_, at) => heads[at].tagName === "TH");
  return [
    markdownLine(columns.map(({ label }) => plain(label))),
    markdownLine(columns.map(({ isFigure }) => (isFigure ? "--:" : "---"))),
    ...lines,
    markdownLine(foot.map(({ textContent }) => plain(textContent))),
    "",
  ].join("\n");
};

/**
 * The kinds of exports; each returns what it did, in words.
 * @type {Record<string, (shown: Shown) => string | Promise<string>>}
 */
export const EXPORTS = {
  csv: ({ rows, positions }) => {
    const names = ["id", "name", "page", ...rows.exported];
    /** @type {(i: number) => any[]} */
    const cellsOf = (i) => Object.values(recordOf(rows, i));
    const lines = [names, ...Array.from(positions, cellsOf)].map((cells) =>
      cells.map((value, at) => csvValue(value, rows.byKey.get(names[at]))).join(),
    );
    return saved("runs-shown.csv", "text/csv", `${lines.join("\n")}\n`, positions);
  },
  json: ({ rows, positions }) => {
    const lines = Array.from(positions, (i) => JSON.stringify(recordOf(rows, i)));
    const text = `{"schema": ${rows.schema}, "runs": [\n${lines.join(",\n")}\n]}\n`;
    return saved("runs-shown.json", "application/json", text, positions);
  },
  markdown: async (shown) => {
    const { length } = shown.positions;
    const cut = length > COPIED ? `The first ${grouped(String(COPIED))} of ` : "";
    return (await copy(markdown(shown))) ? `${cut}${plural(length)} copied as markdown` : "The browser refused to copy";
  },
};
