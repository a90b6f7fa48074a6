/* Live charts. The drawings stand in the page; the first touch of one loads Vega and puts the live chart in its place.
   Whatever fails, the drawing stays. Where the table of runs has a script (window.sitegenTable), its filters fade marks
   here, and a drag or a model chosen here filters the table: the table owns the state.
   This file, charts-brush.js and charts.js are joined into one function: see theme.py. */
const section = document.getElementById("live-charts");
if (!section) return;
const { bundle, charts } = section.dataset;
const hint = section.parentElement.querySelector(".chart-head > .sub");
let isLinked = false;
const table = () => (isLinked ? window.sitegenTable : undefined); // its rows come later, or never
const FADED = 0.2;
const DRAG_PX = 4;

const { load, make } = window.sitegen;
const libraries = () => (bundle ? Promise.all([load(bundle), load(charts)]) : Promise.reject(new Error()));

const tip = make("div", "tip");
tip.hidden = true;
document.body.append(tip);

const showTip = (handler, event, item, text) => {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = Object.entries(text)
    .map(([title, value]) => (title === "name" ? value : `${title}: ${value}`))
    .join("\n");
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 12, document.documentElement.clientWidth - width - 4);
  const above = event.clientY - height - 10;
  tip.style.left = `${Math.max(left, 4)}px`;
  tip.style.top = `${above < 4 ? event.clientY + 18 : above}px`;
};

addEventListener(
  "scroll",
  () => {
    tip.hidden = true;
  },
  { passive: true },
);

/* What is shown: the runs that pass the filters of the table, and the colours that were picked out in a legend. */
let shown = null; // ids of runs; null: all
let shownModels = null;
let total = 0; // runs of the site
const picked = new Set();

/* Whether it is a name of the legend of models: some lines stand for several. */
const isModel = (name) => keys.some(({ models }) => models.includes(name));

/* The colour of a row. */
const coloring = ({ layer: [{ encoding }] }) => {
  const { field, scale } = encoding.color;
  return (row) => scale.range[scale.domain.indexOf(row[field])];
};

const colorsOf = (spec) => new Set(Object.values(spec.datasets).flat().map(coloring(spec)));

const fade = (spec) => {
  const color = coloring(spec);
  const isPicked = [...colorsOf(spec)].some((each) => picked.has(each));
  return (row) => {
    const isOut =
      shown &&
      (row.page
        ? !shown.has(row.page.split("/").pop().replace(".html", ""))
        : isModel(row.configuration) && !row.runs && !shownModels.has(row.configuration));
    return isOut || (isPicked && !picked.has(color(row))) ? FADED : 1;
  };
};

/* The spec with an opacity for each row. */
const withOpacity = (spec) => {
  const opacity = fade(spec);
  const datasets = {};
  for (const [name, rows] of Object.entries(spec.datasets)) {
    datasets[name] = rows.map((row) => ({ ...row, opacity: opacity(row) }));
  }
  const encoding = { opacity: { field: "opacity", type: "quantitative", scale: null } };
  return { ...spec, datasets, encoding };
};

const embed = (place, spec) =>
  window.sitegenVega(place, spec, {
    mode: "vega-lite",
    renderer: "svg",
    ast: true,
    actions: false,
    defaultStyle: false,
    tooltip: showTip,
  });

const lives = new Map(); // box of a chart -> a promise of { update }
const visible = new Set();

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
    if (box.contains(document.activeElement)) {
      view.finalize();
      throw new Error("focused meanwhile");
    }
    let drawBrush = brush(box, live, view, spec);
    view.addEventListener("click", (event, item) => {
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
  // After a failure the next touch tries again.
  lives.get(box).catch(() => {
    lives.delete(box);
  });
};
