/* What a step waits for: rows, columns, words and scripts that it needs. */
import { keyOf } from "./order.js";
import { isHere, isWhole } from "./rows.js";
import { draw } from "./table-drawing.js";
import { $, box } from "./table-element.js";
import { facetKeys, isFiltered, isNarrowed } from "./table-facets.js";
import { forgetFoot } from "./table-heads.js";
import { judging } from "./table-judging.js";
import { further, rows, whole } from "./table-rows.js";
import { state } from "./table-state.js";
import { findWords, lacksWords } from "./table-words.js";

/** @import { Column } from "./columns.js" */
/** @import { Step } from "./table-state.js" */

/**
 * The columns that the state names, or whose facets count what it leaves, and whose values are not here.
 * @type {() => Column[]}
 */
const lacking = () => {
  const sorts = (state.sort || []).map(keyOf);
  const facets = isFiltered() ? facetKeys : [];
  return [...new Set([...sorts, ...(state.columns || []), ...Object.keys(state), ...facets])]
    .map((key) => rows.byKey.get(key))
    .filter((column) => column && !isHere(rows, column));
};

/** Whether the state asks for what cannot be said of a part of the rows. */
export const lacksRows = () => {
  if (isWhole(rows)) return false;
  return isNarrowed() || Boolean(state.q?.trim() || state.sort || state.columns || state.judge) || lacking().length > 0;
};

/** Says what the state asks for and could not be loaded. */
export const sayLacking = () => {
  const labels = [...(lacksWords() ? ["the words of the filter"] : []), ...lacking().map(({ label }) => label)];
  if (!labels.length) return;
  forgetFoot(); // it has fewer columns than the state names
  $("said").textContent = `Not loaded, and left out: ${labels.join("; ")}`;
};

export const sayNotAll = () => {
  $("said").textContent = "Not all rows could be loaded: nothing was sorted, filtered or saved";
};

/**
 * Does what needs all rows, once they are here.
 * @type {(act?: () => unknown) => Promise<unknown>}
 */
export const withAll = (act) => {
  const wasPart = !isWhole(rows);
  return whole().then(() => {
    if (wasPart) draw({ keepsPlace: true });
    return act?.();
  }, sayNotAll);
};

/**
 * Waits until what the state asks for is here, or could not be loaded.
 * @type {(judges: boolean) => Promise<unknown>}
 */
export const awaitAsked = (judges) =>
  Promise.allSettled([
    lacksRows() && whole(),
    lacking().length && further(),
    judges && judging(),
    lacksWords() && findWords(),
  ]);

/**
 * Draws, as soon as the rows, columns and the script that the state names are there, or could not be loaded. Without all
 * rows that it asks for, the table stays as it was.
 * @type {(step: Step) => Promise<void> | void}
 */
export const show = (step) => {
  const judges = Boolean(state.judge && !window.sitegenJudge);
  if (!lacking().length && !judges && !lacksRows() && !lacksWords()) {
    box.ariaBusy = null;
    return draw(step);
  }
  const wanted = state;
  box.ariaBusy = "true";
  const pause = setTimeout(() => {
    if (isWhole(rows)) $("said").textContent = "Loading columns";
  }, 300);
  return awaitAsked(judges).then(() => {
    clearTimeout(pause);
    if (wanted !== state) return; // a later step draws
    box.ariaBusy = null;
    if (lacksRows()) return sayNotAll();
    draw(step);
    sayLacking();
  });
};
