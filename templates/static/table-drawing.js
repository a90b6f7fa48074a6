/* What is drawn after each step: the rows in sight, the facets, what is said of them. */

const WHOLE = 200; // rows that are drawn all at once; of more, those in sight and AROUND them
const AROUND = 20;
const FIRST = 60; // rows that are drawn before it is known how high a row is
const OFFERED = 8; // names of a facet, beside those that are chosen
let shownColumns;
let positions;
let isWindowed = false;
let first = 0;
let last = 0;
let isPrinting = false;
const heights = { row: 0 };

/* An empty row as high as the rows that are not drawn. */
const space = (rows) => {
  const made = make("tr", "space", make("td"));
  made.setAttribute("aria-hidden", "true");
  made.firstChild.colSpan = shownColumns.length + 2;
  made.firstChild.style.height = `${rows * heights.row}px`;
  return made;
};

const note = (...parts) => {
  const made = make("tr", "", make("td", "muted", ...parts));
  made.firstChild.colSpan = shownColumns.length + 2;
  return made;
};

const isFocused = (place) => place.contains(document.activeElement) && document.activeElement !== document.body;
const rowAt = (nth) => body.querySelector(`[data-nth="${nth}"]`);

const numbered = (nth) => {
  const made = row(positions[nth]);
  made.dataset.nth = nth;
  if (isWindowed) made.setAttribute("aria-rowindex", nth + 2);
  return made;
};

/* Which rows are drawn: the first, and the one behind the last. */
const inSight = () => {
  if (isPrinting) return [0, Math.min(WHOLE, positions.length)];
  if (!isWindowed) return [0, positions.length];
  if (!heights.row) return [0, FIRST];
  const top = Math.max(Math.floor(box.scrollTop / heights.row) - AROUND, 0);
  const rows = Math.ceil(box.clientHeight / heights.row) + 2 * AROUND;
  return [Math.min(top, Math.max(positions.length - rows, 0)), Math.min(top + rows, positions.length)];
};

/* Where what was typed may be found, as other filters and pages of groups leave runs out, and what is not looked at. */
const elsewhere = () => {
  if (!state.q?.trim()) return [];
  if (!document.querySelector("[data-search]")) return [" Texts, files and commands are not searched in one file."];
  const link = make("a", "", "Search all runs for it");
  link.href = `${siteRoot}search.html#${new URLSearchParams({ q: state.q })}`;
  return [" ", link];
};

const drawRows = () => {
  const focused = isFocused(body) && document.activeElement.closest("tr").dataset.nth;
  [first, last] = inSight();
  const rows = [];
  for (let nth = first; nth < last; nth++) rows.push(numbered(nth));
  if (!rows.length) rows.push(note("No run matches these filters.", ...elsewhere()));
  if (isWindowed) rows.unshift(space(first));
  if (isPrinting && isWindowed) {
    rows.push(note(`and ${plural(count() - last)} more`));
  } else if (isWindowed) {
    rows.push(space(positions.length - last));
  }
  body.replaceChildren(...(last - first < ids.length ? [widest()] : []), ...rows);
  if (focused) (rowAt(focused)?.querySelector("a") || box).focus({ preventScroll: true });
};

/* While the table is scrolled, rows that stay in sight stay, so that the focus and what is selected do. */
const scrolled = () => {
  if (!isWindowed || isPrinting) return;
  const [from, to] = inSight();
  if (Math.abs(from - first) < AROUND / 2 && Math.abs(to - last) < AROUND / 2) return;
  if (from >= last || to <= first) return drawRows();
  const focused = isFocused(body);
  for (let nth = first; nth < from; nth++) rowAt(nth).remove();
  for (let nth = Math.max(to, first); nth < last; nth++) rowAt(nth).remove();
  const above = [];
  const below = [];
  for (let nth = from; nth < first; nth++) above.push(numbered(nth));
  for (let nth = last; nth < to; nth++) below.push(numbered(nth));
  const [top, bottom] = body.querySelectorAll(".space");
  top.after(...above);
  bottom.before(...below);
  [first, last] = [from, to];
  top.replaceWith(space(first));
  bottom.replaceWith(space(positions.length - last));
  if (focused && !isFocused(body)) box.focus({ preventScroll: true });
};

/* Moves the focus to a row, and the table until it is in sight. */
const toRow = (nth) => {
  if (!positions.length) return;
  const wanted = Math.min(Math.max(nth, 0), positions.length - 1);
  if (!rowAt(wanted)) {
    box.scrollTop = wanted * heights.row;
    scrolled();
  }
  rowAt(wanted)?.querySelector("a").focus();
};

const firstInSight = () => {
  if (!isWindowed) return 0;
  const edge = box.getBoundingClientRect().top + table.tHead.offsetHeight;
  const seen = [...body.querySelectorAll("[data-nth]")].find((each) => each.getBoundingClientRect().top >= edge - 1);
  return seen ? Number(seen.dataset.nth) : first;
};

const isNarrowed = () =>
  rangesOf(state).length > 0 || byText().length > 0 || chosenFacets().length > 0;

/* The columns by whose names the rows are filtered. */
const chosenFacets = () => columns.filter((column) => column.isCategory && state[column.key] && isHere(column));

/* Whether the state asks for a part of the rows. */
const isFiltered = () => Boolean(state.q) || columns.some(({ key }) => state[key]);

const facetBoxes = [...document.querySelectorAll("[data-facet]")];
const facetKeys = facetBoxes.map(({ dataset }) => dataset.facet);
const columnOf = (facet) => byKey.get(facet.dataset.facet);

const usual = new Map(
  facetBoxes.map((facet) => [facet, [...facet.querySelectorAll("button")].map(({ value }) => value)]),
);

const nameOf = (column, value) =>
  value === "" ? column.none : ((column.sets ? column.names : column.texts)[column.names.indexOf(value)] ?? value);

/* The names of a column that rows can be filtered by, and how many rows each of them would leave. */
const drawFacet = (facet, counts) => {
  const column = columnOf(facet);
  const chosen = state[column.key] || [];
  const find = facet.querySelector("input");
  const sought = find && find.value.trim().toLowerCase();
  const found = sought
    ? column.names.filter((name) => name.toLowerCase().includes(sought)).slice(0, OFFERED)
    : usual.get(facet);
  const buttons = new Map([...facet.querySelectorAll("button")].map((each) => [each.value, each]));
  const wanted = new Set([...found, ...chosen, ...[...buttons.values()].filter(isFocused).map(({ value }) => value)]);
  for (const [value, each] of buttons) {
    if (!wanted.has(value)) each.remove();
  }
  let before = facet.querySelector(".what");
  for (const value of wanted) {
    const at = value === "" ? column.names.length : column.names.indexOf(value);
    const each = buttons.get(value) || make("button", "", make("span", "", nameOf(column, value)), " ", make("small"));
    each.value = value;
    if (!buttons.has(value) && column.key === "model" && column.looks[at]) {
      each.prepend(make("span", `key m-${column.looks[at][0]}`));
    }
    each.setAttribute("aria-pressed", chosen.includes(value));
    const number = at < 0 ? 0 : counts.get(column.key)[at];
    each.lastElementChild.textContent = grouped(String(number));
    each.classList.toggle("zero", !number);
    if (before.nextElementSibling !== each) before.after(each);
    before = each;
  }
};

const bound = (column, value) => value === "unknown" ? value : (column.clock ? figure(column, value) : String(value / column.divisor));

/* The ends of ranges in their fields, and a button for each filter and order that no field or head shows. */
const drawRanges = (isHistory) => {
  const shown = new Map(rangesOf(state));
  for (const facet of document.querySelectorAll("[data-range]")) {
    const { range: key } = facet.dataset;
    const [low, high] = shown.get(key) || [null, null];
    shown.delete(key);
    facet.querySelectorAll("input").forEach((input, side) => {
      if ((isFocused(input) || input.ariaInvalid === "true") && !isHistory) return;
      const value = side ? high : low;
      input.value = value === null ? "" : bound(byKey.get(key), value);
      input.removeAttribute("aria-invalid");
    });
  }
  const chip = (text, changes) => {
    const made = make("button", "", `${text} `, make("span", "", "×"));
    made.setAttribute("aria-label", `Remove: ${text}`);
    made.addEventListener("click", () => {
      change(changes);
      $("filter").focus();
    });
    return ofRun(made);
  };
  const boxed = new Set(facetKeys);
  const seen = new Set(shownColumns.map(({ key }) => key));
  const sorts = sortsOf(state);
  $("further").replaceChildren(
    ...chosenFacets()
      .filter(({ key }) => !boxed.has(key))
      .map((column) =>
        chip(`${column.label || "Ended by"}: ${state[column.key].map((value) => nameOf(column, value)).join(", ")}`, {
          [column.key]: null,
        }),
      ),
    ...[...shown].map(([key, [low, high]]) => {
      const column = byKey.get(key);
      const from = low === null ? "" : `${low === "unknown" ? "" : " from"} ${bound(column, low)}`;
      const to = high === null ? "" : ` to ${bound(column, high)}`;
      return chip(`${column.label}${from}${to}`, { [key]: null });
    }),
    ...sorts
      .filter((sort) => !seen.has(keyOf(sort)))
      .map((sort) =>
        chip(`sorted by ${byKey.get(keyOf(sort)).label}`, { sort: sorts.filter((each) => each !== sort) }),
      ),
  );
};

let made; // what more.js gives, once it is here
let isSummed = null; // the filters that the line of sums is of

/* The figures of the page are of all runs, and say so while the table has fewer; in the matrix, marks of others fade. */
const drawBases = () => {
  for (const base of document.querySelectorAll(".base")) base.remove();
  const isPart = positions.length < rowCount;
  if (isPart) {
    for (const heading of document.querySelectorAll("[data-all]")) {
      heading.append(make("small", "base muted", ` ${heading.dataset.all} of all ${plural(rowCount)}`));
    }
  }
  const shown = isPart && new Set(Array.from(positions, (i) => `${ids[i]}.html`));
  for (const mark of document.querySelectorAll(".matrix .plot > a")) {
    mark.classList.toggle("out", isPart && !shown.has(mark.getAttribute("href").split("/").at(-1)));
  }
};

const draw = ({ isHistory = false, keepsPlace = isHistory } = {}) => {
  verdicts = state.judge ? window.sitegenJudge : null;
  $("judge").setAttribute("aria-pressed", Boolean(verdicts));
  const keys = state.columns?.some((key) => isOffered(byKey.get(key))) && new Set(["name", ...state.columns]);
  shownColumns = columns.filter((column) => isOffered(column) && (keys ? keys.has(column.key) : column.shown));
  table.classList.toggle("chosen", Boolean(keys));
  const selected = select();
  ({ positions } = selected);
  isWindowed = positions.length > WHOLE;
  table.setAttribute("aria-rowcount", count() + 2);
  if (!keepsPlace) box.scrollTop = 0;
  const focused = document.activeElement;
  drawRows(); // first: it asks how high the box is, which is known until something changes
  table.tHead.rows[0].replaceChildren(
    ...shownColumns.flatMap((column) => [
      head(column),
      ...(column.key === "name" ? besides(() => make("th", "", "Your verdict")) : []),
      ...(column.key === "cost_usd" && costly ? [make("td")] : []),
    ]),
  );
  drawFoot();
  measure();
  const known = isWhole() ? facetBoxes.filter((facet) => isHere(columnOf(facet))) : []; // else the plain ones are right
  for (const facet of known) drawFacet(facet, selected.counts);
  drawRanges(isHistory);
  if ($("filter").value !== (state.q || "")) $("filter").value = state.q || "";
  $("count").textContent = counted();
  $("said").textContent = "";
  sayMisread();
  $("clear").hidden = !isNarrowed();
  for (const check of $("columns").querySelectorAll("input")) {
    check.checked = shownColumns.some(({ key }) => key === check.value);
  }
  if (focused !== document.activeElement && document.activeElement === document.body) {
    (focused.isConnected && focused.checkVisibility() ? focused : box).focus({ preventScroll: true });
  }
  const filters = isNarrowed() ? fragment({ ...state, sort: null, columns: null }) : "";
  if (isWhole() && filters !== isSummed) {
    isSummed = filters; // a sort changes no figure
    drawSums(Boolean(filters));
    drawBases();
  }
  document.dispatchEvent(new CustomEvent("sitegen:shown", { detail: { positions, total: ids.length } }));
};

const sayLacking = () => {
  const labels = [...(lacksFound() ? ["the words of the filter"] : []), ...lacking().map(({ label }) => label)];
  if (!labels.length) return;
  isFootOf = null; // of fewer columns than the state names
  $("said").textContent = `Not loaded, and left out: ${labels.join("; ")}`;
};

/* Whether the state asks for what cannot be said of a part of the rows. */
const lacksRows = () =>
  !isWhole() && (isNarrowed() || Boolean(state.q?.trim()) || state.sort || state.columns || state.judge || lacking().length > 0);

const sayNotAll = () => {
  $("said").textContent = "Not all rows could be loaded: nothing was sorted, filtered or saved";
};

/* Does what needs all rows, once they are here. */
const withAll = (act) => {
  const wasPart = !isWhole();
  return whole().then(() => {
    if (wasPart) draw({ keepsPlace: true });
    return act?.();
  }, sayNotAll);
};

/* Waits until what the state asks for is here, or could not be loaded. */
const asked = (judges) =>
  Promise.allSettled([lacksRows() && whole(), lacking().length && further(), judges && judging(), lacksFound() && findRows()]);

/* Draws, as soon as the rows, columns and the script that the state names are there, or could not be loaded. Without all
   rows that it asks for, the table stays as it was. */
const show = (options) => {
  const judges = state.judge && !window.sitegenJudge;
  if (!lacking().length && !judges && !lacksRows() && !lacksFound()) {
    box.ariaBusy = null;
    return draw(options);
  }
  const wanted = state;
  box.ariaBusy = "true";
  const pause = setTimeout(() => {
    if (isWhole()) $("said").textContent = "Loading columns";
  }, 300);
  return asked(judges).then(() => {
    clearTimeout(pause);
    if (wanted !== state) return; // a later step draws
    box.ariaBusy = null;
    if (lacksRows()) return sayNotAll();
    draw(options);
    sayLacking();
  });
};

/* How high a row is, once some are drawn. */
const measure = () => {
  const rows = [...body.querySelectorAll("[data-nth]")];
  if (!rows.length) return;
  const height = (rows.at(-1).getBoundingClientRect().bottom - rows[0].getBoundingClientRect().top) / rows.length;
  if (height === heights.row) return;
  heights.row = height;
  if (!isWindowed) return;
  const spaces = [...body.querySelectorAll(".space")];
  [space(first), space(positions.length - last)].forEach((each, at) => spaces[at]?.replaceWith(each));
  scrolled();
};

/* Takes a step: it stands in the address, and Back undoes it unless it replaces the one before. */
const change = (changes, isReplaced = false) => {
  const merged = fragment({ ...state, ...changes });
  if (merged === fragment(state)) return;
  if (!isReplaced) history.replaceState({ ...history.state, top: box.scrollTop }, "");
  history[isReplaced ? "replaceState" : "pushState"](null, "", merged ? `#${merged}` : location.href.split("#")[0]);
  state = readState();
  return show({ keepsPlace: Object.keys(changes).every((key) => key === "columns") });
};
