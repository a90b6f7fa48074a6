/* The way through the view that the reader came from. */
import { make } from "./dom.js";
import { siteRoot } from "./places.js";
import { mine } from "./run-identity.js";

/**
 * Who came from a table goes on in its view: previous and next lead through what was shown there.
 * @type {() => void}
 */
export const follow = () => {
  const nav = document.querySelector("nav.step");
  const place = `sitegen-view:${siteRoot}`;
  let view;
  try {
    view = JSON.parse(sessionStorage.getItem(place));
  } catch {
    return; // the browser keeps nothing
  }
  const at = view?.runs?.findIndex?.((/** @type {string[]} */ [id]) => id === mine) ?? -1;
  if (!nav || at < 0 || !view.address?.startsWith?.(siteRoot) || !(view.to === mine || history.state?.isInView)) return;
  history.replaceState({ ...history.state, isInView: true }, "");
  /** @type {(step: number, rel: string, content: (name: string) => (Node | string)[]) => HTMLElement} */
  const link = (step, rel, content) => {
    const run = view.runs[at + step];
    if (!run) return make("span", "muted", step < 0 ? "first run" : "last run");
    const made = make("a", "", ...content(run[1]));
    Object.assign(made, { href: `${encodeURIComponent(run[0])}.html`, rel });
    made.addEventListener("click", () => sessionStorage.setItem(place, JSON.stringify({ ...view, to: run[0] })));
    return made;
  };
  const all = make("a", "", `${(view.first + at + 1).toLocaleString("en")} of ${view.total.toLocaleString("en")}`);
  all.href = view.address;
  nav.replaceChildren(
    link(-1, "prev", (name) => [`‹ Previous: ${name} `, make("kbd", "", "k")]),
    all,
    link(1, "next", (name) => [make("kbd", "", "j"), ` Next: ${name} ›`]),
  );
};
