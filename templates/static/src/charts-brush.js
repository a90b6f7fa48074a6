/* A drag over the plot chooses a range of what its axes show. Touch scrolls, as it does everywhere. */
import { table } from "./charts-section.js";
import { tip } from "./charts-tip.js";
import { make } from "./dom.js";

/** @import { Spec } from "./charts-shown.js" */
/** @typedef {(() => void) & { clear: () => void }} Draw Draws the ranges of the table; `clear` takes them away. */

const DRAG_PX = 4;

/** @type {(box: HTMLElement, live: HTMLElement, view: any, spec: Spec) => Draw | null} */
export function brush(box, live, view, spec) {
  if (!table() || !box.dataset.x) return null;
  const rows = box.dataset.x.split(" ");
  const up = box.dataset.y;
  const columns = up ? [...rows, up] : rows;
  const rects = rows.map(() => live.appendChild(make("div", "brush")));
  const { left, top } = spec.padding;
  /** @type {(row: number) => number[]} */
  const band = (row) => (up ? [0, view.height()] : [row, row + 1].map((edge) => (edge * view.height()) / rows.length));
  /** @type {(row: number, across: number[], down: number[]) => void} */
  const place = (row, [x0, x1], [y0, y1]) => {
    const { style } = rects[row];
    style.left = `${left + x0}px`;
    style.width = `${x1 - x0}px`;
    style.top = `${top + y0}px`;
    style.height = `${y1 - y0}px`;
    rects[row].hidden = false;
  };
  /** @type {(scale: "x" | "y", range: any, size: number) => number[]} */
  const pixels = (scale, range, size) => {
    /** @type {(value: number | null | undefined, open: number) => number} */
    const at = (value, open) => {
      const pixel = value === null || value === undefined ? open : view.scale(scale)(value);
      return Math.min(Math.max(Number.isFinite(pixel) ? pixel : 0, 0), size);
    };
    const ends = Array.isArray(range) ? range : [null, null];
    return scale === "x" ? [at(ends[0], 0), at(ends[1], size)] : [at(ends[1], 0), at(ends[0], size)];
  };
  const draw = /** @type {Draw} */ (() => {
    const state = table().state();
    rows.forEach((column, row) => {
      rects[row].hidden = true;
      if (!Array.isArray(state[column]) && !(up && Array.isArray(state[up]))) return;
      place(row, pixels("x", state[column], view.width()), up ? pixels("y", state[up], view.height()) : band(row));
    });
  });
  /**
   * The value at a pixel, with no more digits than a pixel can tell apart; null at the edge, where all beyond it
   * belongs to the range.
   * @type {(scale: "x" | "y", pixel: number, size: number, whole?: boolean) => number | null}
   */
  const value = (scale, pixel, size, whole) => {
    if (pixel <= 0 || pixel >= size) return null;
    const { invert } = view.scale(scale);
    const exact = invert(pixel);
    const step = 10 ** Math.floor(Math.log10(Math.abs(invert(pixel + 1) - exact)));
    const rounded = Math.round(exact / step) * step;
    return Number((whole ? Math.round(rounded) : rounded).toPrecision(12));
  };
  /** @type {(low: number | null, high: number | null) => (number | null)[] | null} */
  const range = (low, high) => (low === null && high === null ? null : [low, high]);

  /** @type {{ x: number, y: number, row: number } | null} */
  let start = null;
  /** @type {{ xs: number[], ys: number[] } | null} */
  let area = null;
  /** @type {(event: MouseEvent) => number[]} */
  const at = (event) => {
    const { x, y } = live.getBoundingClientRect();
    return [event.clientX - x - left, event.clientY - y - top];
  };
  /** @type {(value: number, ends: number[]) => number} */
  const within = (value, [low, high]) => Math.min(Math.max(value, low), high);
  const stop = () => {
    start = area = null;
    draw();
  };
  live.addEventListener("pointerdown", (event) => {
    const [x, y] = at(event);
    const inside = x >= 0 && x <= view.width() && y >= 0 && y <= view.height();
    if (event.button || event.pointerType === "touch" || !inside) return;
    start = { x, y, row: up ? 0 : Math.min(Math.floor((y / view.height()) * rows.length), rows.length - 1) };
  });
  // A quick drag has left the chart before it is one: the window hears it.
  addEventListener("pointermove", (event) => {
    if (!start) return;
    if (!(event.buttons & 1)) return stop();
    const [x, y] = at(event);
    if (!area && Math.hypot(x - start.x, y - start.y) < DRAG_PX) return;
    if (!area) live.setPointerCapture(event.pointerId); // and no mark gets the click
    tip.hidden = true;
    const xs = [start.x, within(x, [0, view.width()])].sort((a, b) => a - b);
    const ys = up ? [start.y, within(y, [0, view.height()])].sort((a, b) => a - b) : band(start.row);
    area = { xs, ys };
    place(start.row, xs, ys);
  });
  addEventListener("pointerup", () => {
    if (!area) {
      start = null;
      return;
    }
    const [x0, x1] = area.xs;
    const [y0, y1] = area.ys;
    const width = view.width();
    const height = view.height();
    const { row } = start;
    start = area = null;
    const changes = {
      [rows[row]]: range(
        value("x", x0, width, !rows[row].endsWith("cost_usd")),
        value("x", x1, width, !rows[row].endsWith("cost_usd")),
      ),
    };
    if (up) changes[up] = range(value("y", y1, height), value("y", y0, height));
    table().filter(changes);
  });
  live.addEventListener("pointercancel", stop);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && area) stop();
  });
  draw.clear = () => {
    const state = table().state();
    if (columns.some((column) => state[column])) {
      table().filter(Object.fromEntries(columns.map((column) => /** @type {[string, null]} */ ([column, null]))));
    }
  };
  live.classList.add("brushable");
  draw();
  return draw;
}
