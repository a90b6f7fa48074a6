/* What the page of a run and its transcript gain by script: buttons that copy code and names, keys, and a strip that
   names its steps and sums up a part of them. */
import { make } from "./dom.js";
import { painted } from "./painted.js";
import { attempts } from "./run-attempts.js";
import { beside } from "./run-beside.js";
import { copyButton, said } from "./run-copying.js";
import { timeline } from "./run-strip.js";
import { addKeys } from "./run-turns.js";
import { follow } from "./run-view.js";

const start = () => {
  attempts().catch(() => {}); // the page of the task has them
  document.body.append(said);
  document.querySelectorAll("[data-steps]").forEach(timeline);
  document.querySelectorAll(".strip[data-steps]").forEach(beside);
  for (const block of document.querySelectorAll("main pre")) {
    const frame = make("div", block.classList.contains("body") ? "copyable body" : "copyable");
    block.classList.remove("body");
    block.replaceWith(frame);
    const what = block.getAttribute("aria-label")?.toLowerCase() ?? "code";
    frame.append(block, copyButton(block.querySelector("code") ?? block, what));
  }
  for (const value of document.querySelectorAll("[aria-labelledby=source] .body > dl code")) {
    const what = value.closest("dd").previousElementSibling.textContent;
    value.closest("dd").append(" ", copyButton(value, what.toLowerCase()));
  }
};

/* The filter of a transcript lasts over its pages. */
const filter = () => {
  const key = `sitegen-show:${location.pathname.replace(/[^/]*$/, "")}`;
  const kept = /** @type {HTMLInputElement | null} */ (document.getElementById(sessionStorage.getItem(key)));
  if (kept) kept.checked = true;
  document.querySelector(".show")?.addEventListener("change", (/** @type {any} */ { target }) => sessionStorage.setItem(key, target.id));
};

try {
  filter();
  follow();
} catch {
  // another page has written something else there
}
addKeys();
painted.then(start); // no button is worth a later first paint
