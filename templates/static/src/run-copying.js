/* Buttons that copy code and names. */
import { make } from "./dom.js";
import { copy } from "./saving.js";

export const said = make("div", "off"); // read out by screen readers
said.setAttribute("role", "status");

/**
 * A button that copies the text of an element; where the browser refuses, it selects the text.
 * @type {(source: Element, what: string) => HTMLElement}
 */
export const copyButton = (source, what) => {
  const button = make("span", "copy", "Copy"); // no form control stands in what is marked as text of a run
  button.setAttribute("role", "button");
  button.tabIndex = 0;
  button.setAttribute("aria-label", `Copy ${what}`);
  button.addEventListener("click", async () => {
    const isCopied = await copy(source.textContent);
    if (!isCopied) getSelection().selectAllChildren(source);
    button.textContent = isCopied ? "Copied" : "Selected";
    const words = isCopied ? `Copied ${what}` : `Selected ${what}; copy it with the keyboard`;
    said.textContent = words;
    setTimeout(() => {
      button.textContent = "Copy";
      if (said.textContent === words) said.textContent = "";
    }, 2000);
  });
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    button.click();
  });
  return button;
};
