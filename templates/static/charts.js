/* What is around the charts: legends, what the filters leave, and the menu of each chart. */

/* Legends: a model, or configuration, filters the runs, every other colour is picked out where it occurs. */
const chosen = () => [table()?.state()[table().who()] ?? []].flat();

function choose(models) {
  const now = new Set(chosen());
  const all = models.every((model) => now.has(model));
  for (const model of models) now[all ? "delete" : "add"](model);
  table().filter({ [table().who()]: now.size ? [...now] : null });
}

const keys = [...section.parentElement.querySelectorAll(".legend > [data-color]")].map((item) => {
  const button = make("button", "");
  const models = JSON.parse(item.dataset.models ?? "[]");
  const { color } = item.dataset;
  button.append(...item.childNodes);
  item.append(button);
  button.addEventListener("click", () => {
    if (models.length && table()) return choose(models);
    if (!picked.delete(color)) picked.add(color);
    refresh();
  });
  return { button, models, color };
});

/* What the filters leave, in sight while the charts are, and the way back. */
const dock = make("div", "chart-dock");
const bar = make("div", "chart-bar");
const count = make("p", "");
const all = make("button", "", "Show all");
bar.append(count, all);
count.dataset.untrusted = ""; // names of models
dock.append(bar);
section.after(dock);

all.addEventListener("click", () => {
  picked.clear();
  document.getElementById("charts").focus({ preventScroll: true }); // before the button goes
  const isFilter = ([key, value]) => key === "q" || (Array.isArray(value) && key !== "sort" && key !== "columns");
  const filters = Object.entries(table()?.state() ?? {})
    .filter(isFilter)
    .map(([key]) => key);
  if (shown) table().filter(Object.fromEntries(filters.map((key) => [key, null])));
  refresh();
});

const saidOfShown = () => {
  if (!shown) return null;
  const faded = shown.size ? "the others" : "all";
  return `${shown.size.toLocaleString("en")} of ${total.toLocaleString("en")} runs, ${faded} faded`;
};

const saidOfPicked = (isThere) => {
  const names = new Set(
    keys.filter(({ color }) => picked.has(color) && isThere(color)).map(({ button }) => button.textContent.trim()),
  );
  return names.size && `Picked out: ${[...names].join(", ")}`;
};

function refresh() {
  const now = new Set(chosen());
  for (const { button, models, color } of keys) {
    const byTable = models.length && table();
    button.setAttribute("aria-pressed", String(byTable ? models.every((model) => now.has(model)) : picked.has(color)));
  }
  for (const note of section.querySelectorAll(".whole")) note.hidden = !shown || !note.textContent;
  count.textContent = [saidOfShown(), saidOfPicked(() => true)].filter(Boolean).join(". ");
  const isIdle = !shown && !picked.size;
  if (isIdle && bar.contains(document.activeElement)) {
    document.getElementById("charts").focus({ preventScroll: true });
  }
  bar.hidden = isIdle;
  for (const live of lives.values()) {
    live.then(
      ({ update }) => update(),
      () => {},
    );
  }
  if (!bar.hidden) visible.forEach(enliven);
}

let latest; // what the table showed last

document.addEventListener("sitegen:shown", async ({ detail: { positions, total: all } }) => {
  const some = positions.length < all;
  latest = positions;
  const { ids, columns } = some ? await window.sitegenTable.rows : {};
  if (latest !== positions) return;
  isLinked = true;
  const hasModels = keys.some(({ models }) => models.length);
  const hasDots = section.querySelector("[data-x]") && matchMedia("(any-pointer: fine)").matches;
  if (hint && hasDots) {
    hint.textContent = `Drag${hasModels ? "" : " over dots"} to filter; click a mark to open its run.`;
  } else if (hint && hasModels) {
    hint.textContent = `Pick a ${table().who()} to filter.`;
  }
  total = all;
  shown = some ? new Set(Array.from(positions, (i) => ids[i])) : null;
  shownModels = some && new Set(Array.from(positions, (i) => columns.configuration?.[i] ?? columns.model?.[i] ?? ""));
  refresh();
});

/* The link to a chart, its pictures and its numbers. */
const figures = [...section.querySelectorAll("figure")];
const fragment = () => new URLSearchParams(location.hash.slice(1));
const isBack = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
let reached = isBack ? fragment().get("chart") : null; // who comes back is where they were

const reach = () => {
  const name = fragment().get("chart");
  const figure = figures.find(({ id }) => id === name);
  if (figure && name !== reached) {
    figure.scrollIntoView();
    figure.tabIndex = -1;
    figure.focus({ preventScroll: true });
    figure.addEventListener("blur", () => figure.removeAttribute("tabindex"), { once: true }); // no click focuses it
  }
  reached = name;
};

/* What the menus do comes with a script of its own, when one is opened. */
let isShared = false;

for (const menu of section.querySelectorAll(".share")) {
  menu.addEventListener("toggle", async () => {
    await load(section.dataset.share);
    if (isShared) return;
    isShared = true;
    const said = (colors) => [saidOfShown(), saidOfPicked((color) => colors.has(color))].filter(Boolean);
    const link = ({ id }) => {
      const state = fragment();
      state.set("chart", (reached = id));
      return state;
    };
    window.sitegenShare(section, { colorsOf, embed, isDrawn: Boolean(bundle), libraries, link, said, withOpacity });
  });
}

refresh();

for (const box of section.querySelectorAll("[data-chart]")) {
  box.addEventListener("pointerenter", () => enliven(box));
  box.addEventListener("focusout", () =>
    setTimeout(() => {
      if (!bar.hidden && visible.has(box)) enliven(box);
    }),
  );
}

const sight = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) {
    if (isIntersecting) {
      visible.add(target);
    } else {
      visible.delete(target);
    }
  }
  if (!bar.hidden) visible.forEach(enliven);
});

for (const box of section.querySelectorAll("[data-chart]")) sight.observe(box);
addEventListener("hashchange", reach);
addEventListener("DOMContentLoaded", reach);
