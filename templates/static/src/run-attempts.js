/* How often this model has tried this task. */
import { make } from "./dom.js";
import { idsOf } from "./ids.js";
import { load } from "./loading.js";
import { mine } from "./run-identity.js";

const MOST = 12; // attempts that are named one by one

/**
 * How the attempts of this model at this task came out, by the data of the page of the task: so no page of a run has
 * to change when another run comes.
 * @type {() => Promise<void>}
 */
export const attempts = async () => {
  const place = document.querySelector("[data-attempts]");
  if (!place) return;
  await load(place.dataset.attempts);
  const given = window.sitegenRows;
  const head = JSON.parse(given.head);
  if (head.blocks) return; // of a part, no number would be right
  const columns = new Map(head.columns.map((/** @type {any} */ column) => [column.key, column]));
  /** @type {(key: string) => number[] | null} */
  const codes = (key) => (given[key] && columns.has(key) ? JSON.parse(given[key]) : null);
  const ids = idsOf(JSON.parse(given.ids));
  const me = ids.indexOf(mine);
  const alike = ["configuration", "model", "campaign"].map(codes).filter(Boolean);
  const own = ids.map((_, i) => i).filter((i) => alike.every((each) => each[i] === each[me]));
  if (me < 0 || own.length < 2) return;
  const [outcomes, statuses] = ["outcome", "status"].map((key) => ({ codes: codes(key), looks: columns.get(key)?.looks }));
  /** @type {(i: number) => string[]} */
  const lookOf = (i) => outcomes.looks?.[outcomes.codes[i]] ?? statuses.looks[statuses.codes[i]];
  /** @type {(i: number, word: string) => HTMLElement} */
  const words = (i, word) => {
    const made = make(i === me ? "strong" : "a", `state ${lookOf(i)[2]}`, word);
    if (made instanceof HTMLAnchorElement) made.href = `${ids[i]}.html`;
    return made;
  };
  const counts = new Map();
  for (const i of own) counts.set(lookOf(i)[0], (counts.get(lookOf(i)[0]) ?? 0) + 1);
  const parts = own.length > MOST
    ? [[...counts].map(([word, number]) => `${number} ${word}`).join(", ")]
    : own.flatMap((i, at) => [...(at ? [", "] : []), words(i, lookOf(i)[0])]);
  place.replaceChildren(`${own.length} attempts: `, ...parts);
};
