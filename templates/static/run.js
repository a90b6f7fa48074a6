/* What the page of a run and its transcript gain by script: buttons that copy code and names, keys, and a strip that
   names its steps and sums up a part of them. */
"use strict";

(() => {
  const { copy, drawn, load, make, painted, root } = window.sitegen;
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

  /* The ids of runs in the data of a table. */
  const idsOf = ({ ids }) => JSON.parse(ids).flatMap((group) => {
    const [stem, ...rests] = group.split(" ");
    return rests.map((rest) => stem + rest);
  });

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
    const ids = idsOf(given);
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

  const count = (number) => number.toLocaleString("en");
  const money = (usd) => `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
  const kilobytes = (bytes) => `${count(Math.round(bytes / 100) / 10)} kB`;
  const clock = (ms) => `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;
  const total = (rows, key) => rows.reduce((sum, row) => sum + (row[key] ?? 0), 0);
  const NAMES = ["number", "lane", "kind", "name", "failed", "bytes", "begin", "end", "context", "tokens", "usd"];

  /* The steps of a run, as its strip draws them: see strip_data in strip.py. */
  const steps = {}; // address -> a promise
  const stepsAt = (base) => (steps[base] ??= readSteps(base).catch((error) => {
    delete steps[base];
    throw error;
  }));
  const readSteps = async (base) => {
    await load(`${base}data.js`);
    const data = window.sitegenSteps;
    const ends = data.axes.flatMap((axis) => [`${axis} begin`, `${axis} end`]);
    let at = 0; // time since the start; a step without one is where the step before it is
    const named = (row) => {
      const step = Object.fromEntries([...NAMES, ...ends].map((name, i) => [name, row[i]]));
      if (step.begin !== null) at = Math.max(step.begin - data.start, 0);
      return { ...step, at };
    };
    const hrefOf = ({ number }) => `${base}${Math.ceil(number / data.perPage)}.html#s${number}`;
    return { ...data, rows: data.rows.map(named), hrefOf };
  };
  const linkTo = (data, row, text) => Object.assign(make("a", "", text), { href: data.hrefOf(row) });

  /* The largest results that the main agent's context holds at a step: those since it was compacted. */
  const held = ({ rows, compactions }, { number }) => {
    const from = compactions.findLast((each) => each < number) ?? 0;
    const results = rows.filter((row) => row.number > from && row.number < number && row.bytes >= 1000);
    return results.sort((a, b) => b.bytes - a.bytes).slice(0, 3);
  };

  /* Minutes as they are typed, and as the transcript writes times: 20, 20:30. */
  const asMs = (text) => (/^\d+(:\d\d)?$/.test(text) ? text.split(":").reduce((ms, part, i) => ms + part * [60_000, 1000][i], 0) : NaN);

  /* A strip names the step that is pointed at, and sums up what is chosen: by a drag, two clicks, Shift and arrows, or
     minutes that are typed. */
  const timeline = (place) => {
    const said = make("p", "sub picked", "Point at a mark; drag, or click twice beside marks, for a sum.");
    said.setAttribute("aria-live", "polite");
    const fields = ["0", place.dataset.minutes].map((placeholder) =>
      Object.assign(make("input"), { placeholder, autocomplete: "off" }));
    const span = make("p", "sub span", make("label", "", "From minute", fields[0]), make("label", "", "to minute", fields[1]));
    place.after(...(place.dataset.minutes > 0 ? [span] : []), said);
    let data, at, edge; // all steps; the one that is named; where a range began
    const ready = async () => (data ??= await stepsAt(place.dataset.steps));
    const axisOf = (svg) => svg.parentNode.className.match(/^x-(\w+)/)?.[1] ?? "steps";
    const context = (row, head = "Context") => {
      const sent = data.rows.findLast((each) => each.number <= row.number && each.context !== null)?.context;
      const results = held(data, row).flatMap((each, i) =>
        [i ? ", " : ", largest results: ", linkTo(data, each, each.name.split("/").at(-1)), ` ${kilobytes(each.bytes)}`]);
      return sent ? [`. ${head} ${count(sent)} tokens`, ...results] : [];
    };
    const show = (row) => {
      at = row;
      const parts = [linkTo(data, row, `Step ${count(row.number)}`), ` ${row.kind || "message"} `];
      if (row.name) parts.push(make("code", "", row.name));
      if (row.failed) parts.push(" ", make("span", "bad", "failed"));
      if (row.begin !== null && row.end > row.begin) parts.push(`, ${clock(row.end - row.begin)}`);
      said.replaceChildren(...parts, ...context(row));
    };
    const sum = (rows, typed, none = "No step in these minutes.") => {
      for (const svg of place.querySelectorAll("svg.plot")) {
        svg.querySelector(".range")?.remove();
        const ends = rows.flatMap((row) => [row[`${axisOf(svg)} begin`], row[`${axisOf(svg)} end`]]);
        const [from, width] = [100 * Math.min(...ends), 100 * (Math.max(...ends) - Math.min(...ends))];
        if (rows.length) svg.append(drawn("rect", { class: "range", x: `${from}%`, width: `${width}%`, y: 14 }));
      }
      if (!rows.length) return said.replaceChildren(none);
      const times = rows.flatMap((row) => [row.begin, row.end]).filter((time) => time !== null);
      const minutes = typed ?? [Math.min, Math.max].map((end) => clock(end(...times) - data.start));
      if (times.length && !typed) minutes.forEach((minute, i) => { fields[i].value = minute; });
      const kinds = new Map();
      for (const { kind } of rows) if (kind) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const calls = rows.filter(({ kind }) => kind).length;
      const isKnown = (key) => data.rows.some((row) => row[key] !== null);
      const [first, last] = [rows[0], rows.at(-1)];
      const facts = [
        `${count(calls)} ${calls === 1 ? "call" : "calls"}`,
        `${count(total(rows, "failed"))} failed`,
        ...[...kinds].map(([kind, number]) => `${count(number)} ${kind}`),
        isKnown("tokens") ? `${count(total(rows, "tokens"))}${data.isBound ? "+" : ""} tokens` : "tokens unknown",
        isKnown("usd") ? `≈ ${money(total(rows, "usd"))}${data.isCostBound ? "+" : ""}` : "cost unknown",
      ];
      const head = times.length ? `Minutes ${minutes.join(" to ")}` : "Time unknown";
      const link = linkTo(data, first, `Steps ${count(first.number)} to ${count(last.number)} in the transcript`);
      said.replaceChildren(`${head}: ${facts.join(", ")}. `, link, ...context(last, "Context at its end"));
    };
    const sumBy = (begin, one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const none = one === other ? "Click again where the part ends." : "No step here.";
      sum(data.rows.filter((row) => row[begin] >= from && row[begin] <= to), undefined, none);
    };
    const sumTyped = async () => {
      const typed = fields.map(({ value, placeholder }) => value.trim() || placeholder);
      const [from, to] = typed.map(asMs);
      if (!(from <= to)) return said.replaceChildren("Minutes are written 20 or 20:30, the earlier first.");
      history.replaceState(history.state, "", `#minutes=${typed.join("-")}`);
      await ready();
      sum(data.rows.filter(({ at: ms }) => ms >= from && ms <= to), typed);
    };
    span.addEventListener("change", sumTyped);
    for (const svg of place.querySelectorAll("svg.plot")) {
      const frame = svg.parentNode;
      const [begin, end] = [`${axisOf(svg)} begin`, `${axisOf(svg)} end`];
      const shareOf = (event) => {
        const box = svg.getBoundingClientRect();
        return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
      };
      /* The step that is pointed at: in its lane, no farther than a finger is wide. */
      const near = (event) => {
        const box = svg.getBoundingClientRect();
        const lane = Math.floor((event.clientY - box.top - 16) / 20);
        const share = shareOf(event);
        const far = (row) => Math.max(row[begin] - share, share - row[end], 0) * box.width;
        const rows = data.rows.filter((row) => row.lane === lane && far(row) < (event.pointerType === "touch" ? 12 : 5));
        return rows.sort((a, b) => far(a) - far(b))[0];
      };
      let from = null;
      svg.addEventListener("pointerdown", (event) => { from = shareOf(event); });
      svg.addEventListener("pointermove", async (event) => {
        await ready();
        if (from !== null && event.buttons && Math.abs(shareOf(event) - from) > 0.01) sumBy(begin, from, shareOf(event));
        else if (near(event)) show(near(event));
      });
      svg.addEventListener("dragstart", (event) => event.preventDefault());
      svg.addEventListener("click", async (event) => {
        event.preventDefault();
        const start = from;
        from = null;
        await ready();
        const [row, share] = [near(event), shareOf(event)];
        if (start !== null && Math.abs(share - start) > 0.01) edge = undefined;
        else if (row && (event.pointerType !== "touch" || row === at)) location.href = data.hrefOf(row);
        else if (row) show(row);
        else if (edge === undefined) sumBy(begin, (edge = share), share);
        else {
          sumBy(begin, edge, share);
          edge = undefined;
        }
      });
      Object.assign(frame, { tabIndex: 0, role: "application" });
      frame.setAttribute("aria-label", `Steps. Arrows name one, Shift adds more, Enter opens it.`);
      frame.addEventListener("focus", async () => { if (frame.matches(":focus-visible")) show(at ?? (await ready()).rows[0]); });
      frame.addEventListener("keydown", async (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (event.key === "Enter" && at) location.href = data.hrefOf(at);
        if (!step) return;
        event.preventDefault();
        await ready();
        const row = data.rows[data.rows.indexOf(at) + step];
        if (!row) return;
        if (!event.shiftKey) edge = undefined;
        else edge ??= at[begin];
        show(row);
        if (event.shiftKey) sumBy(begin, edge, row[begin]);
      });
    }
    const named = async () => {
      const minutes = location.hash.match(/^#minutes=([\d:]+)-([\d:]+)$/);
      if (minutes && span.isConnected) {
        fields.forEach((field, i) => { field.value = minutes[i + 1]; });
        place.scrollIntoView();
        sumTyped();
      }
      const number = Number(location.hash.match(/^#[sg](\d+)$/)?.[1]);
      if (number && place.matches(".map")) show((await ready()).rows.findLast((row) => row.number <= number) ?? data.rows[0]);
    };
    addEventListener("hashchange", named);
    named();
  };

  const MOST_CALLS = 300; // of a run that is set beside another

  /* Rows of the calls of two runs: the same call in one row, and between such rows what is in their place. */
  const aligned = (one, other) => {
    const isSame = (i, j) => one[i].kind === other[j].kind && one[i].name === other[j].name;
    const common = [...one, null].map(() => new Uint16Array(other.length + 1)); // calls, from there on
    for (let i = one.length - 1; i >= 0; i--) {
      for (let j = other.length - 1; j >= 0; j--) {
        common[i][j] = isSame(i, j) ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    const next = (begin, from) => {
      for (let i = begin; i < one.length; i++) {
        for (let j = from; j < other.length; j++) if (isSame(i, j) && common[i][j] === common[begin][from]) return [i, j];
      }
      return [one.length, other.length];
    };
    const rows = [];
    for (let [i, j] = [0, 0]; i < one.length || j < other.length; [i, j] = [i + 1, j + 1]) {
      const [begin, from] = [i, j];
      [i, j] = next(begin, from);
      const [left, right] = [one.slice(begin, i), other.slice(from, j)];
      for (let at = 0; at < Math.max(left.length, right.length); at++) rows.push([left[at], right[at]]);
      if (i < one.length) rows.push([one[i], other[j]]);
    }
    return rows;
  };

  /* Sets the calls of any other run beside those of this one. */
  const beside = (place) => {
    const field = Object.assign(make("input"), { placeholder: "name of the run", autocomplete: "off" });
    const names = make("datalist");
    names.id = "beside-runs";
    field.setAttribute("list", names.id);
    const [note, body] = [make("p", "sub"), make("div", "scroll")];
    note.setAttribute("aria-live", "polite");
    Object.assign(body, { tabIndex: 0, role: "group", ariaLabel: "Calls of both runs" });
    place.parentNode.append(make("p", "sub span", make("label", "", "Call by call beside", field), names), note, body);
    const show = async (id) => {
      const pair = await Promise.all([mine, id].map((each) => stepsAt(`${each}/steps-`))).catch(() => null);
      if (!pair) return note.replaceChildren("No run here has this name and published steps.");
      const calls = pair.map((data) => data.rows.filter(({ kind, lane }) => kind && kind === data.lanes[lane]));
      const rows = aligned(...calls.map((all) => all.slice(0, MOST_CALLS)));
      const isApart = ([a, b]) => a?.kind !== b?.kind || a?.name !== b?.name || a?.failed !== b?.failed;
      const [parted, apart] = [rows.findIndex(isApart), rows.filter(isApart).length];
      const cell = (row, data) => {
        if (!row) return make("td");
        const link = linkTo(data, row, make("code", "", row.name));
        if (row.failed) link.className = "bad";
        return make("td", "", make("span", `key s-${row.kind.toLowerCase()}`), `${row.kind} `, link, ...(row.failed ? [" failed"] : []));
      };
      const head = [document.querySelector("h1").textContent, Object.assign(make("a", "", id), { href: `${id}.html` })];
      const table = make("table", "side", make("thead", "", make("tr", "", make("th", "", "Call"), ...head.map((each, i) =>
        make("th", "", each, make("br"), `${count(calls[i].length)} calls, ${count(total(calls[i], "failed"))} failed`)))));
      table.append(make("tbody", "", ...rows.map((row, i) => make(
        "tr", `${isApart(row) ? "differs" : ""}${i === parted ? " parted" : ""}`,
        make("th", "n", count(i + 1)), ...row.map((each, side) => cell(each, pair[side]))))));
      const where = parted < 0 ? "All calls are the same" : `They part at call ${count(parted + 1)}`;
      const most = Math.max(...calls.map((all) => all.length)) > MOST_CALLS ? ` Of each, the first ${MOST_CALLS} calls.` : "";
      note.replaceChildren(`${where}; ${count(apart)} of ${count(rows.length)} rows differ. Subagents are left out.${most}`);
      body.replaceChildren(table);
      history.replaceState(history.state, "", `#beside=${id}`);
    };
    let ids;
    const offer = async () => {
      if (ids) return;
      await load(`${root}data/rows.js`);
      ids = idsOf(window.sitegenRows).filter((id) => id !== mine);
      names.replaceChildren(...ids.map((value) => Object.assign(make("option"), { value })));
    };
    field.addEventListener("focus", () => offer().catch(() => {}));
    field.addEventListener("change", async () => {
      await offer().catch(() => {});
      const wanted = field.value.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
      const exact = !wanted || !ids ? [] : ids.filter((id) => wanted === id || wanted === id.replace(/-[0-9a-f]{12}$/, ""));
      const found = exact.length || !wanted || !ids ? exact : ids.filter((id) => id.includes(wanted));
      if (found.length === 1) return show(found[0]);
      body.replaceChildren();
      history.replaceState(history.state, "", location.pathname);
      const of = window.sitegenRows?.blocks ? `Of the first ${count(ids.length + 1)} runs, ` : "";
      if (!ids) note.replaceChildren("The list of runs could not be loaded.");
      else note.replaceChildren(wanted ? `${of}${count(found.length)} ${of ? "" : "runs "}have this in their name.` : "");
    });
    const asked = () => {
      const [, id] = location.hash.match(/^#beside=(\w[\w-]*)$/) ?? [];
      if (!id) return;
      field.value = id;
      show(id).then(() => note.scrollIntoView());
    };
    addEventListener("hashchange", asked);
    asked();
  };

  /* The filter of a transcript lasts over its pages. */
  const filter = () => {
    const key = `sitegen-show:${location.pathname.replace(/[^/]*$/, "")}`;
    const kept = document.getElementById(sessionStorage.getItem(key));
    if (kept) kept.checked = true;
    document.querySelector(".show")?.addEventListener("change", ({ target }) => sessionStorage.setItem(key, target.id));
  };

  try {
    filter();
    follow();
  } catch {
    // another page has written something else there
  }
  painted.then(start); // no button is worth a later first paint
})();
