// Rows as the scripts of rows bring them.
import { decode, noRows } from "../../templates/static/src/rows.js";

/** The rows of a first block: columns, and of each its values as rows.py writes them. */
export const rowsOf = (columns, values, ids = ["run- 1 2 3 4"]) => {
  const rows = noRows();
  const head = { schema: "1", exported: [], blocks: [], columns: [{ key: "name", label: "Run", shown: true }, ...columns] };
  const texts = Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]);
  decode(rows, { head: JSON.stringify(head), ids: JSON.stringify(ids), version: "v", ...Object.fromEntries(texts) });
  return rows;
};

export const MODEL = { key: "model", label: "Model", names: ["Claude Opus", "Claude Sonnet"], looks: [["a"], ["b"]] };
export const OUTCOME = {
  key: "outcome",
  label: "Outcome",
  names: ["pass", "fail", "error"],
  looks: [["pass", "tick", "good"], ["fail", "cross", "bad"], ["error", "ask", "muted"]],
};
export const COST = { key: "cost_usd", label: "Cost", summed: true, divisor: 1, decimals: 2 };
export const TIME = { key: "wall_ms", label: "Time", summed: true, clock: true };
