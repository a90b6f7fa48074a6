/* The fields and buttons that filter the table. */
import { chosenFacets, rangesOf, select } from "./filters.js";
import { isHere } from "./rows.js";
import { $ } from "./table-element.js";
import { columnOf, drawFacet, sayMisread } from "./table-facets.js";
import { further, more, rows } from "./table-rows.js";
import { change, state } from "./table-state.js";
import { withAll } from "./table-steps.js";
import { toRow } from "./table-window.js";
import { marksOfWords } from "./table-words.js";

/** Whether the next letter belongs to the last step of the history. */
let isTyping = false;

/** Ends the step: what is typed next is another. */
export const endTyping = () => {
  isTyping = false;
};

/** Takes what is typed into the field of words; at once, it is one step of history. */
const wakeFilter = () => {
  const filter = $("filter");
  /** @type {number} */
  let pause;
  filter.addEventListener("input", () => {
    change({ q: filter.value }, isTyping);
    isTyping = true;
    clearTimeout(pause);
    pause = setTimeout(endTyping, 1000);
  });
  filter.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return; // keys of an input method
    if (event.key === "Escape" && filter.value) {
      change({ q: null });
    } else if (event.key === "ArrowDown") {
      toRow(0);
    } else {
      return;
    }
    event.preventDefault();
  });
};

const wakeClear = () => {
  $("clear").addEventListener("click", () => {
    for (const input of $("facets").querySelectorAll("[data-range] input")) input.ariaInvalid = null;
    const facets = chosenFacets(rows, state).map(({ key }) => key);
    const ranges = rangesOf(rows, state).map(([key]) => key);
    change(Object.fromEntries(["q", ...facets, ...ranges].map((key) => /** @type {[string, null]} */ ([key, null]))));
    $("filter").focus();
  });
};

/**
 * Takes the ends of a range that are typed.
 * @type {(range: HTMLElement) => Promise<void>}
 */
const takeRange = async (range) => {
  const numberOf = await more().then((given) => given.numberOf, () => /** @type {null} */ (null));
  if (!numberOf) {
    $("misread").textContent = "The range is ignored: a script did not load";
    return;
  }
  const column = rows.byKey.get(range.dataset.range);
  const sides = [...range.querySelectorAll("input")].map((input) => {
    const text = input.value.replace("$", "").trim();
    const value = text ? numberOf(column, text) : null;
    input.setAttribute("aria-invalid", String(Number.isNaN(value)));
    return value;
  });
  const before = state;
  change({ [column.key]: sides.map((side) => (Number.isNaN(side) ? null : side)) }, isTyping);
  isTyping ||= state !== before; // what is not a range yet is not a step of the history
  sayMisread(); // where nothing was drawn
};

/** @type {(facet: HTMLElement) => Promise<void>} */
const offerNames = async (facet) => {
  if (!isHere(rows, columnOf(facet))) await further();
  drawFacet(facet, select(rows, state, marksOfWords()).counts);
};

/**
 * Enter chooses the first name that has what is typed.
 * @type {(target: HTMLInputElement) => void}
 */
const chooseName = (target) => {
  const sought = target.value.trim().toLowerCase();
  const buttons = [...target.closest("[data-facet]").querySelectorAll("button")];
  const wanted = buttons.find(({ value }) => value.toLowerCase().includes(sought));
  if (!wanted) return;
  target.value = ""; // all names again, to choose another
  wanted.click();
};

const wakeFacets = () => {
  const facets = $("facets");
  facets.addEventListener("click", (/** @type {any} */ { target }) => {
    const chip = target.closest("[data-facet] button");
    if (!chip) return;
    const { facet: key } = chip.closest("[data-facet]").dataset;
    const chosen = state[key] || [];
    const isChosen = chosen.includes(chip.value);
    change({ [key]: isChosen ? chosen.filter((/** @type {string} */ name) => name !== chip.value) : [...chosen, chip.value] });
  });
  facets.addEventListener("input", (/** @type {any} */ { target }) => {
    const range = target.closest("[data-range]");
    return range ? takeRange(range) : withAll(() => offerNames(target.closest("[data-facet]")));
  });
  facets.addEventListener("focusout", endTyping);
  facets.addEventListener("keydown", (/** @type {any} */ { key, target, isComposing }) => {
    if (key === "Enter" && !isComposing && target.type === "search" && target.value.trim()) chooseName(target);
  });
  $("fold").addEventListener("click", () =>
    $("fold").setAttribute("aria-expanded", facets.classList.toggle("is-open")),
  );
};

/** Brings the filters to life. */
export const wakeFilters = () => {
  wakeFilter();
  wakeClear();
  wakeFacets();
};
