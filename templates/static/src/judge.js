/* Verdicts of whoever reads the site: kept in the browser, and saved as a table of outcomes that the next build reads.
   Nothing is sent. On a run page it fills the place that is marked for it; the table asks it for a column. */
import { csvCell } from "./csv.js";
import { make, sign } from "./dom.js";
import { painted } from "./painted.js";
import { home } from "./places.js";
import { save } from "./saving.js";

/** @typedef {{ outcome: string, note: string, isIn?: boolean }} Verdict What a reader says of a run, and whether the site has it. */
/** @typedef {{ outcome: string | null, note: string }} Site What the site says of a run. */
/** @typedef {{ group: HTMLElement, set: (outcome: string | null) => void }} Controls */
/**
 * What other scripts get.
 * @typedef {object} Judge
 * @property {Record<string, string | null>} KEYS
 * @property {(cell: HTMLElement, id: string, outcome: string) => void} beside
 * @property {(id: string, site: Site, name: string, isShort: boolean) => Controls} controls
 * @property {() => HTMLElement} counter
 * @property {(siteOf: (id: string) => Site | null | undefined) => void} settle
 */

const PLACE = `sitegen-judged:${home}`; // pages of other sites may share the storage
const VERDICTS = { pass: "pass", partial: "part", fail: "fail" }; // and their signs
/** @type {Record<string, string | null>} */
const KEYS = { 1: "pass", 2: "partial", 3: "fail", 0: null };
const MOST = 500; // characters of a note, as a build reads
/** @type {Map<string, Verdict>} */
let judged = new Map(); // id of a run -> its verdict, its note, and whether the site has both
let isKept = true; // else only until the page is left
let isSaved = true;

/* What the browser keeps; other pages may have written there, so only what makes sense is taken. */
const read = () => {
  try {
    const kept = Object.entries(JSON.parse(localStorage.getItem(PLACE)) ?? {});
    judged = new Map(
      kept
        .filter(([, each]) => Object.hasOwn(VERDICTS, each?.outcome))
        .map(([id, { outcome, note, isIn }]) => [
          id,
          { outcome, note: String(note ?? "").slice(0, MOST), isIn: isIn === true },
        ]),
    );
  } catch {
    isKept = false;
  }
};

const keep = () => {
  try {
    localStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(judged)));
    isKept = true;
  } catch {
    isKept = false;
  }
};

/** @type {(verdict: Verdict, site: Site) => boolean} */
const isSame = ({ outcome, note }, site) =>
  outcome === site.outcome && note.trim().replace(/\s+/g, " ") === (site.note ?? "");

/**
 * Sets or takes away a verdict. `site` is what the site says of the run.
 * @type {(id: string, outcome: string | null, note: string, site: Site) => void}
 */
const judge = (id, outcome, note, site) => {
  if (isKept) read(); // another tab may have judged meanwhile
  const verdict = { outcome, note: note.slice(0, MOST) };
  if (outcome) judged.set(id, { ...verdict, isIn: isSame(verdict, site) });
  else judged.delete(id);
  isSaved = false;
  keep();
  tell();
};

/**
 * Marks what the site has by now. `siteOf` gives what it says of a run, or nothing where a page does not know.
 * @type {(siteOf: (id: string) => Site | null | undefined) => void}
 */
const settle = (siteOf) => {
  let isNew = false;
  for (const [id, verdict] of judged) {
    const site = siteOf(id);
    const isIn = site ? isSame(verdict, site) : verdict.isIn;
    isNew ||= isIn !== verdict.isIn;
    verdict.isIn = isIn;
  }
  if (isNew && isKept) keep();
  tell();
};

const saveAll = () => {
  const rows = [...judged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, { outcome, note }]) => [id, outcome, note]);
  const text = [["id", "outcome", "note"], ...rows].map((cells) => cells.map((each) => csvCell(each)).join()).join("\n");
  save("outcomes.csv", new Blob([`${text}\n`], { type: "text/csv" }));
  isSaved = true;
  tell();
};

/** @type {(() => void)[]} */
const counts = []; // places that say how many are judged

/* Says how many runs are judged, with a button that saves all of them. */
const counter = () => {
  const said = make("span");
  const button = make("button", "", "Save");
  const place = make("p", "judged muted", said, button);
  said.setAttribute("role", "status");
  button.title = "Save outcomes.csv. Put it among the runs: the next build reads it";
  button.addEventListener("click", ({ isTrusted }) => isTrusted && saveAll()); // only a person saves a file
  counts.push(() => {
    const left = [...judged.values()].filter(({ isIn }) => !isIn).length;
    const missing = left === judged.size ? "not" : left ? `${left} not` : "all";
    const lost = isKept ? "" : "; this browser loses them when you leave the page";
    said.textContent = `${judged.size} judged here, ${missing} in the site${lost}`;
    place.hidden = !judged.size;
  });
  tell();
  return place;
};

/**
 * What the reader says, where the site says otherwise.
 * @type {(place: HTMLElement) => void}
 */
const drawBeside = (place) => {
  const { outcome } = judged.get(place.dataset.judged) ?? {};
  place.textContent = outcome && outcome !== place.dataset.site ? `yours: ${outcome}` : "";
};

/**
 * Puts that into the cell that has the outcome of the site, and keeps it true.
 * @type {(cell: HTMLElement, id: string, outcome: string) => void}
 */
const beside = (cell, id, outcome) => {
  const place = make("small", "yours");
  Object.assign(place.dataset, { judged: id, site: outcome });
  drawBeside(place);
  cell.append(" ", place);
};

const tell = () => {
  counts.forEach((each) => each());
  document.querySelectorAll("[data-judged]").forEach(drawBeside);
};

const shown = new Map(); // id -> a function that draws its controls anew

/**
 * The controls of a run: a button for each verdict, and a note.
 * @type {(id: string, site: Site, name: string, isShort: boolean) => Controls}
 */
const controls = (id, site, name, isShort) => {
  const note = make("input");
  Object.assign(note, { maxLength: MOST, placeholder: "Note", autocomplete: "off" });
  note.setAttribute("aria-label", `Note on ${name}`);
  const buttons = Object.entries(VERDICTS).map(([outcome, symbol], at) => {
    const button = make("button", outcome === "partial" ? "part" : outcome, sign(symbol), ...(isShort ? [] : [outcome]));
    button.value = outcome;
    button.title = `${outcome} (key ${at + 1})`;
    if (isShort) button.setAttribute("aria-label", outcome);
    button.addEventListener("click", () => set(judged.get(id)?.outcome === outcome ? null : outcome));
    return button;
  });
  const draw = () => {
    const verdict = judged.get(id);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === verdict?.outcome));
    if (document.activeElement !== note) note.value = verdict?.note ?? "";
    note.hidden = !verdict;
  };
  /** @type {(outcome: string | null) => void} */
  const set = (outcome) => {
    judge(id, outcome, judged.get(id)?.note || (outcome === site.outcome && site.note) || "", site);
    draw();
  };
  note.addEventListener("input", () => judge(id, judged.get(id)?.outcome, note.value, site));
  const group = make("span", "verdicts", ...buttons, note);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", `Your verdict on ${name}`);
  shown.set(id, draw);
  draw();
  return { group, set };
};

read();
addEventListener("storage", ({ key }) => {
  if (key !== PLACE) return;
  read();
  tell();
  shown.forEach((draw) => draw());
});
addEventListener("beforeunload", (event) => {
  if (judged.size && !isKept && !isSaved) event.preventDefault(); // the browser asks whether to leave
});

/* On the page of a run; one file has many, of which none shows it. */
const place = document.querySelector(".judge[data-run]");
if (place?.checkVisibility()) {
  const { run, outcome, note } = place.dataset;
  const id = run.replace(/^runs\/|\.html$/g, "");
  const site = { outcome: outcome || null, note };
  const { group, set } = controls(id, site, "this run", false);
  painted.then(() => {
    settle((each) => (each === id ? site : null));
    place.replaceChildren(make("span", "what", "Your verdict"), group, counter());
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog")) return;
    if (Object.hasOwn(KEYS, event.key)) set(KEYS[event.key]);
  });
}

window.sitegenJudge = { KEYS, beside, controls, counter, settle };
