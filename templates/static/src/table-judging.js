/* Verdicts of the reader in the table. */
import { load } from "./loading.js";
import { home } from "./places.js";
import { siteSays } from "./table-cells.js";
import { $, table } from "./table-element.js";
import { further, rows, whole } from "./table-rows.js";
import { positions } from "./table-shown.js";
import { drawRows } from "./table-window.js";

/** Loads the script that judges, and says how many verdicts the site lacks. */
export const judging = async () => {
  await load(table.dataset.judge);
  if ($("tools").querySelector(".judged")) return;
  $("said").before(window.sitegenJudge.counter());
  if (positions) drawRows(); // with what the reader says
  try {
    await whole();
    await further();
    window.sitegenJudge.settle((id) => siteSays(rows.ids.indexOf(id)));
  } catch {
    // then nothing is known to be in the site
  }
};

/** Whether the browser keeps verdicts of this site, so that judge.js is wanted. */
export const hasVerdicts = () => {
  try {
    return localStorage.getItem(`sitegen-judged:${home}`)?.length > 2;
  } catch {
    return false;
  }
};
