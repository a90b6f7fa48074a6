/* The table of runs: sorted, filtered, its columns chosen, exported. The rows come as columns from a script, those that
   nobody sees at first from a further one, and the state of the table is the fragment of the address, so that a view can
   be sent and Back undoes a step. Until the rows are there, and if they never come, the plain table stands. */
"use strict";
(() => {
  const table = document.getElementById("run-table");
  if (!table || !table.dataset.rows) return;
  const $ = (id) => document.getElementById(id), { copy, csvCell, load, make, painted, save } = window.sitegen;
  const controls = document.querySelectorAll(".controls");
  const { root } = table.dataset, box = table.closest(".scroll"), body = table.tBodies[0];
  const WHOLE = 200;  // rows that are drawn all at once; of more, those in sight and AROUND them
  const AROUND = 20;
  const FIRST = 60;  // rows that are drawn before it is known how high a row is
  const OFFERED = 8;  // names of a facet, beside those that are chosen
  const COPIED = 1000;  // rows of markdown
  const FACETS = ["task", "model", "status", "outcome", "campaign", "labels"];
  const EXPORTED = [
    "campaign", "task", "model", "attempt", "status", "status_detail", "cost_usd", "input_tokens", "cache_write_tokens",
    "cache_read_tokens", "output_tokens", "total_tokens", "wall_ms", "api_ms", "turns", "denials", "outcome", "scores",
    "labels", "started_at",
  ];

  /* --- The state: the fragment --- */

  const NUMBER = String.raw`(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)?`, RANGE = new RegExp(`^${NUMBER}\\.\\.${NUMBER}$`);
  const readState = () => {
    const given = new URLSearchParams(location.hash.slice(1)), state = Object.create(null);
    for (const key of new Set(given.keys())) {
      const values = given.getAll(key), value = values.at(-1), range = RANGE.exec(value);
      if (FACETS.includes(key)) state[key] = values;
      else if (key === "sort" || key === "columns") state[key] = value.split(",").filter(Boolean);
      else if (range && key !== "q") state[key] = [range[1], range[2]].map((side) => (side ? Number(side) : null));
      else state[key] = value;
    }
    return state;
  };
  const fragment = (state) => {
    const written = new URLSearchParams();
    for (const [key, value] of Object.entries(state)) {
      if (!Array.isArray(value)) { if (value || value === 0) written.set(key, value); }
      else if (key === "sort" || key === "columns") { if (value.length) written.set(key, value.join(",")); }
      else if (value.some((side) => typeof side === "number")) written.set(key, value.map((side) => side ?? "").join(".."));
      else for (const each of value) if (each !== null) written.append(key, each);
    }
    return written.toString().replaceAll("%2C", ",");
  };
  let state = readState(), isTyping = false;

  /* --- The rows --- */

  const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");
  const plural = (number) => `${grouped(String(number))} run${number === 1 ? "" : "s"}`;
  const figure = (column, value) => {
    if (value === null) return "–";
    if (column.clock) {
      const seconds = Math.round(value / 1000);
      if (value && !seconds) return "<0:01";
      return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    }
    const size = Math.abs(value / column.divisor), zeros = (0).toFixed(column.decimals).slice(1), sign = value < 0 ? "−" : "";
    const fixed = size < 1e21 ? size.toFixed(column.decimals) : BigInt(size) + zeros;  // there, toFixed writes an exponent
    if (value && !Number(fixed)) return `${sign}<${(10 ** -column.decimals).toFixed(column.decimals)}`;
    const [whole, part] = fixed.split(".");
    return sign + grouped(whole) + (part ? `.${part}` : "");
  };
  const asWritten = (column, value) => {  // the number that a reader sees
    const [unit, steps] = column.clock ? [1000, 1] : [column.divisor, 10 ** column.decimals];
    return Number((Math.round((value / unit) * steps) / steps * unit).toPrecision(15));
  };

  let ids, columns, byKey, costly, schema, version;
  const mapped = (type, values, of) => {  // many times as fast as type.from
    const made = new type(values.length);
    for (let i = 0; i < made.length; i++) made[i] = of(values[i], i);
    return made;
  };
  /* Some properties that are made when one of them is first asked for. */
  const lazily = (object, keys, made) => {
    for (const key of keys) {
      Object.defineProperty(object, key, { configurable: true, get: () => {
        for (const [each, value] of Object.entries(made())) Object.defineProperty(object, each, { value });
        return object[key];
      } });
    }
  };
  const decode = (given) => {
    ({ schema, columns } = JSON.parse(given.head));
    ({ version } = given);
    ids = [];
    for (const group of JSON.parse(given.ids)) {
      const [stem, ...rests] = group.split(" ");
      for (const rest of rests) ids.push(stem + rest);
    }
    byKey = new Map(columns.map((column) => [column.key, column]));
    for (const column of columns) {
      const { parts } = column;
      column.isFigure = Boolean(parts || column.clock || column.divisor);
      column.value = (i) => column.values[i];
      if (column.isFigure) {
        column.text = (i) => figure(column, column.values[i]) + (column.bounds.has(i) && column.values[i] !== null ? "+" : "");
      }
      if (parts) {
        lazily(column, ["values", "bounds", "known"], () => addUp(column));
        column.value = (i) => (column.known[i] < parts.length ? null : column.values[i]);  // as data/runs.json has it
      } else if (given[column.key]) unpack(column, given[column.key]);
    }
    const name = byKey.get("name"), task = byKey.get("task"), attempt = byKey.get("attempt");
    name.text = (i) => {
      const title = name.values?.[i], number = attempt ? attempt.values[i] : null;
      return title ?? (number === null ? task.value(i) : `${task.value(i)} ${number}`);
    };
    const start = byKey.get("started_at");
    if (start) start.text = (i) => (start.values[i] ?? "–").slice(0, 16).replace("T", " ");
    costly = byKey.get("cost_usd").values.reduce((most, value) => Math.max(most, value ?? 0), 0);
  };
  /* The values of a column are a text of their own: most columns are asked for late or never. */
  const unpack = (column, text) => {
    if (column.names) decodeNames(column, JSON.parse(text));
    else if (!column.isFigure) lazily(column, ["values"], () => ({ values: JSON.parse(text) }));
    else {
      lazily(column, ["values", "bounds"], () => {
        const [values, bounds] = JSON.parse(text);
        return { values, bounds: new Set(bounds) };
      });
    }
  };
  let coming;
  /* The values of the columns that nobody sees at first. After a failure, they are asked for again. */
  const further = () => coming ??= (async () => {
    if (!table.dataset.further) return;
    try {
      await load(table.dataset.further);
      const given = window.sitegenFurtherRows;
      if (given.version !== version) throw new Error("the rows are of two builds");
      for (const column of columns.filter((each) => each.further)) {
        unpack(column, given[column.key]);
        column.further = false;
      }
    } catch (error) {
      coming = null;
      throw error;
    }
  })();
  const isHere = (column) => (column.parts ?? [column.key]).every((key) => !byKey.get(key)?.further);
  /* The columns that the state names and whose values are not here. */
  const lacking = () => [...new Set([...(state.sort || []).map(keyOf), ...(state.columns || []), ...Object.keys(state)])]
    .map((key) => byKey.get(key)).filter((column) => column && !isHere(column));
  /* A column of names: `codes` of the rows, and for each code its `texts` and the positions of its names, `sets`. */
  const decodeNames = (column, codes) => {
    const { names, looks } = column, none = names.length, words = looks && column.key !== "model";
    column.codes = new Uint32Array(codes);
    column.texts = column.sets ? column.sets.map((set) => set.map((at) => names[at]).join(", ") || null)
      : [...names.map((name, at) => (words ? looks[at][0] : name)), null];
    column.value = column.sets ? (i) => column.sets[column.codes[i]].map((at) => names[at])
      : (i) => names[column.codes[i]] ?? null;
    column.positions = column.sets ? column.sets.map((set) => (set.length ? set : [none])) : column.texts.map((_, at) => [at]);
    const detail = column.key === "status" && byKey.get("status_detail");
    column.text = (i) => {
      const why = detail && detail.value(i);
      return (column.texts[column.codes[i]] ?? "–") + (why ? `, ${why}` : "");
    };
  };
  const addUp = (column) => {
    const parts = column.parts.map((key) => byKey.get(key)?.values), known = new Uint8Array(ids.length), bounds = new Set();
    const sums = ids.map((_, i) => {
      let sum = 0;
      for (const values of parts) if (values && values[i] !== null) { sum += values[i]; known[i]++; }
      if (known[i] < parts.length) bounds.add(i);
      return known[i] ? sum : null;
    });
    for (const key of column.parts) for (const i of byKey.get(key)?.bounds || []) bounds.add(i);
    return { values: sums, bounds, known };
  };
  /* What other scripts get: the values of data/runs.json, a column made when it is first asked for. */
  const exposed = () => {
    const made = {};
    for (const { key, value } of columns.filter(isHere)) {
      let values;
      if (key !== "name") Object.defineProperty(made, key, { enumerable: true, get: () => (values ??= ids.map((_, i) => value(i))) });
    }
    return { ids, columns: made };
  };

  /* --- Order --- */

  /* Ranks are dense and known once for each column, so that sorting, also by several, is sorting of numbers. */
  const rankNumbers = (values) => {
    const known = Float64Array.from(values.filter((value) => value !== null)).sort();
    let count = 0;
    for (let i = 0; i < known.length; i++) if (!i || known[i] !== known[i - 1]) known[count++] = known[i];
    const ranks = mapped(Int32Array, values, (value) => {
      if (value === null) return -1;
      let low = 0, high = count - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (known[middle] < value) low = middle + 1;
        else high = middle;
      }
      return low;
    });
    return { ranks, count };
  };
  /* A key by which texts stand in the order of natural_order in names.py: numbers by their size, letters by their code
     points, also where UTF-16 has two units for one, and what is equal so far by the text itself. */
  const natural = (text) => {
    const inPoints = text.replace(/[\ud800-\uffff]/g, (unit) => String.fromCharCode(unit.charCodeAt() + (unit < "\ue000" ? 0x2000 : -0x800)));
    const key = inPoints.replace(/\d+/g, (digits) => {
      const size = digits.replace(/^0+/, "");
      return `\0${String.fromCharCode(size.length + 1)}${size}`;
    });
    return `${key}\0\0${inPoints}`;
  };
  const rankTexts = (texts) => {
    const keys = texts.map((text) => text && natural(text)), known = [...new Set(keys.filter(Boolean))].sort();
    const at = new Map(known.map((key, rank) => [key, rank]));
    return { ranks: mapped(Int32Array, keys, (key) => at.get(key) ?? -1), count: known.length };
  };
  const ranked = (column) => {
    if (column.rank) return column.rank;
    if (column.codes) {
      const { ranks, count } = column.sets ? rankTexts(column.texts)  // else names are listed in their order
        : { ranks: column.texts.map((text, at) => (text === null ? -1 : at)), count: column.texts.length };
      column.rank = { ranks: mapped(Int32Array, column.codes, (code) => ranks[code]), count };
    } else if (column.isFigure) column.rank = rankNumbers(column.values);
    else column.rank = rankTexts(column.key === "name" ? ids.map((_, i) => column.text(i)) : column.values);
    return column.rank;
  };
  const keyOf = (sort) => sort.replace(/^-/, "");
  const isDescending = (sort) => sort.startsWith("-");
  const isOffered = (column) => Boolean(column?.label) && isHere(column);
  const sortsOf = (shown) => (shown.sort || []).filter((sort) => isOffered(byKey.get(keyOf(sort))));
  let ordered = { by: null, order: null };
  /* All rows in the order of the sorts. Unknown values stay last in both directions; equal ones keep their order. */
  const inOrder = (sorts) => {
    if (ordered.by === sorts.join()) return ordered.order;
    let order = mapped(Uint32Array, ids, (_, i) => i);
    for (const sort of [...sorts].reverse()) {  // by counting, which keeps the order of equal ones: the last sort first
      const { ranks, count } = ranked(byKey.get(keyOf(sort))), down = isDescending(sort);
      const places = mapped(Uint32Array, ranks, (rank) => (rank < 0 ? count : down ? count - 1 - rank : rank));
      const starts = new Uint32Array(count + 2), next = new Uint32Array(order.length);
      for (let i = 0; i < places.length; i++) starts[places[i] + 1]++;
      for (let place = 1; place < starts.length; place++) starts[place] += starts[place - 1];
      for (let i = 0; i < order.length; i++) next[starts[places[order[i]]]++] = order[i];
      order = next;
    }
    ordered = { by: sorts.join(), order };
    return order;
  };

  /* --- Filters --- */

  const TEXTS = ["task", "model", "status", "status_detail", "outcome", "campaign", "labels"];
  const OUT = 255;
  let lowerNames;
  /* For each word a function that marks the rows that have it nowhere. */
  const byText = (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) lowerNames ??= ids.map((_, i) => byKey.get("name").text(i).toLowerCase());
    return words.map((word) => (failed) => {
      const has = new Uint8Array(ids.length);
      for (const { codes, texts } of TEXTS.map((key) => byKey.get(key)).filter(Boolean)) {
        const hits = texts.map((each) => each !== null && each.toLowerCase().includes(word));
        if (hits.includes(true)) for (let i = 0; i < has.length; i++) if (hits[codes[i]]) has[i] = 1;
      }
      for (let i = 0; i < has.length; i++) if (!has[i] && !lowerNames[i].includes(word)) failed[i] = OUT;
    });
  };
  const rangesOf = (shown) => Object.entries(shown)
    .filter(([key, value]) => byKey.get(key)?.isFigure && isHere(byKey.get(key)) && Array.isArray(value)
      && value.some((side) => side !== null));
  const byRange = ([key, [low, high]]) => (failed) => {
    const column = byKey.get(key), { values } = column, [from, to] = [low ?? -Infinity, high ?? Infinity];
    const step = column.clock ? 1000 : column.divisor / 10 ** column.decimals;  // further off, no rounding brings it in
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value >= from && value <= to && value !== null) continue;
      const written = value !== null && value > from - step && value < to + step ? asWritten(column, value) : NaN;
      if (!(written >= from && written <= to)) failed[i] = OUT;
    }
  };
  const chosenOf = (column) => state[column.key].map((name) => (name === "" ? column.names.length : column.names.indexOf(name)));
  /* The positions that pass, and for each facet how many rows its names have among those that pass all else. */
  const select = () => {
    const order = inOrder(sortsOf(state)), facets = FACETS.map((key) => byKey.get(key)).filter(Boolean);
    const failed = new Uint8Array(ids.length);  // 0 where a row passes, n where it fails the nth facet and nothing else
    for (const test of [...byText(state.q || ""), ...rangesOf(state).map(byRange)]) test(failed);
    facets.forEach((column, at) => {
      if (!state[column.key]) return;
      const chosen = new Set(chosenOf(column)), hits = column.positions.map((set) => set.some((each) => chosen.has(each)));
      const { codes } = column;
      for (let i = 0; i < failed.length; i++) if (!hits[codes[i]]) failed[i] = failed[i] ? OUT : at + 1;
    });
    const counts = new Map(facets.map((column, at) => {
      const { codes } = column, rows = new Uint32Array(column.positions.length), names = new Uint32Array(column.names.length + 1);
      for (let i = 0; i < failed.length; i++) if (!failed[i] || failed[i] === at + 1) rows[codes[i]]++;
      rows.forEach((number, code) => { for (const each of column.positions[code]) names[each] += number; });
      return [column.key, names];
    }));
    const passing = new Uint32Array(order.length);
    let passed = 0;
    for (let nth = 0; nth < order.length; nth++) if (!failed[order[nth]]) passing[passed++] = order[nth];
    return { positions: passing.subarray(0, passed), counts };
  };

  /* --- Cells --- */

  const drawn = (tag, attributes, ...content) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...content);
    return made;
  };
  /* Marks what a run says, as the templates do. */
  const ofRun = (made) => {
    made.dataset.untrusted = "";
    return made;
  };
  const signed = (column, i, text) => {
    const look = column.looks[column.codes[i]];
    if (!look) return make("td", "", "–");
    const sign = drawn("svg", { class: "sign", width: 13, height: 13, viewBox: "0 0 13 13", "aria-hidden": "true" },
      drawn("use", { href: `#i-${look[1]}` }));
    return make("td", "", make("span", `state ${look[2]}`, sign, ofRun(make("span", "", text))));
  };
  const titles = new Map([...body.querySelectorAll("a[title]")].map((link) => [link.getAttribute("href"), link.title]));
  const cell = (column, i) => {
    const text = column.text(i);
    if (column.key === "name") {
      const link = make("a", "", text), head = ofRun(make("th", "", link));
      link.href = `${root}runs/${ids[i]}.html`;
      if (isWindowed) link.tabIndex = -1;  // Tab would never come to the end of them; the arrows lead from row to row
      const title = titles.get(link.getAttribute("href")) || (box.classList.contains("long") && text);
      if (title) link.title = title;
      head.scope = "row";
      return head;
    }
    if (column.key === "model") {
      const look = column.looks[column.codes[i]];
      return ofRun(make("td", "", make("span", look ? `key m-${look[0]}` : "key"), text));
    }
    if (column.looks) return signed(column, i, text);
    return column.isFigure ? make("td", "n", text) : ofRun(make("td", "", text));
  };
  const bar = (value) => make("td", "mark", drawn("svg", { class: "mini", "aria-hidden": "true" },
    drawn("rect", { class: "soft", width: `${(100 * (value ?? 0)) / costly}%`, height: "100%" })));
  const row = (i) => {
    const made = make("tr");
    for (const column of shownColumns) {
      made.append(cell(column, i));
      if (column.key === "cost_usd" && costly) made.append(bar(column.values[i]));
    }
    return made;
  };
  /* A row that is not seen and as wide as the widest cell of each column: widths stay when rows change. */
  const widest = () => {
    const made = make("tr", "widest");
    made.setAttribute("aria-hidden", "true");
    for (const column of shownColumns) {
      made.append((column.widest ??= cellOfMost(column)).cloneNode(true));
      if (column.key === "cost_usd" && costly) made.append(bar(0));
    }
    for (const link of made.querySelectorAll("a")) link.replaceWith(link.textContent);
    return made;
  };
  const cellOfMost = (column) => {
    const { most } = column;
    if (!column.isFigure) return cell(column, most);
    return make("td", "n", figure(column, column.values[most]) + (column.bounds.size ? "+" : ""));
  };

  /* --- Drawing --- */

  let shownColumns, positions, isWindowed = false, first = 0, last = 0, isPrinting = false;
  const heights = { row: 0 };
  const space = (rows) => {
    const made = make("tr", "space", make("td"));
    made.setAttribute("aria-hidden", "true");
    made.firstChild.colSpan = shownColumns.length + 1;
    made.firstChild.style.height = `${rows * heights.row}px`;
    return made;
  };
  const note = (text) => {
    const made = make("tr", "", make("td", "muted", text));
    made.firstChild.colSpan = shownColumns.length + 1;
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
  const inSight = () => {
    if (isPrinting) return [0, Math.min(WHOLE, positions.length)];
    if (!isWindowed) return [0, positions.length];
    if (!heights.row) return [0, FIRST];
    const top = Math.max(Math.floor(box.scrollTop / heights.row) - AROUND, 0);
    const rows = Math.ceil(box.clientHeight / heights.row) + 2 * AROUND;
    return [Math.min(top, Math.max(positions.length - rows, 0)), Math.min(top + rows, positions.length)];
  };
  const drawRows = () => {
    const focused = isFocused(body) && document.activeElement.closest("tr").dataset.nth;
    [first, last] = inSight();
    const rows = [];
    for (let nth = first; nth < last; nth++) rows.push(numbered(nth));
    if (!rows.length) rows.push(note("No run passes these filters."));
    if (isWindowed) rows.unshift(space(first));
    if (isPrinting && isWindowed) rows.push(note(`and ${plural(positions.length - last)} more`));
    else if (isWindowed) rows.push(space(positions.length - last));
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
    const above = [], below = [];
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

  const heads = new Map();
  const head = (column) => {
    const sorts = sortsOf(state), nth = sorts.findIndex((sort) => keyOf(sort) === column.key);
    if (!heads.has(column.key)) {
      const made = make("th", column.isFigure ? "n" : "", make("button", "", ""));
      made.scope = "col";
      made.firstChild.addEventListener("click", (event) => sortBy(column, event.shiftKey));
      heads.set(column.key, made);
    }
    const made = heads.get(column.key), direction = nth < 0 ? "" : isDescending(sorts[nth]) ? "descending" : "ascending";
    made.removeAttribute("aria-sort");
    if (nth === 0) made.setAttribute("aria-sort", direction);
    made.firstChild.replaceChildren(column.label);
    if (nth >= 0) {
      made.firstChild.append(drawn("svg", { class: "arrow", "aria-hidden": "true" }, drawn("use", { href: `#i-${direction === "descending" ? "down" : "up"}` })));
      if (sorts.length > 1) made.firstChild.append(make("small", "", String(nth + 1)));
      if (nth > 0) made.firstChild.append(make("span", "off", `, ${direction}`));
    }
    return made;
  };
  const sortBy = (column, isFurther) => {
    const sorts = sortsOf(state), { key } = column, nth = sorts.findIndex((sort) => keyOf(sort) === key);
    const turns = column.isFigure ? [`-${key}`, key] : [key, `-${key}`];  // of figures, the largest are asked for first
    const next = nth < 0 ? turns[0] : sorts[nth] === turns[0] ? turns[1] : null;
    const others = isFurther ? sorts : [];
    if (nth >= 0 && isFurther) others.splice(nth, 1, ...(next ? [next] : []));
    else if (next) others.push(next);
    change({ sort: others });
  };

  /* Sums without the error of adding floats one by one (Neumaier). Unknown adds nothing and makes a lower bound. */
  const total = (column) => {
    if (column.key === "attempt" || column.score) return "";
    let sum = 0, lost = 0, known = 0, missing = 0;
    const { values, bounds } = column;
    for (let nth = 0; nth < positions.length; nth++) {
      const value = values[positions[nth]];
      if (value === null || (bounds.size && bounds.has(positions[nth]))) missing++;
      if (value === null) continue;
      const next = sum + value;
      lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
      sum = next;
      known++;
    }
    return figure(column, known ? sum + lost : null) + (known && missing ? "+" : "");
  };
  const completed = () => {
    const status = byKey.get("status"), ok = status.names.indexOf("ok");
    return `${positions.reduce((sum, i) => sum + (status.codes[i] === ok), 0)} completed`;
  };
  const passed = () => {  // runs that their surroundings ended are judged by nobody; see success.py
    const outcome = byKey.get("outcome"), status = byKey.get("status"), turns = byKey.get("turns").values;
    const isJudged = [...outcome.names.map((name) => name !== "error"), false], pass = outcome.names.indexOf("pass");
    const isCut = status.names.map((name) => name === "stopped" || name === "interrupted");
    let passing = 0, judged = 0;
    for (let nth = 0; nth < positions.length; nth++) {
      const i = positions[nth], verdict = outcome.codes[i];
      if (!isJudged[verdict] || turns[i] === 0 || isCut[status.codes[i]]) continue;
      judged++;
      if (verdict === pass) passing++;
    }
    return judged ? `${passing} of ${judged} pass` : "";
  };
  const counted = () => (positions.length === ids.length ? plural(ids.length)
    : `${grouped(String(positions.length))} of ${plural(ids.length)}`);
  let isFootOf = "";  // the plain table has the foot of all runs
  const drawFoot = () => {
    const filters = fragment({ ...state, sort: null });
    if (filters === isFootOf) return;  // a sort changes no sum
    isFootOf = filters;
    const made = make("tr");
    for (const column of shownColumns) {
      if (column.key === "name") made.append(make("th", "", counted()));
      else if (column.key === "status") made.append(make("td", "muted", completed()));
      else if (column.key === "outcome") made.append(make("td", "muted", passed()));
      else made.append(column.isFigure ? make("td", "n", total(column)) : make("td"));
      if (column.key === "cost_usd" && costly) made.append(make("td"));
    }
    made.firstChild.scope = "row";
    table.tFoot.replaceChildren(made);
  };

  const isNarrowed = () => rangesOf(state).length > 0 || Boolean(state.q?.trim()) || FACETS.some((key) => state[key] && byKey.has(key));
  const facetBoxes = [...document.querySelectorAll("[data-facet]")];
  const usual = new Map(facetBoxes.map((facet) => [facet, [...facet.querySelectorAll("button")].map(({ value }) => value)]));
  const drawFacet = (facet, counts) => {
    const column = byKey.get(facet.dataset.facet), chosen = state[column.key] || [], find = facet.querySelector("input");
    const sought = find && find.value.trim().toLowerCase();
    const found = sought ? column.names.filter((name) => name.toLowerCase().includes(sought)).slice(0, OFFERED) : usual.get(facet);
    const buttons = new Map([...facet.querySelectorAll("button")].map((each) => [each.value, each]));
    const wanted = new Set([...found, ...chosen, ...[...buttons.values()].filter(isFocused).map(({ value }) => value)]);
    for (const [value, each] of buttons) if (!wanted.has(value)) each.remove();
    let before = facet.querySelector(".what");
    for (const value of wanted) {
      const at = value === "" ? column.names.length : column.names.indexOf(value);
      const text = value === "" ? column.none : (column.sets ? column.names : column.texts)[at] ?? value;
      const each = buttons.get(value) || make("button", "", make("span", "", text), " ", make("small"));
      each.value = value;
      if (!buttons.has(value) && column.key === "model" && column.looks[at]) each.prepend(make("span", `key m-${column.looks[at][0]}`));
      each.setAttribute("aria-pressed", chosen.includes(value));
      const number = at < 0 ? 0 : counts.get(column.key)[at];
      each.lastElementChild.textContent = grouped(String(number));
      each.classList.toggle("zero", !number);
      if (before.nextElementSibling !== each) before.after(each);
      before = each;
    }
  };
  const bound = (column, value) => (column.clock ? figure(column, value) : String(value / column.divisor));
  const drawRanges = (isHistory) => {
    const shown = new Map(rangesOf(state));
    for (const facet of document.querySelectorAll("[data-range]")) {
      const { range: key } = facet.dataset, [low, high] = shown.get(key) || [null, null];
      shown.delete(key);
      facet.querySelectorAll("input").forEach((input, side) => {
        if (isFocused(input) && !isHistory) return;
        const value = side ? high : low;
        input.value = value === null ? "" : bound(byKey.get(key), value);
        input.removeAttribute("aria-invalid");
      });
    }
    const chips = [...shown].map(([key, [low, high]]) => {
      const column = byKey.get(key), sides = [low === null ? "" : ` from ${bound(column, low)}`, high === null ? "" : ` to ${bound(column, high)}`];
      const made = make("button", "", `${column.label}${sides.join("")} `, make("span", "", "×"));
      made.setAttribute("aria-label", `Remove: ${column.label}${sides.join("")}`);
      made.addEventListener("click", () => { change({ [key]: null }); $("filter").focus(); });
      return made;
    });
    $("further").replaceChildren(...chips);
  };

  const draw = ({ isHistory = false, keepsPlace = isHistory } = {}) => {
    const keys = state.columns?.some((key) => isOffered(byKey.get(key))) && new Set(["name", ...state.columns]);
    shownColumns = columns.filter((column) => isOffered(column) && (keys ? keys.has(column.key) : column.shown));
    const selected = select();
    ({ positions } = selected);
    isWindowed = positions.length > WHOLE;
    table.setAttribute("aria-rowcount", positions.length + 2);
    if (!keepsPlace) box.scrollTop = 0;
    const focused = document.activeElement;
    table.tHead.rows[0].replaceChildren(...shownColumns.flatMap((column) => [head(column), ...(column.key === "cost_usd" && costly ? [make("td")] : [])]));
    drawRows();
    drawFoot();
    measure();
    for (const facet of facetBoxes) drawFacet(facet, selected.counts);
    drawRanges(isHistory);
    if ($("filter").value !== (state.q || "")) $("filter").value = state.q || "";
    $("count").textContent = counted();
    $("said").textContent = "";
    $("clear").hidden = !isNarrowed();
    for (const check of $("columns").querySelectorAll("input")) check.checked = shownColumns.some(({ key }) => key === check.value);
    if (focused !== document.activeElement && document.activeElement === document.body) (focused.isConnected && focused.checkVisibility() ? focused : box).focus({ preventScroll: true });
    document.dispatchEvent(new CustomEvent("sitegen:shown", { detail: { positions, total: ids.length } }));
  };
  const sayLacking = () => {
    const labels = lacking().map(({ label }) => label);
    if (!labels.length) return;
    isFootOf = null;  // of fewer columns than the state names
    $("said").textContent = `Not loaded, and left out: ${labels.join("; ")}`;
  };
  /* Draws, as soon as the columns that the state names are there, or could not be loaded. */
  const show = (options) => {
    if (!lacking().length) return draw(options);
    const asked = state, pause = setTimeout(() => { $("said").textContent = "Loading columns"; }, 300);
    return further().catch(() => {}).then(() => {
      clearTimeout(pause);
      if (asked !== state) return;  // a later step draws
      draw(options);
      sayLacking();
    });
  };
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

  const change = (changes, isReplaced = false) => {
    const merged = fragment({ ...state, ...changes });
    if (merged === fragment(state)) return;
    history[isReplaced ? "replaceState" : "pushState"](null, "", merged ? `#${merged}` : location.href.split("#")[0]);
    state = readState();
    return show({ keepsPlace: Object.keys(changes).every((key) => key === "columns") });
  };

  /* --- Exports --- */

  const csvValue = (value) => {
    if (value !== null && typeof value === "object" && !Array.isArray(value)) value = Object.entries(value).map((each) => each.join("="));
    const text = value === null ? "" : Array.isArray(value) ? value.join(";") : String(value);
    return csvCell(text, typeof value === "number");
  };
  const record = (i) => {
    const made = { id: ids[i], page: `runs/${ids[i]}.html` };
    for (const key of EXPORTED) made[key] = byKey.has(key) ? byKey.get(key).value(i) : key === "labels" ? [] : null;
    const scores = columns.filter(({ score, values }) => score && values[i] !== null);
    made.scores = Object.fromEntries(scores.map(({ score, values }) => [score, values[i]]));
    return made;
  };
  const saved = (name, type, text) => {
    save(name, new Blob([text], { type }));
    $("said").textContent = `${plural(positions.length)} saved as ${name}`;
  };
  const markdown = () => {
    const plain = (text) => text.replace(/[\x00-\x1f\x7f]+/g, " ").replace(/[\\`*_{}[\]()#!|~$@<>&]|:(?=\/\/)|(?<=www)\./gi, "\\$&");
    const line = (cells) => `| ${cells.join(" | ")} |`;
    const rows = [...positions.subarray(0, COPIED)].map((i) => line(shownColumns.map((column) => plain(column.text(i)))));
    const foot = [...table.tFoot.rows[0].children].filter((_, at) => table.tHead.rows[0].children[at].tagName === "TH");
    return [
      line(shownColumns.map(({ label }) => plain(label))), line(shownColumns.map(({ isFigure }) => (isFigure ? "--:" : "---"))),
      ...rows, line(foot.map(({ textContent }) => plain(textContent))), "",
    ].join("\n");
  };
  const EXPORTS = {
    csv: () => {
      const records = Array.from(positions, record), names = ["id", "page", ...EXPORTED];
      saved("runs.csv", "text/csv", `${[names, ...records.map(Object.values)].map((cells) => cells.map(csvValue).join()).join("\n")}\n`);
    },
    json: () => {
      const lines = Array.from(positions, (i) => JSON.stringify(record(i)));
      saved("runs.json", "application/json", `{"schema": ${schema}, "runs": [\n${lines.join(",\n")}\n]}\n`);
    },
    markdown: async () => {
      const cut = positions.length > COPIED ? `The first ${grouped(String(COPIED))} of ` : "";
      $("said").textContent = (await copy(markdown())) ? `${cut}${plural(positions.length)} copied as markdown` : "The browser refused to copy";
    },
  };

  /* --- Controls --- */

  const menu = (opener, panel) => {
    const show = (isOpen) => {
      panel.hidden = !isOpen;
      opener.setAttribute("aria-expanded", isOpen);
    };
    opener.addEventListener("click", () => show(panel.hidden));
    document.addEventListener("click", ({ target }) => { if (!panel.contains(target) && !opener.contains(target)) show(false); });
    for (const each of [opener, panel]) {
      each.addEventListener("keydown", ({ key }) => {
        if (key !== "Escape" || panel.hidden) return;
        show(false);
        opener.focus();
      });
      each.addEventListener("focusout", ({ relatedTarget: to }) => { if (to && !panel.contains(to) && to !== opener) show(false); });
    }
    return () => { show(false); opener.focus(); };
  };
  const wake = () => {
    const filter = $("filter"), facets = $("facets"), help = $("help");
    let pause;
    filter.addEventListener("input", () => {
      change({ q: filter.value }, isTyping);
      isTyping = true;
      clearTimeout(pause);
      pause = setTimeout(() => { isTyping = false; }, 1000);  // one step of history for what is typed at once
    });
    filter.addEventListener("keydown", (event) => {
      if (event.isComposing) return;  // keys of an input method
      if (event.key === "Escape" && filter.value) change({ q: null });
      else if (event.key === "ArrowDown") toRow(0);
      else return;
      event.preventDefault();
    });
    $("clear").addEventListener("click", () => {
      change(Object.fromEntries(["q", ...FACETS, ...rangesOf(state).map(([key]) => key)].map((key) => [key, null])));
      filter.focus();
    });
    facets.addEventListener("click", ({ target }) => {
      const chip = target.closest("[data-facet] button");
      if (!chip) return;
      const { facet: key } = chip.closest("[data-facet]").dataset, chosen = state[key] || [];
      change({ [key]: chosen.includes(chip.value) ? chosen.filter((each) => each !== chip.value) : [...chosen, chip.value] });
    });
    facets.addEventListener("input", ({ target }) => {
      const range = target.closest("[data-range]");
      if (!range) return drawFacet(target.closest("[data-facet]"), select().counts);
      const column = byKey.get(range.dataset.range), sides = [...range.querySelectorAll("input")].map((input) => {
        const text = input.value.replace("$", "").trim(), isGrouped = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.|$)/.test(text);
        const plain = isGrouped ? text.replaceAll(",", "") : text.replace(",", ".");  // 1,500 is many, 0,5 is a half
        const parts = /^(\d+(?:\.\d*)?|\.\d+)(?::([0-5]?\d))?$/.exec(plain);
        const isWrong = Boolean(text) && (!parts || (parts[2] && !column.clock));
        input.setAttribute("aria-invalid", isWrong);
        if (!parts || isWrong) return null;
        return column.clock ? (Number(parts[1]) * 60 + Number(parts[2] || 0)) * 1000 : Number(parts[1]);
      });
      const before = state;
      change({ [column.key]: sides }, isTyping);
      isTyping ||= state !== before;  // what is no range yet made no step of history
    });
    facets.addEventListener("focusout", () => { isTyping = false; });
    facets.addEventListener("keydown", ({ key, target, isComposing }) => {
      if (key !== "Enter" || isComposing || target.type !== "search" || !target.value.trim()) return;
      const sought = target.value.trim().toLowerCase();
      [...target.closest("[data-facet]").querySelectorAll("button")].find(({ value }) => value.toLowerCase().includes(sought))?.click();
    });
    $("fold").addEventListener("click", () => $("fold").setAttribute("aria-expanded", facets.classList.toggle("is-open")));

    menu($("choose"), $("columns"));
    for (const { key, label } of columns) {
      if (!label || key === "name") continue;
      const check = make("input");
      check.type = "checkbox";
      check.value = key;
      $("columns").append(make("label", "", check, label));
    }
    $("columns").addEventListener("change", () => {
      const keys = [...$("columns").querySelectorAll(":checked")].map(({ value }) => value);
      const isUsual = columns.every(({ key, label, shown }) => !label || key === "name" || shown === keys.includes(key));
      change({ columns: isUsual ? null : ["name", ...keys] });
    });
    const closeExports = menu($("export"), $("exports"));
    $("exports").addEventListener("click", ({ target, isTrusted }) => {
      if (!EXPORTS[target.value] || !isTrusted) return;  // only a person saves a file
      closeExports();
      if (target.value === "markdown") EXPORTS.markdown();
      else further().then(EXPORTS[target.value], () => { $("said").textContent = "Nothing saved: not all columns could be loaded"; });
    });

    $("keys").addEventListener("click", () => help.showModal());
    help.querySelector("button").addEventListener("click", () => help.close());
    box.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], at = event.target.closest("[data-nth]");
      if (!step || event.target.closest("thead") || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (!at) toRow(firstInSight());
      else if (step < 0 && at.dataset.nth === "0") filter.focus();
      else toRow(Number(at.dataset.nth) + step);
    });
    new ResizeObserver(scrolled).observe(box);
    let isAwaited = false;
    box.addEventListener("scroll", () => {
      if (isAwaited) return;
      isAwaited = true;
      requestAnimationFrame(() => { isAwaited = false; scrolled(); });
    }, { passive: true });
    for (const [event, printing] of [["beforeprint", true], ["afterprint", false]]) {
      addEventListener(event, () => { isPrinting = printing; if (isWindowed) drawRows(); });
    }
    addEventListener("popstate", () => {
      if (location.hash.length > 1 && !location.hash.includes("=")) return;  // a place on the page, such as #runs
      state = readState();
      isTyping = false;
      show({ isHistory: true });
    });
    box.classList.add("awake");
    draw({ isHistory: true });
    sayLacking();
    const { top, nth } = history.state ?? {};  // where the reader was when a link led away
    if (top) {
      box.scrollTop = top;
      scrolled();
    }
    if (nth && document.activeElement === document.body) rowAt(nth)?.querySelector("a").focus({ preventScroll: true });
    document.addEventListener("click", ({ target }) => {
      const { nth: at } = document.activeElement.closest("[data-nth]")?.dataset ?? {};
      if (target.closest("a")) history.replaceState({ top: box.scrollTop, nth: at }, "");
    });
    document.querySelector(".pages").hidden = true;
    for (const each of controls) each.inert = false;
  };
  /* In idle time, what the first filter and sort would have to wait for, and then the further columns. */
  const prepare = async () => {
    const idly = window.requestIdleCallback || setTimeout;
    for (const step of [() => byText("a"), ...columns.filter(({ shown }) => shown).map((column) => () => ranked(column))]) {
      await new Promise(idly);
      step();
    }
    await new Promise(idly);
    await further().catch(() => {});
  };

  const ready = document.readyState === "complete" ? Promise.resolve()
    : new Promise((done) => { addEventListener("DOMContentLoaded", done); });
  const decoded = painted.then(() => load(table.dataset.rows)).then(() => decode(window.sitegenRows))
    .then(() => lacking().length && further().catch(() => {}));
  let hasFailed = false;
  const awake = Promise.all([decoded, ready]).then(wake);
  const rows = awake.then(prepare).then(exposed);
  rows.catch(() => {});
  awake.catch(() => {  // without rows, the plain table stands
    hasFailed = true;
    for (const each of controls) each.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog")) return;
    const act = { "/": () => $("filter").focus(), "?": () => $("help").showModal() }[event.key];
    if (!act || hasFailed) return;
    event.preventDefault();
    // A key that is pressed too early is not lost: without a table, it is the page's.
    awake.then(act, () => event.target.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true })));
  });
  window.sitegenTable = { filter: (changes) => awake.then(() => change(changes)), state: () => state, rows };
})();
