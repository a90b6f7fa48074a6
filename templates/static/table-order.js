/* In which order rows stand, and which pass the filters. */

/* Ranks are dense and known once for each column, so that sorting, also by several, is sorting of numbers. */
const rankNumbers = (values) => {
  const known = Float64Array.from(values.filter((value) => value !== null)).sort();
  let count = 0;
  for (let i = 0; i < known.length; i++) {
    if (!i || known[i] !== known[i - 1]) known[count++] = known[i];
  }
  const ranks = mapped(Int32Array, values, (value) => {
    if (value === null) return -1;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (known[middle] < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  });
  return { ranks, count };
};

/* A key by which texts stand in the order of natural_order in names.py: numbers by their size, letters in any case by
   their code points, also where UTF-16 has two units for one, and what is equal so far by the text itself. */
const inPoints = (text) =>
  text.replace(/[\ud800-\uffff]/g, (unit) =>
    String.fromCharCode(unit.charCodeAt() + (unit < "\ue000" ? 0x2000 : -0x800)),
  );

const natural = (text) => {
  const key = inPoints(text.toLowerCase()).replace(/\d+/g, (digits) => {
    const size = digits.replace(/^0+/, "");
    return `\0${String.fromCharCode(size.length + 1)}${size}`;
  });
  return `${key}\0\0${inPoints(text)}`;
};

const rankTexts = (texts) => {
  const keys = texts.map((text) => text && natural(text));
  const known = [...new Set(keys.filter(Boolean))].sort();
  const at = new Map(known.map((key, rank) => [key, rank]));
  return { ranks: mapped(Int32Array, keys, (key) => at.get(key) ?? -1), count: known.length };
};

/* Lower bounds may be larger than any exact figure, so they have ranks of their own behind those of the others. */
const rankFigures = ({ values, bounds }) => {
  if (!bounds.size) return rankNumbers(values);
  const exact = rankNumbers(values.map((value, i) => (bounds.has(i) ? null : value)));
  const open = rankNumbers(values.map((value, i) => (bounds.has(i) ? value : null)));
  const ranks = exact.ranks.map((rank, i) => (open.ranks[i] < 0 ? rank : exact.count + open.ranks[i]));
  return { ranks, count: exact.count + open.count, exact: exact.count };
};

const ranked = (column) => {
  if (column.rank) return column.rank;
  if (column.codes) {
    const { ranks, count } = column.sets
      ? rankTexts(column.texts) // else names are listed in their order
      : { ranks: column.texts.map((text, at) => (text === null ? -1 : at)), count: column.texts.length };
    column.rank = { ranks: mapped(Int32Array, column.codes, (code) => ranks[code]), count };
  } else if (column.isFigure) {
    column.rank = rankFigures(column);
  } else {
    column.rank = rankTexts(column.key === "name" ? ids.map((_, i) => column.text(i)) : column.values);
  }
  return column.rank;
};

const keyOf = (sort) => sort.replace(/^-/, "");
const isDescending = (sort) => sort.startsWith("-");
const isOffered = (column) => Boolean(column?.label) && isHere(column);
const sortsOf = (shown) => (shown.sort || []).filter((sort) => isOffered(byKey.get(keyOf(sort))));
let ordered = {};

/* All rows in the order of the sorts. Lower bounds and then unknown values stay last in both directions; equal ones keep
   their order. */
const inOrder = (sorts) => {
  if (ordered.by === sorts.join()) return ordered.order;
  let order = mapped(Uint32Array, ids, (_, i) => i);
  // Sorted by counting, which keeps the order of equal rows: so the last sort comes first.
  for (const sort of [...sorts].reverse()) {
    const { ranks, count, exact = count } = ranked(byKey.get(keyOf(sort)));
    const down = isDescending(sort);
    const places = new Uint32Array(order.length);
    const starts = new Uint32Array(count + 2);
    const next = new Uint32Array(order.length);
    for (let i = 0; i < places.length; i++) {
      const rank = ranks[i];
      const turned = rank < exact ? exact - 1 - rank : exact + count - 1 - rank;
      const place = rank < 0 ? count : down ? turned : rank;
      places[i] = place;
      starts[place + 1]++;
    }
    for (let place = 1; place < starts.length; place++) starts[place] += starts[place - 1];
    for (let i = 0; i < order.length; i++) next[starts[places[order[i]]]++] = order[i];
    order = next;
  }
  ordered = { by: sorts.join(), order };
  return order;
};

const OUT = 255; // of a row that fails for more than one facet

let found = {}; // the words `of` a filter, and a mark for each of the `rows` that have them, if it has any

/* Whether the rows that have the words of the filter are not known yet. */
const lacksFound = () => Boolean(state.q?.trim()) && found.of !== state.q;

const findRows = async () => {
  const of = state.q;
  await whole();
  if (!document.querySelector("[data-search]")) await further(); // the columns have all words
  const { query } = await more();
  found = { of, rows: await query(of) };
};

const byText = () => (found.of === state.q && found.rows ? [(failed) => {
  for (let i = 0; i < failed.length; i++) if (!found.rows[i]) failed[i] = OUT;
}] : []);

const rangesOf = (shown) =>
  Object.entries(shown).filter(
    ([key, value]) =>
      byKey.get(key)?.isFigure && isHere(byKey.get(key)) && Array.isArray(value) && value.some((side) => side !== null),
  );

const byRange =
  ([key, [low, high]]) =>
  (failed) => {
    const column = byKey.get(key);
    const { values, bounds } = column;
    if (low === "unknown") {
      for (let i = 0; i < values.length; i++) if (values[i] !== null && !bounds.has(i)) failed[i] = OUT;
      return;
    }
    const [from, to] = [low ?? -Infinity, high ?? Infinity];
    const step = column.clock ? 1000 : column.divisor / 10 ** column.decimals; // further off, no rounding brings it in
    for (let i = 0; i < values.length; i++) {
      const value = to < Infinity && bounds.has(i) ? null : values[i]; // nobody knows that a lower bound is so low
      if (value >= from && value <= to && value !== null) continue;
      const written = value !== null && value > from - step && value < to + step ? asWritten(column, value) : NaN;
      if (!(written >= from && written <= to)) failed[i] = OUT;
    }
  };

const chosenOf = (column) =>
  state[column.key].map((name) => (name === "" ? column.names.length : column.names.indexOf(name)));

/* The positions that pass, and for each facet how many rows its names have among those that pass all else. */
const select = () => {
  const order = inOrder(sortsOf(state));
  const facets = columns.filter((column) => column.isCategory && isHere(column));
  const failed = new Uint8Array(ids.length); // 0 where a row passes, n where it fails the nth facet and nothing else
  for (const test of [...byText(), ...rangesOf(state).map(byRange)]) test(failed);
  facets.forEach((column, at) => {
    if (!state[column.key]) return;
    const chosen = new Set(chosenOf(column));
    const hits = column.positions.map((set) => set.some((each) => chosen.has(each)));
    const { codes } = column;
    for (let i = 0; i < failed.length; i++) {
      if (!hits[codes[i]]) failed[i] = failed[i] ? OUT : at + 1;
    }
  });
  const counts = new Map(
    facets.map((column, at) => {
      const { codes } = column;
      const rows = new Uint32Array(column.positions.length);
      const names = new Uint32Array(column.names.length + 1);
      for (let i = 0; i < failed.length; i++) {
        if (!failed[i] || failed[i] === at + 1) rows[codes[i]]++;
      }
      rows.forEach((number, code) => {
        for (const each of column.positions[code]) names[each] += number;
      });
      return [column.key, names];
    }),
  );
  const passing = new Uint32Array(order.length);
  let passed = 0;
  for (let nth = 0; nth < order.length; nth++) {
    if (!failed[order[nth]]) passing[passed++] = order[nth];
  }
  return { positions: passing.subarray(0, passed), counts };
};
