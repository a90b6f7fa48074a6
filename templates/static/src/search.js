/* Full-text search. On search.html the results stand in the page, elsewhere in a dialog. */
import { make } from "./dom.js";
import { siteRoot } from "./places.js";
import { shards } from "./search-index.js";
import { panel } from "./search-panel.js";

/** @type {(query: string, chosen: Record<string, Iterable<string>>) => string} */
const address = (query, chosen) => {
  const written = new URLSearchParams(query ? { q: query } : {});
  for (const [kind, values] of Object.entries(chosen)) {
    for (const value of values) written.append(kind, value);
  }
  return written.size ? `#${written}` : "";
};
const page = document.getElementById("search");

if (page) {
  const given = () => new URLSearchParams(location.hash.slice(1));
  const asked = () => given().get("q");
  const narrowed = () => Object.fromEntries(["outcome", "status"].map((kind) => [kind, given().getAll(kind)]));
  const { box, open } = panel((query, chosen) => {
    const wanted = address(query, chosen);
    if (wanted !== address(asked() ?? "", narrowed())) history.replaceState(null, "", wanted || location.pathname);
  });
  page.replaceChildren(box);
  addEventListener("hashchange", () => {
    if (asked() !== null) open(asked(), narrowed()); // else it is a place on the page
  });
  shards.open = () => open();
  open(asked() ?? "", narrowed());
} else {
  const link = make("a", "", "Open as a page");
  const close = make("button", "", "Close");
  const { box, open } = panel((query, chosen) => {
    link.href = `${siteRoot}search.html${address(query, chosen)}`;
  }, close);
  const dialog = make("dialog", "", box, make("p", "sub", link));
  const shut = () => {
    /** @type {HTMLElement} */ (document.activeElement).blur(); // else a key pressed before the next frame goes into the hidden field
    dialog.close();
  };
  close.addEventListener("click", shut);
  dialog.setAttribute("aria-label", "Search");
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) shut();
  });
  /** @type {(search?: string) => void} */
  const keep = (search) => history.replaceState({ ...history.state, search }, ""); // Back to here opens it again
  // The window hears a click after the document, where the table keeps its own state.
  addEventListener("click", ({ target, altKey, ctrlKey, metaKey, shiftKey }) => {
    const isLeft = dialog.contains(/** @type {Node} */ (target)) && target.closest("a") && !altKey && !ctrlKey && !metaKey && !shiftKey;
    if (isLeft) keep(box.querySelector("input").value);
  });
  dialog.addEventListener("close", () => {
    if (history.state?.search !== undefined) keep();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return; // would only empty the field
    event.preventDefault();
    shut();
  });
  document.body.append(dialog);
  shards.open = (/** @type {string | undefined} */ typed) => {
    if (!dialog.open) dialog.showModal();
    open(typed || history.state?.search, {}, Boolean(typed));
  };
}
