/* Where a query is asked and answered. */
import { make } from "./dom.js";
import { find, hit } from "./search-index.js";
import { result, said, stateSign } from "./search-results.js";

/** @import { Chosen, Found } from "./search-index.js" */
/** @typedef {(query?: string, given?: Record<string, Iterable<string>>, isTyped?: boolean) => void} Open */
/** @typedef {{ box: HTMLElement, open: Open }} Panel */

const HITS = 6; // results that are shown at once

/**
 * Field, count and results; `changed` hears every new query, `beside` stands beside the field.
 * @type {(changed: (query: string, chosen: Chosen) => void, ...beside: Node[]) => Panel}
 */
export function panel(changed, ...beside) {
  const input = make("input");
  const count = make("p", "sub");
  const kinds = make("div", "kinds");
  /** @type {Chosen} */
  const chosen = { outcome: new Set(), status: new Set() };
  const list = make("ol", "hits");
  const more = make("button");
  Object.assign(input, { type: "search", autocomplete: "off", spellcheck: false });
  input.placeholder = "Words, or edited:io.py failed:pytest tests:none";
  input.setAttribute("aria-label", "Search all runs");
  count.setAttribute("role", "status");
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", "Runs found");
  Object.assign(more, { hidden: true, textContent: "Show more" });
  const box = make("div", "search", make("div", "field", input, ...beside), kinds, count, list, more);
  box.setAttribute("role", "search");
  let asked = 0;
  /** @type {Found} */
  let latest;

  /* What the results can be narrowed to: the outcomes and statuses that runs have, and how many of each. */
  const buttons = new Map();
  /** @type {(found: Found) => void} */
  function drawKinds({ read, have, terms, isNarrowed }) {
    const all = new Map(have);
    for (const [kind, values] of Object.entries(chosen)) {
      const used = read.used[kind].map((at) => read.kinds[kind][at][0]);
      if (used.length < 2 && !values.size) continue;
      if (!buttons.has(kind)) {
        const group = make("div", "facet");
        group.setAttribute("role", "group");
        group.setAttribute("aria-label", kind);
        kinds.append(group);
        buttons.set(kind, { group, byValue: new Map() });
      }
      const { group, byValue } = buttons.get(kind);
      for (const value of new Set([...used, ...values])) {
        if (byValue.has(value)) continue;
        const button = make("button", "", stateSign(read, kind, value), " ", make("small"));
        button.addEventListener("click", () => {
          if (!values.delete(value)) values.add(value);
          ask();
        });
        byValue.set(value, button);
        group.append(button);
      }
      for (const [value, button] of byValue) {
        const number = all.get(kind)[read.kinds[kind].findIndex(([each]) => each === value)] ?? 0;
        button.setAttribute("aria-pressed", values.has(value));
        button.lastChild.textContent = terms.length || isNarrowed ? number.toLocaleString("en") : "";
      }
    }
  }

  /**
   * The first results, or the next ones below them.
   * @type {(shown: number) => Promise<void>}
   */
  async function show(shown) {
    const mine = asked;
    const { runs } = latest;
    if (!shown) more.hidden = true; // later it keeps the focus until there are more
    const found = latest;
    const hits = await Promise.all(runs.slice(shown, shown + HITS).map((run) => hit(found.read, run)));
    if (mine !== asked) return;
    if (!shown) list.replaceChildren();
    list.append(...hits.map((one) => result(found, one)));
    if (shown) list.children[shown].querySelector("a").focus();
    more.hidden = list.children.length >= runs.length;
  }
  let isGoingOn = false;
  async function showMore() {
    if (isGoingOn) return;
    isGoingOn = true;
    const mine = asked;
    try {
      await show(list.children.length);
      if (mine === asked) count.textContent = said(input.value, latest);
    } catch {
      if (mine === asked) count.textContent = "The next results could not be loaded; try again";
    }
    isGoingOn = false;
  }
  async function ask() {
    const mine = (asked += 1);
    const query = input.value;
    list.setAttribute("aria-busy", "true");
    changed(query, chosen);
    try {
      const found = await find(query, chosen);
      if (mine !== asked) return;
      latest = found;
      drawKinds(found);
      count.textContent = said(query, found);
      await show(0);
    } catch {
      if (mine !== asked) return;
      count.textContent = "The search index could not be loaded";
      list.replaceChildren();
    }
    if (mine === asked) list.removeAttribute("aria-busy");
  }
  input.addEventListener("input", ask);
  more.addEventListener("click", showMore);
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // Enter and arrows choose what an input method offers
    const stops = [input, ...list.querySelectorAll("a")];
    const at = stops.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && at >= 0) {
      event.preventDefault();
      stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
    } else if (event.key === "Enter" && at === 0 && stops[1] && !list.hasAttribute("aria-busy")) {
      stops[1].click();
    }
  });
  return {
    box,
    open: (query, given, isTyped) => {
      if (query !== undefined) input.value = query;
      for (const [kind, values] of Object.entries(given ?? {})) {
        chosen[kind].clear();
        for (const value of values) chosen[kind].add(value);
      }
      input.focus();
      if (!isTyped) input.select(); // else the next letter goes on
      ask();
    },
  };
}
