/* What is shown, as a file or in the clipboard. This file, those named more-* and more.js are joined into one function,
   which the table loads when it is needed: see theme.py. */

const COPIED = 1000; // rows of markdown

const csvValue = (value, key) => {
  if (value?.length === 0 && byKey.get(key)?.empty) value = byKey.get(key).empty;
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    value = Object.entries(value).map((each) => each.join("="));
  }
  const text = value === null ? "" : Array.isArray(value) ? value.join(";") : String(value);
  return csvCell(text, typeof value === "number");
};

/* The key of a column as addresses have it; see views.py. */
const inAddress = (key) => key.replaceAll("%", "%25").replaceAll(",", "%2C");

const record = (i) => {
  const made = { id: ids[i], name: byKey.get("name").text(i), page: `runs/${ids[i]}.html` };
  for (const key of exported) made[key] = byKey.get(inAddress(key))?.value(i) ?? (key === "labels" ? [] : null);
  const scores = columns.filter(({ score, values }) => score && values[i] !== null);
  made.scores = Object.fromEntries(scores.map(({ score, values }) => [score, values[i]]));
  return made;
};

const saved = (name, type, text) => {
  save(name, new Blob([text], { type }));
  $("said").textContent = `${plural(now().positions.length)} saved as ${name}`;
};

const markdown = () => {
  // As in text_tables.py: what GitHub would take for a link or a mention is code.
  const plainWord = (word) => {
    if (!/[@#]|:[/a-z+-]|www\.|\bGH-|(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])/i.test(word)) {
      return word.replace(/[\\`*_{}[\]()!|~$<>&]/g, "\\$&");
    }
    const fence = "`".repeat(Math.max(0, ...(word.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
    const space = /^`|`$/.test(word) ? " " : "";
    return `${fence}${space}${word}${space}${fence}`;
  };
  const plain = (text) => text.replace(/[\x00-\x1f\x7f]+/g, " ").split(/(\s+|\|)/).map(plainWord).join("");
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rows = [...now().positions.subarray(0, COPIED)].map((i) => line(now().shownColumns.map((column) => plain(column.text(i)))));
  const foot = [...table.tFoot.rows[0].children].filter((_, at) => table.tHead.rows[0].children[at].tagName === "TH");
  return [
    line(now().shownColumns.map(({ label }) => plain(label))),
    line(now().shownColumns.map(({ isFigure }) => (isFigure ? "--:" : "---"))),
    ...rows,
    line(foot.map(({ textContent }) => plain(textContent))),
    "",
  ].join("\n");
};

const EXPORTS = {
  csv: () => {
    const records = Array.from(now().positions, record);
    const names = ["id", "name", "page", ...exported];
    saved(
      "runs-shown.csv",
      "text/csv",
      `${[names, ...records.map(Object.values)].map((cells) => cells.map((value, at) => csvValue(value, names[at])).join()).join("\n")}\n`,
    );
  },
  json: () => {
    const lines = Array.from(now().positions, (i) => JSON.stringify(record(i)));
    saved("runs-shown.json", "application/json", `{"schema": ${schema}, "runs": [\n${lines.join(",\n")}\n]}\n`);
  },
  markdown: async () => {
    const cut = now().positions.length > COPIED ? `The first ${grouped(String(COPIED))} of ` : "";
    $("said").textContent = (await copy(markdown()))
      ? `${cut}${plural(now().positions.length)} copied as markdown`
      : "The browser refused to copy";
  },
};
