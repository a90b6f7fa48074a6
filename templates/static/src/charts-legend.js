/* Legends, and what the filters leave. */
import { enliven, lives, visible } from "./charts-live.js";
import { choose, chosen, keysOfLegends, modelsOf } from "./charts-models.js";
import { section, table } from "./charts-section.js";
import { picked, saidOfShown, shown } from "./charts-shown.js";
import { make } from "./dom.js";

/**
 * A key of a legend becomes a button: a model, or configuration, filters the runs, every other colour is picked out
 * where it occurs.
 * @type {(item: HTMLElement) => { button: HTMLElement, models: string[], color: string }}
 */
const asButton = (item) => {
  const button = make("button", "");
  const models = modelsOf(item);
  const { color } = item.dataset;
  button.append(...item.childNodes);
  item.append(button);
  button.addEventListener("click", () => {
    if (models.length && table()) return choose(models);
    if (!picked.delete(color)) picked.add(color);
    refresh();
  });
  return { button, models, color };
};

const keys = section ? keysOfLegends().map(asButton) : [];

/* What the filters leave, in sight while the charts are, and the way back. */
const bar = make("div", "chart-bar");
const count = make("p", "");

/* Puts it below the charts. */
export const addDock = () => {
  const dock = make("div", "chart-dock");
  const all = make("button", "", "Show all");
  bar.append(count, all);
  count.dataset.untrusted = ""; // names of models
  dock.append(bar);
  section.after(dock);
  all.addEventListener("click", showAll);
};

const showAll = () => {
  picked.clear();
  document.getElementById("charts").focus({ preventScroll: true }); // before the button goes
  /** @type {(pair: [string, any]) => boolean} */
  const isFilter = ([key, value]) => key === "q" || (Array.isArray(value) && key !== "sort" && key !== "columns");
  const filters = Object.entries(table()?.state() ?? {})
    .filter(isFilter)
    .map(([key]) => key);
  if (shown) table().filter(Object.fromEntries(filters.map((key) => /** @type {[string, null]} */ ([key, null]))));
  refresh();
};

/* Whether something is left out or picked out. */
export const hasChoice = () => Boolean(shown || picked.size);

/** @type {(isThere: (color: string) => boolean) => string | false} */
export const saidOfPicked = (isThere) => {
  const names = new Set(
    keys.filter(({ color }) => picked.has(color) && isThere(color)).map(({ button }) => button.textContent.trim()),
  );
  return names.size && `Picked out: ${[...names].join(", ")}`;
};

export function refresh() {
  const now = new Set(chosen());
  for (const { button, models, color } of keys) {
    const byTable = models.length && table();
    button.setAttribute("aria-pressed", String(byTable ? models.every((model) => now.has(model)) : picked.has(color)));
  }
  for (const note of section.querySelectorAll(".whole")) note.hidden = !shown || !note.textContent;
  count.textContent = [saidOfShown(), saidOfPicked(() => true)].filter(Boolean).join(". ");
  const isIdle = !hasChoice();
  if (isIdle && bar.contains(document.activeElement)) {
    document.getElementById("charts").focus({ preventScroll: true });
  }
  bar.hidden = isIdle;
  for (const live of lives.values()) {
    live.then(
      (/** @type {{ update: () => void }} */ { update }) => update(),
      () => {},
    );
  }
  if (!bar.hidden) visible.forEach(enliven);
}
