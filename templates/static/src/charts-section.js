/* The place of the charts, and what it goes together with. */
import { load } from "./loading.js";

/** Without it, the page has no charts that come alive. */
export const section = document.getElementById("live-charts");

/** Whether the page has what draws live charts. */
export const hasBundle = Boolean(section?.dataset.bundle);

/* Loads Vega and the charts. */
export const libraries = async () => {
  const { bundle, charts } = section.dataset;
  if (!bundle) throw new Error("no live charts");
  await Promise.all([load(bundle), load(charts)]);
};

let isLinked = false;

/* Notes that the table of runs has rows: they come later than its script, or never. */
export const linkTable = () => {
  isLinked = true;
};

/* The table of runs, once it has rows. */
export const table = () => (isLinked ? window.sitegenTable : undefined);
