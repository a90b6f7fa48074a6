/* Live charts. The drawings stand in the page; the first touch of one loads Vega and puts the live chart in its place.
   Whatever fails, the drawing stays. Where the table of runs has a script (window.sitegenTable), its filters fade marks
   here, and a drag or a model chosen here filters the table: the table owns the state. */
"use strict";
(() => {
  const section = document.getElementById("live-charts");
  if (!section) return;
  const { bundle, charts } = section.dataset;
  const hint = section.parentElement.querySelector(".chart-head > .sub");
  let isLinked = false;
  const table = () => (isLinked ? window.sitegenTable : undefined);  // its rows come later, or never
  const FADED = 0.2, DRAG_PX = 4;

  const { copy, csvCell, load, make, save } = window.sitegen;
  const libraries = () => bundle ? Promise.all([load(bundle), load(charts)]) : Promise.reject(new Error());

  const tip = make("div", "tip");
  tip.hidden = true;
  document.body.append(tip);
  const showTip = (handler, event, item, text) => {
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 12, document.documentElement.clientWidth - width - 4);
    const above = event.clientY - height - 10;
    tip.style.left = `${Math.max(left, 4)}px`;
    tip.style.top = `${above < 4 ? event.clientY + 18 : above}px`;
  };
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  /* What is shown: the runs that pass the filters of the table, and the colours that were picked out in a legend. */
  let shown = null, shownModels = null, total = 0;  // null: all
  const picked = new Set();
  const fade = (datasets) => {
    const colors = new Set(Object.values(datasets).flat().map((row) => row.color).filter((color) => picked.has(color)));
    return (row) => {
      const out = (shown && row.href && !shown.has(row.href.split("/").pop().replace(".html", "")))
        || (shown && row.model !== undefined && !shownModels.has(row.model))
        || (colors.size && row.color && !colors.has(row.color));
      return out ? FADED : 1;
    };
  };
  /* The spec with an opacity for each mark that stands for a run, a model or a colour. */
  const withOpacity = (spec) => {
    const opacity = fade(spec.datasets), datasets = {};
    for (const [name, rows] of Object.entries(spec.datasets)) {
      datasets[name] = rows.map((row) => ({ ...row, opacity: opacity(row) }));
    }
    const layer = spec.layer.map((one) => ({
      ...one, encoding: { ...one.encoding, opacity: { field: "opacity", type: "quantitative", scale: null } },
    }));
    return { ...spec, datasets, layer };
  };
  const embed = (place, spec) => window.sitegenVega(place, spec, {
    mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, tooltip: showTip,
  });

  const lives = new Map();  // box of a chart -> a promise of { update }
  const visible = new Set();

  async function mount(box) {
    await libraries();
    const { spec } = window.sitegenCharts[box.dataset.chart];
    const width = () => Math.max(box.clientWidth - spec.padding.left - spec.padding.right, 40);
    const live = make("div", "live");
    live.setAttribute("aria-hidden", "true");
    box.append(live);
    try {
      let { datasets, ...layout } = withOpacity(spec);
      const { view } = await embed(live, { ...layout, datasets, width: width() });
      if (box.contains(document.activeElement)) {
        view.finalize();
        throw new Error("focused meanwhile");
      }
      let drawBrush = brush(box, live, view, spec);
      view.addEventListener("click", (event, item) => {
        const { href, model } = item?.datum ?? {};
        if (href) return;  // Vega opens it
        if (model && table()) choose([model]);
        else drawBrush?.clear();
      });
      box.classList.add("is-live");
      new ResizeObserver(() => view.width(width()).runAsync().then(() => drawBrush?.())).observe(box);
      return {
        update() {
          const before = datasets;
          ({ datasets } = withOpacity(spec));
          for (const [name, rows] of Object.entries(datasets)) {
            if (rows.some((row, i) => row.opacity !== before[name][i].opacity)) view.data(name, rows);
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
  // A drawing whose link has the focus stays: the live chart has no links.
  const enliven = (box) => {
    if (lives.has(box) || !window.ResizeObserver || box.contains(document.activeElement)) return;
    lives.set(box, mount(box));
    lives.get(box).catch(() => { lives.delete(box); });  // the next touch tries again
  };

  /* A drag over the plot chooses a range of what its axes show. Touch scrolls, as it does everywhere. */
  function brush(box, live, view, spec) {
    if (!table() || !box.dataset.x) return null;
    const rows = box.dataset.x.split(" "), up = box.dataset.y;
    const columns = up ? [...rows, up] : rows;
    const rects = rows.map(() => live.appendChild(make("div", "brush")));
    const { left, top } = spec.padding;
    const band = (row) => (up ? [0, view.height()] : [row, row + 1].map((edge) => edge * view.height() / rows.length));
    const place = (row, [x0, x1], [y0, y1]) => {
      const { style } = rects[row];
      style.left = `${left + x0}px`;
      style.width = `${x1 - x0}px`;
      style.top = `${top + y0}px`;
      style.height = `${y1 - y0}px`;
      rects[row].hidden = false;
    };
    const pixels = (scale, range, size) => {
      const at = (value, open) => {
        const pixel = value === null || value === undefined ? open : view.scale(scale)(value);
        return Math.min(Math.max(Number.isFinite(pixel) ? pixel : 0, 0), size);
      };
      const ends = Array.isArray(range) ? range : [null, null];
      return scale === "x" ? [at(ends[0], 0), at(ends[1], size)] : [at(ends[1], 0), at(ends[0], size)];
    };
    const draw = () => {
      const state = table().state();
      rows.forEach((column, row) => {
        rects[row].hidden = true;
        if (!Array.isArray(state[column]) && !(up && Array.isArray(state[up]))) return;
        place(row, pixels("x", state[column], view.width()), up ? pixels("y", state[up], view.height()) : band(row));
      });
    };
    /* The value at a pixel, with no more digits than a pixel can tell apart; null at the edge, where all beyond it
       belongs to the range. */
    const value = (scale, pixel, size, whole) => {
      if (pixel <= 0 || pixel >= size) return null;
      const { invert } = view.scale(scale);
      const exact = invert(pixel), step = 10 ** Math.floor(Math.log10(Math.abs(invert(pixel + 1) - exact)));
      const rounded = Math.round(exact / step) * step;
      return Number((whole ? Math.round(rounded) : rounded).toPrecision(12));
    };
    const range = (low, high) => (low === null && high === null ? null : [low, high]);

    let start = null, area = null;
    const at = (event) => {
      const { x, y } = live.getBoundingClientRect();
      return [event.clientX - x - left, event.clientY - y - top];
    };
    const within = (value, [low, high]) => Math.min(Math.max(value, low), high);
    const stop = () => { start = area = null; draw(); };
    live.addEventListener("pointerdown", (event) => {
      const [x, y] = at(event);
      const inside = x >= 0 && x <= view.width() && y >= 0 && y <= view.height();
      if (event.button || event.pointerType === "touch" || !inside) return;
      start = { x, y, row: up ? 0 : Math.min(Math.floor(y / view.height() * rows.length), rows.length - 1) };
    });
    addEventListener("pointermove", (event) => {  // a quick drag is out of the chart before it is one
      if (!start) return;
      if (!(event.buttons & 1)) return stop();
      const [x, y] = at(event);
      if (!area && Math.hypot(x - start.x, y - start.y) < DRAG_PX) return;
      if (!area) live.setPointerCapture(event.pointerId);  // and no mark gets the click
      tip.hidden = true;
      const xs = [start.x, within(x, [0, view.width()])].sort((a, b) => a - b);
      const ys = up ? [start.y, within(y, [0, view.height()])].sort((a, b) => a - b) : band(start.row);
      area = { xs, ys };
      place(start.row, xs, ys);
    });
    addEventListener("pointerup", () => {
      if (!area) { start = null; return; }
      const { xs: [x0, x1], ys: [y0, y1] } = area, width = view.width(), height = view.height(), { row } = start;
      start = area = null;
      const changes = { [rows[row]]: range(value("x", x0, width, rows[row] !== "cost_usd"),
        value("x", x1, width, rows[row] !== "cost_usd")) };
      if (up) changes[up] = range(value("y", y1, height), value("y", y0, height));
      table().filter(changes);
    });
    live.addEventListener("pointercancel", stop);
    addEventListener("keydown", (event) => { if (event.key === "Escape" && area) stop(); });
    draw.clear = () => {
      const state = table().state();
      if (columns.some((column) => state[column])) table().filter(Object.fromEntries(columns.map((c) => [c, null])));
    };
    live.classList.add("brushable");
    draw();
    return draw;
  }

  /* Legends: a model filters the runs, every other colour is picked out where it occurs. */
  const chosen = () => [table()?.state().model ?? []].flat();
  function choose(models) {
    const now = new Set(chosen());
    const all = models.every((model) => now.has(model));
    for (const model of models) if (all) now.delete(model); else now.add(model);
    table().filter({ model: now.size ? [...now] : null });
  }
  const keys = [...section.parentElement.querySelectorAll(".legend > [data-color]")].map((item) => {
    const button = make("button", "");
    const models = JSON.parse(item.dataset.models ?? "[]"), { color } = item.dataset;
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
  const dock = make("div", "chart-dock"), bar = make("div", "chart-bar"), count = make("p", "");
  const all = make("button", "", "Show all");
  bar.append(count, all);
  count.dataset.untrusted = "";  // names of models
  dock.append(bar);
  section.after(dock);
  all.addEventListener("click", () => {
    picked.clear();
    document.getElementById("charts").focus({ preventScroll: true });  // before the button goes
    const isFilter = ([key, value]) => key === "q" || (Array.isArray(value) && key !== "sort" && key !== "columns");
    const filters = Object.entries(table()?.state() ?? {}).filter(isFilter).map(([key]) => key);
    if (shown) table().filter(Object.fromEntries(filters.map((key) => [key, null])));
    refresh();
  });

  const saidOfShown = () => shown
    && `${shown.size.toLocaleString("en")} of ${total.toLocaleString("en")} runs, ${shown.size ? "the others" : "all"} faded`;
  const saidOfPicked = (isThere) => {
    const names = new Set(keys.filter(({ color }) => picked.has(color) && isThere(color)).map(({ button }) => button.textContent.trim()));
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
    if (isIdle && bar.contains(document.activeElement)) document.getElementById("charts").focus({ preventScroll: true });
    bar.hidden = isIdle;
    for (const live of lives.values()) live.then(({ update }) => update(), () => {});
    if (!bar.hidden) visible.forEach(enliven);
  }
  document.addEventListener("sitegen:shown", async ({ detail: { positions } }) => {
    const { ids, columns } = await window.sitegenTable.rows;
    isLinked = true;
    const hasModels = keys.some(({ models }) => models.length);
    const hasDots = section.querySelector("[data-x]") && matchMedia("(any-pointer: fine)").matches;
    if (hint && hasDots) hint.textContent = `Drag over dots${hasModels ? ", or pick a model," : ""} to filter all charts and the table; a click on a dot or a bar opens its run.`;
    else if (hint && hasModels) hint.textContent = "Pick a model to filter all charts and the table.";
    const some = positions.length < ids.length;
    total = ids.length;
    shown = some ? new Set(Array.from(positions, (i) => ids[i])) : null;
    shownModels = some && new Set(Array.from(positions, (i) => columns.model?.[i] ?? ""));
    refresh();
  });

  /* The link to a chart, its pictures and its numbers. */
  const figures = [...section.querySelectorAll("figure")];
  const fragment = () => new URLSearchParams(location.hash.slice(1));
  const isBack = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  let reached = isBack ? fragment().get("chart") : null;  // who comes back is where they were
  const reach = () => {
    const name = fragment().get("chart");
    const figure = figures.find(({ id }) => id === name);
    if (figure && name !== reached) {
      figure.scrollIntoView();
      figure.tabIndex = -1;
      figure.focus({ preventScroll: true });
      figure.addEventListener("blur", () => figure.removeAttribute("tabindex"), { once: true });  // no click focuses it
    }
    reached = name;
  };
  /* The chart as it is now, with its title and legend, and with colours that need no stylesheet. */
  async function picture(id) {
    await libraries();
    const { spec, alone } = window.sitegenCharts[id];
    const whole = withOpacity({
      ...spec, ...alone, layer: [...spec.layer, ...alone.layer], datasets: { ...spec.datasets, ...alone.datasets },
    });
    const colors = new Set(Object.values(spec.datasets).flat().map((row) => row.color));
    const said = [saidOfShown(), saidOfPicked((color) => colors.has(color))].filter(Boolean).map((text) => `${text}.`);
    whole.title = { ...whole.title, subtitle: [...whole.title.subtitle, ...said] };
    whole.padding = { ...whole.padding, top: whole.padding.top + said.length * whole.title.subtitleLineHeight };
    const probe = document.body.appendChild(make("span", ""));  // the value of a variable may be light-dark()
    // A saved picture lies where the pages of its runs do not.
    const text = JSON.stringify(whole, (key, value) => (key === "href" ? undefined : value)).replace(/"(var\(--[\w-]+\))"/g, (_, color) => {
      probe.style.color = color;
      return JSON.stringify(getComputedStyle(probe).color);
    });
    probe.remove();
    return (await embed(make("div"), JSON.parse(text))).view;
  }
  const cellText = (cell) => {
    const text = cell.textContent.trim(), isNumber = cell.matches("td.n");
    return text === "–" ? "" : csvCell(isNumber ? text.replace(/[,<>+]/g, "").replace("−", "-") : text, isNumber);
  };
  /* Figures are plain numbers; what they are bounds of stands in a column of its own. */
  const BOUNDS = { "<": "less than", ">": "more than", "+": "at least" };
  const boundOf = (cell) => (cell?.matches("td.n") && BOUNDS[/[<>+]/.exec(cell.textContent)?.[0]]) || "";
  const csvOf = (table) => {
    const rows = [...table.rows].map((row) => [...row.cells]);
    const isBounded = rows[0].map((head, i) => rows.some((row) => boundOf(row[i])));
    return rows.map((row, nth) => row.flatMap((cell, i) => [
      cellText(cell), ...(isBounded[i] ? [nth ? boundOf(cell) : csvCell(`${cell.textContent.trim()}: bound`)] : []),
    ]).join(",")).join("\n");
  };
  const take = {
    async link(figure) {
      const state = fragment();
      state.set("chart", reached = figure.id);
      location.hash = state;
      return (await copy(location.href)) ? "Link copied" : "The link is in the address bar";
    },
    async png(figure) {
      const canvas = await (await picture(figure.id)).toCanvas(2);
      save(`${figure.id}.png`, await new Promise((done) => { canvas.toBlob(done); }));
    },
    async svg(figure) {
      save(`${figure.id}.svg`, new Blob([await (await picture(figure.id)).toSVG()], { type: "image/svg+xml" }));
    },
    csv(figure) {
      save(`${figure.id}.csv`, new Blob([`${csvOf(figure.querySelector("table"))}\n`], { type: "text/csv" }));
    },
  };
  const menus = [...section.querySelectorAll(".share")];
  for (const menu of menus) {
    const figure = menu.closest("figure"), status = menu.querySelector("[role=status]");
    for (const item of menu.querySelectorAll("[data-take]")) {
      const { take: what } = item.dataset;
      item.parentElement.hidden = ["png", "svg"].includes(what) && !(bundle && figure.querySelector(".chart-box"));
      item.addEventListener("click", async (event) => {
        event.preventDefault();
        if (!event.isTrusted) return;  // only a person saves a file
        try {
          status.textContent = await take[what](figure) ?? "Saved";
        } catch {
          status.textContent = "This did not work here";
        }
      });
    }
    menu.addEventListener("toggle", () => { status.textContent = ""; });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      menu.open = false;
      menu.firstElementChild.focus();
    });
  }
  addEventListener("click", ({ target }) => {
    for (const menu of menus) if (!menu.contains(target)) menu.open = false;
  });

  refresh();
  for (const box of section.querySelectorAll(".chart-box")) {
    box.addEventListener("pointerenter", () => enliven(box));
    box.addEventListener("focusout", () => setTimeout(() => { if (!bar.hidden && visible.has(box)) enliven(box); }));
  }
  const sight = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (isIntersecting) visible.add(target); else visible.delete(target);
    }
    if (!bar.hidden) visible.forEach(enliven);
  });
  for (const box of section.querySelectorAll(".chart-box")) sight.observe(box);
  addEventListener("hashchange", reach);
  addEventListener("DOMContentLoaded", reach);
})();
