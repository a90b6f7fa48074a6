/* Tables as CSV and LaTeX. */
import { csvCell } from "./csv.js";

/** @type {(cell: Element) => string} */
const cellText = (cell) => {
  const text = cell.textContent.trim();
  const isNumber = cell.matches("td.n");
  return text === "–" ? "" : csvCell(isNumber ? text.replace(/[,<>+]/g, "").replace("−", "-") : text, isNumber);
};

/* Figures are plain numbers; what they are bounds of stands in a column of its own. */
/** @type {Record<string, string>} */
const BOUNDS = { "<": "less than", ">": "more than", "+": "at least" };
/** @type {(cell?: Element) => string} */
const boundOf = (cell) => (cell?.matches("td.n") && BOUNDS[/[<>+]/.exec(cell.textContent)?.[0]]) || "";

/** @type {(table: HTMLTableElement) => string} */
export const csvOf = (table) => {
  const rows = [...table.rows].map((row) => [...row.cells]);
  const isBounded = rows[0].map((head, i) => rows.some((row) => boundOf(row[i])));
  return rows
    .map((row, nth) =>
      row
        .flatMap((cell, i) => [
          cellText(cell),
          ...(isBounded[i] ? [nth ? boundOf(cell) : csvCell(`${cell.textContent.trim()}: bound`)] : []),
        ])
        .join(","),
    )
    .join("\n");
};

/* A character that means something to LaTeX, or that its fonts lack, as LaTeX writes it. */
/** @type {Record<string, string>} */
const LATEX = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "[": "{[}", // at the beginning of a row it would be a length
  "*": "{*}",
  "^": "\\textasciicircum{}",
  "<": "$<$",
  ">": "$>$",
  "−": "$-$",
  "×": "$\\times$",
  "≈": "$\\approx$",
  "·": "$\\cdot$",
  "\u202f": "\\,",
};
/** @type {(table: HTMLTableElement) => string} */
export const latexOf = (table) => {
  const rows = [...table.rows].map((row) =>
    [...row.cells].map((cell) =>
      cell.textContent.trim().replace(/[\\~^[*<>−×≈·\u202f&%$#_{}]/g, (sign) => LATEX[sign] ?? `\\${sign}`),
    ),
  );
  const columns = [...table.rows[0].cells].map((cell) => (cell.matches(".n") ? "r" : "l")).join("");
  const [head, ...body] = rows.map((row) => `${row.join(" & ")} \\\\`);
  return [`\\begin{tabular}{${columns}}`, "\\hline", head, "\\hline", ...body, "\\hline", "\\end{tabular}", ""].join("\n");
};
