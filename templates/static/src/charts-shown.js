/* What is shown: the runs that pass the filters of the table, and the colours that were picked out in a legend. */
import { isModel } from "./charts-models.js";

/** @typedef {Record<string, any>} Spec A chart in Vega-Lite. */
/** @typedef {Record<string, any>} Row A row of its data. */

const FADED = 0.2;

/** @type {Set<string> | null} The ids of the runs that are shown; null where all are. */
export let shown = null;
/** @type {Set<string> | null} */
let shownModels = null;
let total = 0; // runs of the site
export const picked = new Set();

/**
 * Notes what the table shows: the ids of runs and their models, null for all, and how many runs there are.
 * @type {(ids: Set<string> | null, models: Set<string> | null, all: number) => void}
 */
export const setShown = (ids, models, all) => {
  shown = ids;
  shownModels = models;
  total = all;
};

/**
 * The colour of a row.
 * @type {(spec: Spec) => (row: Row) => string}
 */
const coloring = ({ layer: [{ encoding }] }) => {
  const { field, scale } = encoding.color;
  return (row) => scale.range[scale.domain.indexOf(row[field])];
};

/** @type {(spec: Spec) => Set<string>} */
export const colorsOf = (spec) => new Set(Object.values(spec.datasets).flat().map(coloring(spec)));

/** @type {(spec: Spec) => (row: Row) => number} */
const fade = (spec) => {
  const color = coloring(spec);
  const isPicked = [...colorsOf(spec)].some((each) => picked.has(each));
  return (row) => {
    const isOut =
      shown &&
      (row.page
        ? !shown.has(row.page.split("/").pop().replace(".html", ""))
        : isModel(row.configuration) && !row.runs && !shownModels.has(row.configuration));
    return isOut || (isPicked && !picked.has(color(row))) ? FADED : 1;
  };
};

/**
 * The spec with an opacity for each row.
 * @type {(spec: Spec) => Spec}
 */
export const withOpacity = (spec) => {
  const opacity = fade(spec);
  /** @type {Record<string, Row[]>} */
  const datasets = {};
  for (const [name, rows] of Object.entries(spec.datasets)) {
    datasets[name] = rows.map((/** @type {Row} */ row) => ({ ...row, opacity: opacity(row) }));
  }
  const encoding = { opacity: { field: "opacity", type: "quantitative", scale: /** @type {null} */ (null) } };
  return { ...spec, datasets, encoding };
};

export const saidOfShown = () => {
  if (!shown) return null;
  const faded = shown.size ? "the others" : "all";
  return `${shown.size.toLocaleString("en")} of ${total.toLocaleString("en")} runs, ${faded} faded`;
};
