/* Cells and rows. */
import { drawn, make, sign } from "./dom.js";
import { figure } from "./numbers.js";
import { body, box, table } from "./table-element.js";
import { rows } from "./table-rows.js";
import { isWindowed, shownColumns, verdicts } from "./table-shown.js";

/** @import { Column } from "./columns.js" */

/**
 * Marks what a run says, as the templates do.
 * @template {HTMLElement} Made
 * @param {Made} made
 */
export const ofRun = (made) => {
  made.dataset.untrusted = "";
  return made;
};

/**
 * A cell with a sign before its word.
 * @type {(column: Column, i: number, text: string) => HTMLTableCellElement}
 */
const signed = (column, i, text) => {
  const look = column.looks[column.codes[i]];
  if (!look) return make("td", "", "–");
  const [word, ...why] = text.split(", ");
  const detail = why.length > 0 ? [",", ofRun(make("span", "detail", ` ${why.join(", ")}`))] : [];
  return make("td", "", make("span", `state ${look[2]}`, sign(look[1]), word, ...detail));
};

/**
 * What judge.js is told that the site says of a run.
 * @type {(i: number) => { outcome: string | null, note: string } | undefined}
 */
export const siteSays = (i) => {
  if (!rows.ids[i]) return undefined;
  const [outcome, note] = ["outcome", "note"].map((key) => rows.byKey.get(key));
  return { outcome: outcome?.value(i) ?? null, note: note?.values?.[i] ?? "" };
};

/**
 * The cell in which a run is judged.
 * @type {(i: number) => HTMLTableCellElement}
 */
const verdictCell = (i) => {
  const { group, set } = verdicts.controls(rows.ids[i], siteSays(i), rows.byKey.get("name").text(i), true);
  return Object.assign(make("td", "judging", group), { set });
};

/**
 * Cells behind the name of a run that are of no column.
 * @type {<Made>(makeCell: () => Made) => Made[]}
 */
export const besides = (makeCell) => (verdicts ? [makeCell()] : []);

/** @type {Map<string, string>} The titles of the plain table, by the addresses of runs. */
const titles = new Map();
for (const link of body?.querySelectorAll("a[title]") ?? []) titles.set(link.getAttribute("href"), link.title);

/** @type {(column: Column, i: number, text: string) => HTMLTableCellElement} */
const nameCell = (column, i, text) => {
  const [task, ...rest] = text.split(/( · )/);
  const isInLong = box.classList.contains("long");
  const isSplit = isInLong && rest.length > 0;
  const link = make("a", "", ...(isSplit ? [make("span", "task", task), make("span", "rest", rest.join(""))] : [text]));
  const head = ofRun(make("th", "", link));
  link.href = `${table.dataset.root}runs/${rows.ids[i]}.html`;
  if (isWindowed) link.tabIndex = -1; // Tab would never come to the end of them; the arrows lead from row to row
  const title = titles.get(link.getAttribute("href")) || (isInLong && text);
  if (title) link.title = title;
  if (column.about(i)) head.append(" ", make("bdi", "about", column.about(i)));
  head.scope = "row";
  return head;
};

/** @type {(column: Column, i: number) => HTMLTableCellElement} */
const cell = (column, i) => {
  const text = column.text(i);
  if (column.key === "name") return nameCell(column, i, text);
  if (column.key === "model") {
    const look = column.looks[column.codes[i]];
    return ofRun(make("td", "names", make("span", look ? `key m-${look[0]}` : "key"), text));
  }
  if (column.looks) {
    const made = signed(column, i, text);
    if (column.key === "outcome") window.sitegenJudge?.beside(made, rows.ids[i], column.value(i));
    return made;
  }
  return column.isFigure ? make("td", "n", text) : ofRun(make("td", column.names ? "names" : "", text));
};

/**
 * The bar beside a cost, as long as its share of the largest cost.
 * @type {(value: number | null) => HTMLTableCellElement}
 */
const bar = (value) =>
  make(
    "td",
    "",
    drawn(
      "svg",
      { class: "mini", "aria-hidden": "true" },
      drawn("rect", { class: "soft", width: `${Math.min(1, (value ?? 0) / rows.longest) * 100}%`, height: "100%" }),
      ...(value > rows.longest ? [drawn("path", { class: "over", d: "M76-2l-4 12" })] : []),
    ),
  );

/** @type {(i: number) => HTMLTableRowElement} */
export const row = (i) => {
  const made = make("tr");
  for (const column of shownColumns) {
    const shown = cell(column, i);
    const mayBeCut = !column.isFigure && column.key !== "name" && box.classList.contains("long");
    if (mayBeCut) shown.title = column.text(i);
    made.append(shown);
    if (column.key === "name") made.append(...besides(() => verdictCell(i)));
    if (column.key === "cost_usd" && rows.longest) made.append(bar(column.values[i]));
  }
  return made;
};

/**
 * A row that is not seen and as wide as the widest cell of each column: widths stay when rows change.
 * @type {() => HTMLTableRowElement}
 */
export const widest = () => {
  const made = make("tr", "widest");
  made.setAttribute("aria-hidden", "true");
  for (const column of shownColumns) {
    made.append((column.widest ??= cellOfMost(column)).cloneNode(true));
    if (column.key === "name") made.append(...besides(() => make("td")));
    if (column.key === "cost_usd" && rows.longest) made.append(bar(0));
  }
  for (const link of made.querySelectorAll("a")) link.replaceWith(link.textContent);
  return made;
};

/** @type {(column: Column) => HTMLTableCellElement} */
const cellOfMost = (column) => {
  /** @type {(i: number) => number} */
  const width = column.isFigure ? (i) => Math.abs(column.values[i] ?? 0) : (i) => column.text(i).length;
  let [most, size] = [0, 0];
  for (let i = 0; i < rows.ids.length; i++) if (width(i) > size) [most, size] = [i, width(i)];
  if (!column.isFigure) return cell(column, most);
  return make("td", "n", figure(column, column.values[most]) + (column.bounds.size ? "+" : ""));
};
