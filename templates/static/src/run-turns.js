/* Keys that lead through a transcript. */
import { make } from "./dom.js";

/**
 * n and p lead to the next and the previous failure of a transcript, also on another page.
 * @type {(step: number) => void}
 */
const toFailure = (step) => {
  const failed = [...document.querySelectorAll(".steps li.bad")];
  if (!failed.length) {
    if (step > 0) document.querySelector(".stick a.bad")?.click();
    return;
  }
  if (turn >= 0) showTurn(-1);
  const at = failed.findIndex((line) => `#${line.id}` === location.hash);
  const next = at < 0 ? (step > 0 ? 0 : failed.length - 1) : at + step;
  if (failed[next]) location.hash = failed[next].id;
  else [...failed[at].querySelectorAll(".more a")].find((link) => link.textContent.startsWith(step > 0 ? "next" : "previous"))?.click();
};

/* t and T show the next and the previous turn of a transcript alone, Escape shows all. A turn begins where somebody
   speaks: a prompt, or a text of the agent. */
const lines = [...document.querySelectorAll(".steps > li")];
const begins = lines.flatMap((line, at) => (!at || line.matches(".prompt, .say") ? [at] : []));
let turn = -1;
/** @type {(wanted: number) => void} */
const showTurn = (wanted) => {
  turn = wanted;
  const [first, last] = [begins[turn] ?? 0, begins[turn + 1] ?? lines.length];
  lines.forEach((line, at) => { line.hidden = turn >= 0 && (at < first || at >= last); });
  if (turn >= 0) scrollTo(0, 0);
};
/** @type {(step: number) => void} */
const toTurn = (step) => {
  if (turn < 0) {
    const here = lines.findIndex((line) => line.matches(":target, :has(:target)"));
    showTurn(Math.max(begins.findLastIndex((at) => at <= here), 0));
  } else if (begins[turn + step] !== undefined) showTurn(turn + step);
  else document.querySelector(`.head [rel=${step > 0 ? "next" : "prev"}]`)?.click();
};

/* Names the keys, and listens to them. */
export const addKeys = () => {
  if (lines.length) {
    const keys = make("span", "muted keys", "Keys: ");
    for (const [key, what] of [["n", "next"], ["p", "previous failure"], ["t", "one turn"], ["Esc", "all"]]) {
      keys.append(make("kbd", "", key), ` ${what} `);
    }
    document.querySelector(".stick")?.append(keys);
  }
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("textarea, select, input:not([type=radio])")) return;
    if (event.key === "n") toFailure(1);
    if (event.key === "p") toFailure(-1);
    if (event.key === "t" && lines.length) toTurn(1);
    if (event.key === "T" && lines.length) toTurn(-1);
    if (event.key === "Escape" && turn >= 0) showTurn(-1);
  });
};
