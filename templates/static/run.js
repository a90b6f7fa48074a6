/* What a run page gains by script: buttons that copy code and names. */
"use strict";

(() => {
  const { copy, make, painted } = window.sitegen;
  const said = make("div", "off"); // read out by screen readers
  said.setAttribute("role", "status");

  /* A button that copies the text of an element; where the browser refuses, it selects the text. */
  const copyButton = (source, what) => {
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

  const start = () => {
    document.body.append(said);
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

  painted.then(start); // no button is worth a later first paint
})();
