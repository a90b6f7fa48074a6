/* The charts of the index. Where the table of runs has a script (window.sitegenTable), its filters fade marks here, and a
   drag or a model chosen here filters the table: the table owns the state. */
import { addDock, hasChoice, refresh, saidOfPicked } from "./charts-legend.js";
import { embed, enliven, visible } from "./charts-live.js";
import { hasModels } from "./charts-models.js";
import { hasBundle, libraries, linkTable, section, table } from "./charts-section.js";
import { colorsOf, saidOfShown, setShown, withOpacity } from "./charts-shown.js";
import { addTip } from "./charts-tip.js";
import { load } from "./loading.js";

/* Says what a click and a drag do. */
const drawHint = () => {
  const hint = section.parentElement.querySelector(".chart-head > .sub");
  const hasDots = section.querySelector("[data-x]") && matchMedia("(any-pointer: fine)").matches;
  if (hint && hasDots) {
    hint.textContent = `Drag${hasModels() ? "" : " over dots"} to filter; click a mark to open its run.`;
  } else if (hint && hasModels()) {
    hint.textContent = `Pick a ${table().who()} to filter.`;
  }
};

/** @type {Uint32Array} */
let latest; // what the table showed last

/**
 * Fades the marks of runs that the table does not show.
 * @type {(event: DocumentEventMap["sitegen:shown"]) => Promise<void>}
 */
const follow = async ({ detail: { positions, total } }) => {
  const isPart = positions.length < total;
  latest = positions;
  const rows = isPart ? await window.sitegenTable.rows : null;
  if (latest !== positions) return;
  linkTable();
  drawHint();
  /** @type {(i: number) => string} */
  const modelOf = (i) => rows.columns.configuration?.[i] ?? rows.columns.model?.[i] ?? "";
  const ids = isPart ? new Set(Array.from(positions, (i) => rows.ids[i])) : null;
  setShown(ids, isPart ? new Set(Array.from(positions, modelOf)) : null, total);
  refresh();
};

/* The address that leads to a chart. */
const fragmentOfPage = () => new URLSearchParams(location.hash.slice(1));

const isBack = /** @type {any} */ (performance.getEntriesByType("navigation")[0])?.type === "back_forward";
let reached = isBack ? fragmentOfPage().get("chart") : null; // who comes back is where they were

const reach = () => {
  const name = fragmentOfPage().get("chart");
  const figure = [...section.querySelectorAll("figure")].find(({ id }) => id === name);
  if (figure && name !== reached) {
    figure.scrollIntoView();
    figure.tabIndex = -1;
    figure.focus({ preventScroll: true });
    figure.addEventListener("blur", () => figure.removeAttribute("tabindex"), { once: true }); // no click focuses it
  }
  reached = name;
};

let isShared = false;

/* Loads what the menus do, a script of its own, when one is opened. */
const share = async () => {
  await load(section.dataset.share);
  if (isShared) return;
  isShared = true;
  /** @type {(colors: Set<string>) => string[]} */
  const said = (colors) => [saidOfShown(), saidOfPicked((color) => colors.has(color)) || null].filter(Boolean);
  /** @type {(figure: HTMLElement) => URLSearchParams} */
  const link = ({ id }) => {
    const state = fragmentOfPage();
    state.set("chart", (reached = id));
    return state;
  };
  window.sitegenShare(section, { colorsOf, embed, isDrawn: hasBundle, libraries, link, said, withOpacity });
};

/* Brings the charts in sight to life while something is left out. */
const watch = () => {
  const boxes = section.querySelectorAll("[data-chart]");
  const sight = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (isIntersecting) {
        visible.add(target);
      } else {
        visible.delete(target);
      }
    }
    if (hasChoice()) visible.forEach(enliven);
  });
  for (const box of boxes) {
    box.addEventListener("pointerenter", () => enliven(box));
    sight.observe(box);
  }
};

if (section) {
  addTip();
  addDock();
  document.addEventListener("sitegen:shown", follow);
  for (const menu of section.querySelectorAll(".share")) menu.addEventListener("toggle", share);
  refresh();
  watch();
  addEventListener("hashchange", reach);
  addEventListener("DOMContentLoaded", reach);
}
