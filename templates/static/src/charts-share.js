/* What the menu below a drawing saves: its picture, also for a paper, and its numbers. On the index it is loaded when a
   menu is opened, and charts.js hands over how live charts are drawn; elsewhere drawings are saved as they stand. */
import { make } from "./dom.js";
import { copy, save } from "./saving.js";
import { pdfOf, sized } from "./share-files.js";
import { picture } from "./share-paper.js";
import { still } from "./share-still.js";
import { csvOf, latexOf } from "./share-tables.js";

/** @import { Spec } from "./charts-shown.js" */
/**
 * How live charts are drawn.
 * @typedef {object} LiveCharts
 * @property {(spec: Spec) => Set<string>} colorsOf
 * @property {(place: HTMLElement, spec: Spec) => Promise<any>} embed
 * @property {boolean} isDrawn Whether the page has what draws them.
 * @property {() => Promise<void>} libraries
 * @property {(figure: HTMLElement) => URLSearchParams} link
 * @property {(colors: Set<string>) => string[]} said What is left out and picked out, in words.
 * @property {(spec: Spec) => Spec} withOpacity
 */
/** @typedef {(figure: HTMLElement, cm?: string) => Promise<string | void> | void} Action */

const CM = 96 / 2.54; // pixels
const DOTS = 300; // an inch

/**
 * A picture as the text of an SVG, its size in centimetres where it is to have one.
 * @type {(live: LiveCharts | null, figure: HTMLElement, cm?: string) => Promise<string>}
 */
async function svgOf(live, figure, cm) {
  const width = cm ? Number(cm) * CM : figure.querySelector(".chart, .chart-box, .spread").clientWidth;
  const isLive = live && figure.querySelector("[data-chart]");
  const text = await (isLive ? (await picture(live, figure.id, cm && width)).toSVG() : still(figure, width, Boolean(cm)));
  return cm ? text.replace(/ width="([\d.]+)" height="([\d.]+)"/, (/** @type {string} */ _, /** @type {any} */ wide, /** @type {any} */ high) => ` width="${wide / CM}cm" height="${high / CM}cm"`) : text;
}

/** @type {(live: LiveCharts | null, figure: HTMLElement, cm: string | undefined, scale: number) => Promise<HTMLCanvasElement>} */
async function canvasOf(live, figure, cm, scale) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(await svgOf(live, figure, cm))}`;
  await image.decode();
  const width = Math.round((cm ? Number(cm) * CM : image.width) * scale);
  const canvas = Object.assign(make("canvas"), { width, height: Math.round((width * image.height) / image.width) });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  if (cm) context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** @type {(figure: HTMLElement) => string} */
const idOf = (figure) => figure.id || figure.getAttribute("aria-labelledby");
/** @type {(figure: HTMLElement, cm?: string) => string} */
const nameOf = (figure, cm) => (cm ? `${idOf(figure)}-${cm}cm` : idOf(figure));

/**
 * What each item of the menu does.
 * @type {(live: LiveCharts | null) => Record<string, Action>}
 */
const actionsOf = (live) => ({
  async link(figure) {
    location.hash = live ? live.link(figure).toString() : idOf(figure);
    return (await copy(location.href)) ? "Link copied" : "The link is in the address bar";
  },
  async png(figure, cm) {
    const canvas = await canvasOf(live, figure, cm, cm ? DOTS / 96 : 2);
    const blob = await new Promise((done) => {
      canvas.toBlob(done);
    });
    save(`${nameOf(figure, cm)}.png`, cm ? await sized(blob, DOTS) : blob);
  },
  async svg(figure, cm) {
    save(`${nameOf(figure, cm)}.svg`, new Blob([await svgOf(live, figure, cm)], { type: "image/svg+xml" }));
  },
  async pdf(figure, cm) {
    save(`${nameOf(figure, cm)}.pdf`, await pdfOf(await canvasOf(live, figure, cm, (2 * DOTS) / 96), Number(cm)));
  },
  csv(figure) {
    const text = csvOf(figure.querySelector("table"));
    save(`${idOf(figure)}.csv`, new Blob([`${text}\n`], { type: "text/csv" }));
  },
  tex(figure) {
    save(`${idOf(figure)}.tex`, new Blob([latexOf(figure.querySelector("table"))], { type: "text/plain" }));
  },
});

/* Brings the menus of a section to life. */
window.sitegenShare = (section, live) => {
  const take = actionsOf(live);
  const menus = [...section.querySelectorAll(".share")];
  for (const menu of menus) {
    const figure = menu.closest("figure, section");
    const status = menu.querySelector("[role=status]");
    for (const item of menu.querySelectorAll("[data-take]")) {
      const { take: what, cm } = item.dataset;
      const isPicture = ["png", "svg", "pdf"].includes(what);
      const isThere = figure.querySelector("[data-chart]") ? live?.isDrawn : figure.querySelector("svg");
      item.parentElement.hidden = isPicture ? !isThere : what !== "link" && !figure.querySelector("table");
      item.addEventListener("click", async (/** @type {MouseEvent} */ event) => {
        event.preventDefault();
        if (!event.isTrusted) return; // only a person saves a file
        try {
          status.textContent = (await take[what](figure, cm)) ?? "Saved";
        } catch {
          status.textContent = "This did not work here";
        }
      });
    }
    menu.addEventListener("toggle", () => {
      status.textContent = "";
    });
    menu.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      menu.open = false;
      menu.firstElementChild.focus();
    });
  }

  addEventListener("click", ({ target }) => {
    for (const menu of menus) {
      if (!menu.contains(target)) menu.open = false;
    }
  });
};

if (!document.getElementById("live-charts")) window.sitegenShare(document, null);
