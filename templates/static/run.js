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

  /* n and p lead to the next and the previous failure of a transcript, also on another page. */
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
  const showTurn = (wanted) => {
    turn = wanted;
    const [first, last] = [begins[turn] ?? 0, begins[turn + 1] ?? lines.length];
    lines.forEach((line, at) => { line.hidden = turn >= 0 && (at < first || at >= last); });
    if (turn >= 0) scrollTo(0, 0);
  };
  const toTurn = (step) => {
    if (turn < 0) {
      const here = lines.findIndex((line) => line.matches(":target, :has(:target)"));
      showTurn(Math.max(begins.findLastIndex((at) => at <= here), 0));
    } else if (begins[turn + step] !== undefined) showTurn(turn + step);
    else document.querySelector(`.head [rel=${step > 0 ? "next" : "prev"}]`)?.click();
  };
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

  painted.then(start); // no button is worth a later first paint
})();
