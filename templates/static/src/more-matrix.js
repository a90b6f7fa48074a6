/* The matrix by hand: what a mark says stands beside it, a drag chooses runs for the table, arrows lead from mark to mark. */
import { make } from "./dom.js";
import { whoKey, whose } from "./who.js";

/** @import { State } from "./address.js" */
/** @import { Rows } from "./rows.js" */

const DRAG = 6; // pixels, from which on a press is a drag

let isAwake = false;
/**
 * Wakes the matrix. `step` filters the table by changes, once all rows are here.
 * @type {(matrix: HTMLTableElement, rows: Rows, step: (changesOf: () => State | null) => unknown) => void}
 */
export const wakeMatrix = (matrix, rows, step) => {
  if (isAwake) return;
  isAwake = true;
  const tip = make("div", "tip");
  const area = make("div", "brush");
  /** @type {Map<HTMLElement, string>} */
  const facts = new Map(); // marks -> what they say
  /** @type {HTMLElement[][][]} */
  const columns = []; // of each model the marks of each task
  tip.hidden = area.hidden = true;
  tip.dataset.untrusted = "";
  document.body.append(tip, area);
  [...matrix.tBodies[0].rows].forEach((row, task) =>
    row.querySelectorAll(".strip").forEach((cell, model) => {
      const marks = [...cell.querySelectorAll(".plot > a")];
      (columns[model] ??= [])[task] = marks;
      for (const mark of marks) {
        const title = mark.querySelector("title");
        facts.set(mark, title.textContent);
        mark.setAttribute("aria-label", title.textContent);
        title.remove(); // else the browser says it a second time
      }
    }),
  );

  /** @type {(mark: HTMLElement | null) => void} */
  const say = (mark) => {
    tip.hidden = !mark;
    if (!mark) return;
    const [name, ...rest] = facts.get(mark).split(/: (.*)/s);
    tip.replaceChildren(make("strong", "", name), `\n${rest.join("").trim()}`);
    const at = mark.querySelector(".sign").getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(at.x - width / 2, document.documentElement.clientWidth - width - 8);
    tip.style.left = `${Math.max(left, 8)}px`;
    tip.style.top = `${at.y - height - 10 < 4 ? at.bottom + 10 : at.y - height - 10}px`;
  };

  /** @type {(event: Event) => HTMLElement | null} */
  const markOf = ({ target }) => target.closest?.(".plot > a") ?? null;
  matrix.addEventListener("pointerover", (event) => say(start ? null : markOf(event)));
  matrix.addEventListener("pointerleave", () => say(null));
  matrix.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    if (!mark) return;
    for (const each of facts.keys()) each.setAttribute("tabindex", each === mark ? "0" : "-1"); // Tab comes back here
    if (mark.matches(":focus-visible")) say(mark);
  });
  matrix.addEventListener("focusout", () => say(null));
  const scrolled = () => say(document.querySelector(".matrix .plot > a:focus-visible"));
  addEventListener("scroll", scrolled, { passive: true, capture: true }); // the focus itself may have scrolled

  /**
   * Shows in the table the runs of some marks: their tasks, whose they are, and what they cost where that parts them.
   * @type {(marks: HTMLElement[]) => unknown}
   */
  const choose = (marks) => step(() => {
    const { byKey, ids } = rows;
    const at = new Map(ids.map((id, i) => [`${id}.html`, i]));
    /** @type {(some: HTMLElement[]) => number[]} */
    const rowsOf = (some) => some.map((mark) => at.get(mark.getAttribute("href").split("/").at(-1)));
    const chosen = rowsOf(marks).filter((i) => i !== undefined);
    if (!chosen.length) return null;
    const tasks = [...new Set(chosen.map((i) => byKey.get("task").value(i)))];
    const names = [...new Set(chosen.map((i) => whose(rows, i)))];
    /** @type {(i: number) => boolean} */
    const has = (i) => tasks.includes(byKey.get("task").value(i)) && names.includes(whose(rows, i));
    const others = rowsOf([...facts.keys()]).filter((i) => has(i) && !chosen.includes(i));
    const costs = chosen.map((i) => byKey.get("cost_usd").values[i]);
    const isParted = others.length > 0 && !costs.includes(null);
    return { task: tasks, [whoKey(rows)]: names, cost_usd: isParted ? [Math.min(...costs), Math.max(...costs)] : null };
  });

  /** @type {{ x: number, y: number } | null} */
  let start = null; // of a press
  /** @type {{ left: number, right: number, top: number, bottom: number } | null} */
  let box = null; // what a drag has covered
  const stop = () => {
    start = box = null;
    area.hidden = true;
  };
  matrix.addEventListener("dragstart", (event) => event.preventDefault());
  matrix.addEventListener("mousedown", (event) => event.target.closest(".strip") && event.preventDefault()); // selects no text
  matrix.addEventListener("pointerdown", (event) => {
    if (event.button || event.pointerType === "touch" || !event.target.closest(".strip")) return;
    start = { x: event.clientX, y: event.clientY };
  });
  addEventListener("pointermove", (event) => {
    if (!start) return;
    if (!(event.buttons & 1)) return stop();
    if (!box && Math.hypot(event.clientX - start.x, event.clientY - start.y) < DRAG) return;
    say(null);
    const [left, right] = [start.x, event.clientX].sort((a, b) => a - b);
    const [top, bottom] = [start.y, event.clientY].sort((a, b) => a - b);
    box = { left, right, top, bottom };
    Object.assign(area.style, {
      left: `${left + scrollX}px`,
      top: `${top + scrollY}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
    area.hidden = false;
  });
  addEventListener("pointerup", () => {
    const drawn = box;
    stop();
    if (!drawn) return;
    /** @type {(event: Event) => void} */
    const swallow = (event) => event.preventDefault(); // the click that ends a drag opens no run
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    choose(
      [...facts.keys()].filter((mark) => {
        const { x, y, width, height } = mark.querySelector(".sign").getBoundingClientRect();
        const [across, down] = [x + width / 2, y + height / 2];
        return across >= drawn.left && across <= drawn.right && down >= drawn.top && down <= drawn.bottom;
      }),
    );
  });

  matrix.addEventListener("keydown", (event) => {
    const mark = markOf(event);
    if (event.key === "Escape") {
      stop();
      say(null);
    }
    if (!mark || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const model = columns.findIndex((tasks) => tasks.some((marks) => marks.includes(mark)));
    const task = columns[model].findIndex((marks) => marks.includes(mark));
    const nth = columns[model][task].indexOf(mark);
    const [step, side] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [];
    let next;
    if (event.key === " ") choose(columns[model][task]);
    else if (step) {
      const all = columns[model].flat();
      next = all[all.indexOf(mark) + step];
    } else if (side) {
      for (let at = model + side; columns[at] && !next; at += side) next = columns[at][task]?.[nth] ?? columns[at][task]?.at(-1);
    } else return;
    event.preventDefault();
    if (!next) return;
    next.focus();
    say(next);
  });
};
