/* The rows: columns of values, as the scripts of rows bring them, and how they are written. */

const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");
const plural = (number) => `${grouped(String(number))} run${number === 1 ? "" : "s"}`;

/* Digits of a number from zero up, rounded half up on the decimal that is meant, as figures.py does: 1.005 to 1.01. */
const decimal = (size, decimals) => {
  const [digits, exponent = "0"] = String(Number(size.toPrecision(15))).split("e");
  const [whole, part = ""] = digits.split(".");
  const shift = Number(exponent) + decimals - part.length;
  const power = 10n ** BigInt(Math.abs(shift));
  const exact = BigInt(whole + part);
  const text = String(shift < 0 ? (2n * exact + power) / (2n * power) : exact * power).padStart(decimals + 1, "0");
  return decimals ? `${text.slice(0, -decimals)}.${text.slice(-decimals)}` : text;
};

/* A figure as pages write it. */
const figure = (column, value) => {
  if (value === null) return "–";
  if (column.clock) {
    const seconds = Number(decimal(value / 1000, 0));
    if (value && !seconds) return "<0:01";
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
  const sign = value < 0 ? "−" : "";
  const fixed = decimal(Math.abs(value / column.divisor), column.decimals);
  if (value && !Number(fixed)) return `${sign ? ">−" : "<"}${decimal(10 ** -column.decimals, column.decimals)}`;
  const [whole, part] = fixed.split(".");
  return sign + grouped(whole) + (part ? `.${part}` : "");
};

/* A sum of times, from an hour on. */
const HOUR = 3600000;
const hours = (ms) => {
  const minutes = Number(decimal(ms / 60000, 0));
  return `${grouped(String(Math.floor(minutes / 60)))}\u202fh ${String(minutes % 60).padStart(2, "0")}`;
};

/* The number that a reader sees. */
const asWritten = (column, value) => {
  const [unit, decimals] = column.clock ? [1000, 0] : [column.divisor, column.decimals];
  return Number((Math.sign(value) * Number(decimal(Math.abs(value / unit), decimals)) * unit).toPrecision(15));
};

/* Whether a run counts in the rate of success, however it ended. */
const isJudged = (outcome) => outcome !== null && outcome !== "error";

let columns, exported, costly, schema, version;
let firstBlock, blocks, rowCount, abouts, aparts; // the first block of rows, the versions of the others, and how many rows all have
const ids = [];

/* A typed array; many times as fast as type.from. */
const mapped = (type, values, of) => {
  const made = new type(values.length);
  for (let i = 0; i < made.length; i++) made[i] = of(values[i], i);
  return made;
};

/* Some properties that are made when one of them is first asked for. */
const lazily = (object, keys, made) => {
  for (const key of keys) {
    Object.defineProperty(object, key, {
      configurable: true,
      get: () => {
        for (const [each, value] of Object.entries(made())) Object.defineProperty(object, each, { value });
        return object[key];
      },
    });
  }
};

const decode = (given) => {
  ({ schema, columns, exported, longest: costly, blocks = [], rows: rowCount } = JSON.parse(given.head));
  ({ version } = given);
  firstBlock = given;
  byKey = new Map(columns.map((column) => [column.key, column]));
  for (const column of columns) {
    const { parts } = column;
    column.isCategory = Boolean(column.names || column.late);
    column.isFigure = Boolean(parts || column.clock || column.divisor);
    column.value = (i) => column.values[i];
    if (column.isFigure) {
      column.text = (i) =>
        figure(column, column.values[i]) + (column.bounds.has(i) && column.values[i] !== null ? "+" : "");
    }
    if (column.isCategory) decodeCategory(column);
    if (parts) column.value = (i) => (column.known[i] < parts.length ? null : column.values[i]); // as data/runs.json has it
  }
  const name = byKey.get("name");
  const task = byKey.get("task");
  name.about = (i) => abouts[i];
  const configuration = byKey.get("configuration");
  const model = byKey.get("model");
  const attempt = byKey.get("attempt");
  name.text = (i) => {
    const title = name.values?.[i];
    const who = configuration?.value(i) ?? model?.value(i)?.replace(/^Claude /, "");
    const parts = [task?.value(i), who, attempt?.values[i]];
    return [...(title != null ? [title] : parts), aparts[i]].filter((part) => part != null && part !== "").join(" · ");
  };
  const start = byKey.get("started_at");
  if (start) start.text = (i) => (start.values[i] ?? "–").slice(0, 16).replace("T", " ");
  const note = byKey.get("note");
  if (note) note.text = (i) => note.values[i] ?? "–";
  fill([firstBlock]);
  rowCount ??= ids.length;
  state = readState(); // now it is known which columns have names
};

/* What a run is compared as: its configuration where models alone do not tell runs apart, else its model. */
const whoKey = () => (byKey.has("configuration") ? "configuration" : "model");
const whose = (i) => byKey.get("configuration")?.value(i) ?? byKey.get("model")?.value(i);

/* Takes the rows of some blocks in place of those that were there. */
const fill = (given) => {
  ids.length = 0; // other scripts have it
  for (const group of given.flatMap((block) => JSON.parse(block.ids))) {
    const [stem, ...rests] = group.split(" ");
    for (const rest of rests) ids.push(stem + rest);
  }
  abouts = given.flatMap(({ about }) => (about ? JSON.parse(about) : []));
  aparts = given.flatMap(({ apart }) => (apart ? JSON.parse(apart) : []));
  for (const column of columns) {
    column.rank = column.widest = null;
    if (column.parts) {
      lazily(column, ["values", "bounds", "known"], () => addUp(column));
    } else if (firstBlock[column.key]) {
      unpack(column, given.map((block) => block[column.key]));
    }
  }
  found = {};
  ordered = {};
};

const isWhole = () => ids.length === rowCount;

let setBy = {}; // what scripts of rows set, by their addresses

const fetched = async (address, name, wanted) => {
  await load(address);
  setBy[address] ??= window[name]; // the next script sets it anew
  if (setBy[address].version !== wanted) throw new Error("the rows are of two builds");
  return setBy[address];
};

/* What the scripts of the blocks behind the first set, in their order. */
const others = async (...of) => (blocks.length ? (await more()).others(...of) : []);

let gathering; // a promise of all rows

/* All rows or none: what is sorted, filtered or added up of a part of them would be a lie. */
const whole = () =>
  (gathering ??= (async () => {
    if (isWhole()) return;
    try {
      fill([firstBlock, ...(await others(table.dataset.rows, "sitegenRows"))]);
      setBy = {};
      prepare();
      $("rest")?.remove();
    } catch (error) {
      gathering = null;
      throw error;
    }
  })());

/* The values of a column are texts of their own, one for each block: most columns are asked for late or never. */
const unpack = (column, texts) => {
  const parsed = () => texts.map((text) => JSON.parse(text));
  if (column.late) {
    lazily(column, ["names", "sets", "looks", "codes", "texts", "positions"], () => {
      const made = parsed();
      const named = { names: made[0].names, sets: made[0].sets, looks: made[0].looks, key: column.key };
      return { ...named, ...decodeNames(named, made.flatMap(({ codes }) => codes)) };
    });
  } else if (column.isCategory) {
    Object.assign(column, decodeNames(column, parsed().flat()));
  } else if (!column.isFigure) {
    lazily(column, ["values"], () => ({ values: parsed().flat() }));
  } else {
    lazily(column, ["values", "bounds"], () => {
      const made = parsed();
      return { values: made.flatMap(([values]) => values), bounds: new Set(made.flatMap(([, bounds]) => bounds)) };
    });
  }
};

let coming; // a promise of the further columns

/* The values of the columns that nobody sees at first. After a failure, they are asked for again. */
const further = () =>
  (coming ??= (async () => {
    if (!table.dataset.further) return;
    try {
      await whole();
      const name = "sitegenFurtherRows";
      const all = [await fetched(table.dataset.further, name, version), ...(await others(table.dataset.further, name))];
      for (const column of columns.filter((each) => each.further)) {
        unpack(column, all.map((block) => block[column.key]));
        column.further = false;
      }
    } catch (error) {
      coming = null;
      throw error;
    }
  })());

const isHere = (column) => (column.parts ?? [column.key]).every((key) => !byKey.get(key)?.further);

/* The columns that the state names, or whose facets count what it leaves, and whose values are not here. */
const lacking = () =>
  [...new Set([...(state.sort || []).map(keyOf), ...(state.columns || []), ...Object.keys(state), ...(isFiltered() ? facetKeys : [])])]
    .map((key) => byKey.get(key))
    .filter((column) => column && !isHere(column));

/* A column of names: `codes` of the rows, and for each code its `texts` and the positions of its names, `sets`. */
const decodeNames = ({ names, sets, looks, key }, codes) => {
  const words = looks && key !== "model";
  return {
    codes: new Uint32Array(codes),
    texts: sets
      ? sets.map((set) => set.map((at) => names[at]).join(", ") || null)
      : [...names.map((name, at) => (words ? looks[at][0] : name)), null],
    positions: sets
      ? sets.map((set) => (set.length ? set : [names.length]))
      : [...names, null].map((_, at) => [at]),
  };
};

/* How the value of a run in a column of names is told, once it is here. */
const decodeCategory = (column) => {
  column.value = (i) => {
    const set = column.sets?.[column.codes[i]];
    if (!set) return column.names[column.codes[i]] ?? null;
    return column.empty && !set.length ? null : set.map((at) => column.names[at]).filter((name) => name !== column.empty);
  };
  const detail = column.key === "status" && byKey.get("status_detail");
  column.text = (i) => {
    const why = detail && detail.value(i);
    return (column.texts[column.codes[i]] ?? "–") + (why ? `, ${why}` : "");
  };
};

/* A column that is the sum of others: what is unknown adds nothing and makes a lower bound. */
const addUp = (column) => {
  const parts = column.parts.map((key) => byKey.get(key)?.values);
  const known = new Uint8Array(ids.length);
  const bounds = new Set();
  const sums = ids.map((_, i) => {
    let sum = 0;
    for (const values of parts) {
      if (values && values[i] !== null) {
        sum += values[i];
        known[i]++;
      }
    }
    if (known[i] < parts.length) bounds.add(i);
    return known[i] ? sum : null;
  });
  for (const key of column.parts) {
    for (const i of byKey.get(key)?.bounds || []) bounds.add(i);
  }
  return { values: sums, bounds, known };
};

/* What other scripts get: the values of data/runs.json, a column made when it is first asked for. */
const exposed = () => {
  const made = {};
  for (const { key, value } of columns.filter(isHere)) {
    let values;
    if (key !== "name") {
      Object.defineProperty(made, key, { enumerable: true, get: () => (values ??= ids.map((_, i) => value(i))) });
    }
  }
  return { ids, columns: made };
};
