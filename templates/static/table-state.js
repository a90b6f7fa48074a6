/* The table of runs. Its rows come as columns from scripts, and its state is the fragment of the address, so that a
   view can be sent and Back undoes a step. If the rows never come, the plain table stands.
   This file, those named table-* and table.js are joined into one function: see theme.py. What nobody sees at first,
   more.js and judge.js, comes when it is asked for. */
const table = document.getElementById("run-table");
if (!table || !table.dataset.rows) return;
const $ = (id) => document.getElementById(id);
const { copy, drawn, load, make, painted, root: siteRoot, sign: signOf } = window.sitegen;
const controls = document.querySelectorAll(".controls");
const { root } = table.dataset;
const box = table.closest(".scroll");
const body = table.tBodies[0];
let byKey; // the columns, once they are here

const NUMBER = String.raw`(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)?`;
const RANGE = new RegExp(String.raw`^${NUMBER}\.\.${NUMBER}$`);

/* The state of the table as the address has it. */
const readState = () => {
  const given = new URLSearchParams(location.hash.slice(1));
  const state = Object.create(null);
  for (const key of new Set(given.keys())) {
    const values = given.getAll(key);
    const value = values.at(-1);
    const range = RANGE.exec(value);
    if (byKey?.get(key)?.isCategory) {
      state[key] = values;
    } else if (key === "sort" || key === "columns") {
      state[key] = value.split(",").filter(Boolean);
    } else if (value === "unknown" && key !== "q") {
      state[key] = [value, null];
    } else if (range && key !== "q") {
      state[key] = [range[1], range[2]].map((side) => (side ? Number(side) : null));
    } else {
      state[key] = value;
    }
  }
  return state;
};

/* The address of a state. */
const fragment = (state) => {
  const written = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) {
    if (!Array.isArray(value)) {
      if (value || value === 0) written.set(key, value);
    } else if (key === "sort" || key === "columns") {
      if (value.length) written.set(key, value.join(","));
    } else if (value.some((side) => typeof side === "number")) {
      written.set(key, value.map((side) => side ?? "").join(".."));
    } else {
      for (const each of value) {
        if (each !== null) written.append(key, each);
      }
    }
  }
  return written.toString().replaceAll("%2C", ",");
};

let state = readState();
let isTyping = false;
