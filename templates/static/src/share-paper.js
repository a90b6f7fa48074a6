/* Live charts as pictures, also for a paper. */
import { make } from "./dom.js";

/** @import { Spec } from "./charts-shown.js" */
/** @import { LiveCharts } from "./charts-share.js" */

/* Colours of a paper, which differ in grey too, and the shapes and dashes of its marks. */
const INKS = ["#2b2a5e", "#1f7a8c", "#d1722b", "#8fae4b", "#c9c9c9", "#111111"];
const SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"];
const DASHES = [[1, 0], [6, 3], [2, 2], [9, 3, 2, 3], [9, 3], [1, 3]];

const SCALE = 80; // pixels at the left of a drawing and at its right, which a legend leaves free
const SYMBOL = 40; // pixels of the mark of a label and between two columns
const CHARACTER = 8; // pixels of a wide one

/**
 * As many columns of a legend as fit beside each other, and how long a label may be.
 * @type {(width: number, labels: string[]) => { columns: number, labelLimit: number }}
 */
function legendWithin(width, labels) {
  const longest = Math.max(...labels.map((label) => label.length));
  const columns = Math.floor(width / (SYMBOL + longest * CHARACTER));
  return { columns: Math.min(Math.max(columns, 1), 4), labelLimit: width - SYMBOL };
}

/** @type {(spec: Spec) => Spec} */
function forPaper(spec) {
  const { field, scale } = spec.layer[0].encoding.color;
  /** @type {(range: any[]) => object} */
  const byValue = (range) => ({ field, type: "nominal", scale: { domain: scale.domain, range } }); // one legend with the colours
  const layer = spec.layer.map((/** @type {any} */ each, /** @type {number} */ nth) => {
    const encoding = { ...each.encoding };
    if (each.mark.type === "point" && field === "configuration") encoding.shape ??= byValue(SHAPES);
    if (each.mark.type === "line" && encoding.color?.field) encoding.strokeDash ??= { ...byValue(DASHES), legend: { symbolStrokeWidth: 0 } }; // dashes would fray a shape
    if (!nth) encoding.color = { ...encoding.color, scale: { ...scale, range: scale.domain.map((/** @type {unknown} */ _, /** @type {number} */ i) => INKS[i % 6]) } };
    return { ...each, encoding };
  });
  return { ...spec, layer };
}

/**
 * The chart as it is now, with colours that need no stylesheet; with its title and note, or for a slide as many pixels
 * wide as it is asked for.
 * @type {(live: LiveCharts, id: string, width?: number) => Promise<any>}
 */
export async function picture(live, id, width) {
  const { colorsOf, embed, libraries, said, withOpacity } = live;
  await libraries();
  const { spec } = window.sitegenCharts[id];
  const whole = withOpacity(width ? forPaper(spec) : spec);
  if (width) {
    delete whole.title;
    whole.width = width;
    whole.config = { ...whole.config, legend: { ...whole.config.legend, ...legendWithin(width - SCALE, spec.layer[0].encoding.color.scale.domain) } };
    whole.autosize = { type: "fit-x", contains: "padding" };
  } else {
    const told = said(colorsOf(spec)).map((text) => `${text}.`);
    whole.title = { ...spec.title, subtitle: [...spec.title.subtitle, ...told] };
  }
  const probe = document.body.appendChild(make("span", "")); // the value of a variable may be light-dark()
  if (width) probe.style.colorScheme = "light";
  // A saved picture lies where the pages of its runs do not.
  const text = JSON.stringify(whole, (key, value) => (key === "href" ? undefined : value)).replace(
    /"(var\(--[\w-]+\))"/g,
    (_, color) => {
      probe.style.color = color;
      return JSON.stringify(getComputedStyle(probe).color);
    },
  );
  probe.remove();
  return (await embed(make("div"), JSON.parse(text))).view;
}
