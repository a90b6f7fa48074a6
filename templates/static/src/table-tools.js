/* The buttons above the table: columns, link, exports and verdicts. */
import { make } from "./dom.js";
import { isWhole } from "./rows.js";
import { copy } from "./saving.js";
import { $, table } from "./table-element.js";
import { hasVerdicts, judging } from "./table-judging.js";
import { menu } from "./table-menu.js";
import { further, idle, more, rows } from "./table-rows.js";
import { positions, shownColumns } from "./table-shown.js";
import { change, state } from "./table-state.js";
import { withAll } from "./table-steps.js";

/** @import { Column } from "./columns.js" */

/** Offers each column to be shown. */
const wakeColumns = () => {
  const panel = $("columns");
  menu($("choose"), panel);
  for (const { key, label } of rows.columns) {
    if (!label || key === "name") continue;
    const check = make("input");
    check.type = "checkbox";
    check.value = key;
    panel.append(make("label", "", check, label));
  }
  panel.addEventListener("change", () => {
    const keys = [...panel.querySelectorAll(":checked")].map(({ value }) => value);
    /** @type {(column: Column) => boolean} */
    const isUsual = ({ key, label, shown }) => !label || key === "name" || shown === keys.includes(key);
    change({ columns: rows.columns.every(isUsual) ? null : ["name", ...keys] });
  });
};

const wakeExports = () => {
  const close = menu($("export"), $("exports"));
  /** @type {(text: string) => void} */
  const say = (text) => {
    $("said").textContent = text;
  };
  $("export").addEventListener("click", () => more().catch(() => {})); // meanwhile
  $("exports").addEventListener("click", (/** @type {any} */ { target: { value }, isTrusted }) => {
    if (!value || !isTrusted) return; // only a person saves a file
    close();
    withAll(() =>
      Promise.all([more(), value !== "markdown" && further()])
        .then(([{ EXPORTS }]) => EXPORTS[value]({ rows, positions, columns: shownColumns, table }))
        .then(say, () => say("Nothing saved: not all columns could be loaded")),
    );
  });
};

/** Brings the buttons to life. */
export const wakeTools = () => {
  $("rest")?.querySelector("button").addEventListener("click", () => withAll());
  wakeColumns();
  $("link").addEventListener("click", async () => {
    $("said").textContent = (await copy(location.href)) ? "Link copied" : "The browser refused to copy";
  });
  wakeExports();
  $("judge").addEventListener("click", () => change({ judge: state.judge ? null : "1" }));
  if (hasVerdicts() && isWhole(rows)) {
    Promise.allSettled([idle().then(further), judging()]); // to say how many the site lacks
  }
};
