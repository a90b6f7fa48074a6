/* Live charts. The drawings stand in the page; the first touch of one loads Vega and puts the live chart in its place.
   Whatever fails, the drawing stays. */
import { brush } from "./charts-brush.js";
import { choose, isModel } from "./charts-models.js";
import { libraries, table } from "./charts-section.js";
import { withOpacity } from "./charts-shown.js";
import { showTip } from "./charts-tip.js";
import { make } from "./dom.js";

/** @import { Spec } from "./charts-shown.js" */

/** @type {(place: HTMLElement, spec: Spec) => Promise<any>} */
export const embed = (place, spec) =>
  window.sitegenVega(place, spec, {
    mode: "vega-lite",
    renderer: "svg",
    ast: true,
    actions: false,
    defaultStyle: false,
    tooltip: showTip,
  });

/** @type {Map<HTMLElement, Promise<{ update: () => void }>>} */
export const lives = new Map(); // box of a chart -> a promise of { update }
export const visible = new Set();

/** @type {(box: HTMLElement) => Promise<{ update: () => void }>} */
async function mount(box) {
  await libraries();
  const { spec: whole, page } = window.sitegenCharts[box.dataset.chart];
  const { title, ...rest } = whole; // which stands above it
  const spec = { ...rest, ...page };
  const width = () => Math.max(box.clientWidth - spec.padding.left - spec.padding.right, 40);
  const live = make("div", "live");
  live.setAttribute("aria-hidden", "true");
  box.append(live);
  try {
    let { datasets, ...layout } = withOpacity(spec);
    const { view } = await embed(live, { ...layout, datasets, width: width() });
    let drawBrush = brush(box, live, view, spec);
    view.addEventListener("click", (/** @type {unknown} */ _, /** @type {any} */ item) => {
      const { page: opens, configuration } = item?.datum ?? {};
      if (opens) return; // Vega opens it
      if (isModel(configuration) && table()) {
        choose([configuration]);
      } else {
        drawBrush?.clear();
      }
    });
    box.classList.add("is-live");
    new ResizeObserver(() =>
      view
        .width(width())
        .runAsync()
        .then(() => drawBrush?.()),
    ).observe(box);
    return {
      update() {
        const before = datasets;
        ({ datasets } = withOpacity(spec));
        for (const [name, rows] of Object.entries(datasets)) {
          if (rows.some((/** @type {any} */ row, /** @type {number} */ i) => row.opacity !== before[name][i].opacity)) view.data(name, rows);
        }
        view.runAsync();
        drawBrush ??= brush(box, live, view, spec);
        drawBrush?.();
      },
    };
  } catch (error) {
    live.remove();
    throw error;
  }
}

/** @type {(box: HTMLElement) => void} */
export const enliven = (box) => {
  if (lives.has(box) || !window.ResizeObserver) return;
  lives.set(box, mount(box));
  // After a failure the next touch tries again.
  lives.get(box).catch(() => {
    lives.delete(box);
  });
};
