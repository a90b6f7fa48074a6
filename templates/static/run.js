/* What a run page gains by script: buttons that copy code and names. */
"use strict";

(() => {
  const { copy, load, make, painted, root } = window.sitegen;
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

  const mine = location.pathname.split("/").at(-1).replace(/\.html$/, ""); // the id of the run

  /* Who came from a table goes on in its view: previous and next lead through what was shown there. */
  const follow = () => {
    const nav = document.querySelector("nav.step");
    const place = `sitegen-view:${root}`;
    let view;
    try {
      view = JSON.parse(sessionStorage.getItem(place));
    } catch {
      return; // the browser keeps nothing
    }
    const at = view?.runs?.findIndex?.(([id]) => id === mine) ?? -1;
    if (!nav || at < 0 || !view.address?.startsWith?.(root) || !(view.to === mine || history.state?.isInView)) return;
    history.replaceState({ ...history.state, isInView: true }, "");
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

  const MOST = 12; // attempts that are named one by one

  /* How the attempts of this model at this task came out, by the data of the page of the task: so no page of a run has
     to change when another run comes. */
  const attempts = async () => {
    const place = document.querySelector("[data-attempts]");
    if (!place) return;
    await load(place.dataset.attempts);
    const given = window.sitegenRows;
    const head = JSON.parse(given.head);
    if (head.blocks) return; // of a part, no number would be right
    const columns = new Map(head.columns.map((column) => [column.key, column]));
    const codes = (key) => (given[key] && columns.has(key) ? JSON.parse(given[key]) : null);
    const ids = JSON.parse(given.ids).flatMap((group) => {
      const [stem, ...rests] = group.split(" ");
      return rests.map((rest) => stem + rest);
    });
    const me = ids.indexOf(mine);
    const alike = ["configuration", "model", "campaign"].map(codes).filter(Boolean);
    const own = ids.map((_, i) => i).filter((i) => alike.every((each) => each[i] === each[me]));
    if (me < 0 || own.length < 2) return;
    const [outcomes, statuses] = ["outcome", "status"].map((key) => ({ codes: codes(key), looks: columns.get(key)?.looks }));
    const lookOf = (i) => outcomes.looks?.[outcomes.codes[i]] ?? statuses.looks[statuses.codes[i]];
    const words = (i, word) => {
      const made = make(i === me ? "strong" : "a", `state ${lookOf(i)[2]}`, word);
      if (i !== me) made.href = `${ids[i]}.html`;
      return made;
    };
    const counts = new Map();
    for (const i of own) counts.set(lookOf(i)[0], (counts.get(lookOf(i)[0]) ?? 0) + 1);
    const parts = own.length > MOST
      ? [[...counts].map(([word, number]) => `${number} ${word}`).join(", ")]
      : own.flatMap((i, at) => [...(at ? [", "] : []), words(i, lookOf(i)[0])]);
    place.replaceChildren(`${own.length} attempts: `, ...parts);
  };

  const start = () => {
    attempts().catch(() => {}); // the page of the task has them
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

  try {
    follow();
  } catch {
    // another page has written something else there
  }
  painted.then(start); // no button is worth a later first paint
})();
