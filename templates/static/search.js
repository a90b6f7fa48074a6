/* Full-text search. The index lies in scripts that are loaded when a query needs them; search.py says how it is made
 and how runs are ranked. On search.html the results stand in the page, elsewhere in a dialog. */
// What becomes a word, as it stands in a text: large letters, accents, composed syllables, ligatures, full width.
const SHOWN = new RegExp(`[${LETTERS}A-Z\\uac00-\\ud7a3\\uf900-\\ufdff\\uff10-\\uffdc]+|[${SINGLES}]`, "gu");

// Numbers of the index: each sign stands for its place here.
const DIGITS = "#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
const VALUES = new Uint8Array(128);

[...DIGITS].forEach((sign, value) => {
  VALUES[sign.charCodeAt(0)] = value;
});

const LAST = 60; // values of a sign that ends a number; the others say that it goes on
const MORE = 26;
const NONE = 255; // of a run that has no outcome
const K1 = 2; // of BM25: how much more a word counts that a run repeats
const B = 0.5; // of BM25: how much less it counts in a long run
const MAX_FILES = 4; // that are loaded for the words that begin with the last one
const MAX_STEPS = 3; // of a run that its result leads to
const HITS = 6; // results that are shown at once
const EXCERPT = 240; // characters

const STEPS_PER_PAGE = 120; // of a transcript

const root = document.currentScript.src.replace(/assets\/[^/]*$/, "");
const shards = (window.sitegenSearch = { words: wordsOf });
const { make, sign } = window.sitegen;

/* A file of the index. Its address names the build, so that no browser mixes two. */
const load = async (name, version) => {
  const query = version ? `?${version}` : "";
  await window.sitegen.load(`${root}search/${name}.js${query}`);
  return shards[name];
};

/* How many of these words or numbers in order come before another or equal it. */
function place(ordered, other) {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordered[middle] <= other) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* What all queries need: which words and runs lie where. */
async function index() {
  const read = await load("index");
  if (!read.begins) {
    let count = 0;
    let texts = 0;
    read.begins = [];
    read.textsBefore = [];
    for (const [runs, files] of read.parts) {
      read.begins.push(count);
      read.textsBefore.push(texts);
      count += runs;
      texts += files;
    }
    read.norms = new Float64Array(count); // of the parts that are here, as are the others
    read.codes = Object.fromEntries(Object.keys(read.kinds).map((kind) => [kind, new Uint8Array(count)]));
  }
  return read;
}

/* The part that a run is in, and with it length, status and outcome of its runs. */
async function partOf(read, run) {
  const nth = place(read.begins, run) - 1;
  const part = await load(`runs-${nth}`, read.version);
  if (!part.firsts) {
    const begin = read.begins[nth];
    let first = begin;
    part.firsts = part.texts.map((count) => (first += count) - count);
    part.textsBefore = read.textsBefore[nth];
    for (let i = 0; i < part.lengths.length; i += 1) {
      const length = 2 ** (VALUES[part.lengths.charCodeAt(i)] / 4);
      read.norms[begin + i] = K1 * (1 - B + (B * length) / read.mean);
      for (const [kind, codes] of Object.entries(read.codes)) {
        codes[begin + i] = part[kind][i] === " " ? NONE : part[kind][i];
      }
    }
  }
  return part;
}

/* The number of the file that can hold a word, of those with these first words. */
const fileOf = (firsts, word) => Math.max(place(firsts, word) - 1, 0);

/* The words from one to another of a file, with their lists. */
async function lists(read, name, from, to) {
  const shard = await load(name, read.version);
  if (typeof shard[0] === "string") shard.splice(0, 2, shard[0].split(" "), shard[1].split(" "));
  const [terms, found] = shard;
  const end = place(terms, to);
  let begin = place(terms, from);
  if (terms[begin - 1] === from) begin -= 1;
  return terms.slice(begin, end).map((term, i) => ({ exact: term === from, list: found[begin + i] }));
}

/* The lists of a word, and where it goes on those of all words that begin with it. */
async function listsOf(read, word, goesOn) {
  const first = fileOf(read.words, word);
  const end = goesOn ? fileOf(read.words, `${word}\uffff`) : first;
  const isWide = end - first >= MAX_FILES;
  const asked = [];
  for (let i = first; i <= (isWide ? first : end); i += 1) {
    asked.push(lists(read, `words-${i}`, word, goesOn && !isWide ? `${word}\uffff` : word));
  }
  if (isWide) {
    const shared = lists(read, `beginnings-${fileOf(read.beginnings, word)}`, word, word);
    asked.push(shared.then((all) => all.map(({ list }) => ({ exact: false, list }))));
  }
  return (await Promise.all(asked)).flat();
}

/* For each run twice how often it holds a word: of longer words, the one that says most counts, and half. */
function frequencies(found, count) {
  const whole = new Uint8Array(count);
  const longer = new Uint8Array(count);
  for (const { exact, list } of found) {
    const most = exact ? whole : longer;
    let run = 0;
    let number = 0;
    for (let i = 0; i < list.length; i += 1) {
      const digit = VALUES[list.charCodeAt(i)];
      if (digit >= LAST) {
        number = number * MORE + digit - LAST;
        continue;
      }
      number = number * LAST + digit;
      run += number >> 2;
      most[run] = Math.max(most[run], 1 << (number & 3));
      number = 0;
    }
  }
  for (let run = 0; run < count; run += 1) whole[run] = 2 * whole[run] + longer[run];
  return whole;
}

/* Adds to these runs what one word says for them. */
function weigh(doubled, runs, norms, scores) {
  let holding = 0;
  for (let run = 0; run < doubled.length; run += 1) holding += doubled[run] > 0;
  const rarity = Math.log(1 + (doubled.length - holding + 0.5) / (holding + 0.5)) * (K1 + 1);
  for (const run of runs) {
    const frequency = doubled[run] / 2;
    scores[run] += (rarity * frequency) / (frequency + norms[run]);
  }
}

/* The status or outcome of a run. */
const valueOf = (read, kind, run) => read.kinds[kind][read.codes[kind][run]]?.[0];

/* The runs that hold all words of a query, in their order, and how often they hold each. */
async function match(query) {
  const read = await index();
  const terms = termsOf(query, read.fields);
  const found = await Promise.all(terms.map(({ word, goesOn }) => listsOf(read, word, goesOn)));
  const { length } = read.norms;
  const held = found.map((each) => frequencies(each, length));
  const runs = [];
  for (let run = 0; run < length; run += 1) {
    if (held.every((doubled) => doubled[run])) runs.push(run);
  }
  return { read, terms, held, runs };
}

/* The ids of the runs that a query finds, for the table; null where it has no word. */
shards.ids = async (query) => {
  const { read, terms, runs } = await match(query);
  if (!terms.length) return null;
  const files = await Promise.all(read.parts.map((_, nth) => load(`ids-${nth}`, read.version)));
  const ids = files.flatMap((file) => file.split(" "));
  return new Set(runs.map((run) => ids[run]));
};

/* The runs that hold all words of a query and are of the kinds that are chosen, best first, and how to tell its
   words; without words, all runs of these kinds. `have` counts what each kind would give. */
async function find(query, chosen) {
  const { read, terms, held, runs: all } = await match(query);
  const { length } = read.norms;
  const isNarrowed = Object.values(chosen).some(({ size }) => size);
  const runs = terms.length || isNarrowed ? all : [];
  await Promise.all(read.begins.filter((begin, nth) => place(runs, (read.begins[nth + 1] ?? length) - 1) > place(runs, begin - 1)).map((begin) => partOf(read, begin)));
  const scores = new Float64Array(length);
  for (const doubled of held) weigh(doubled, runs, read.norms, scores);
  const have = Object.entries(read.kinds).map(([kind, values]) => [kind, values.map(() => 0)]);
  const passing = runs.filter((run) => {
    const fails = have.map(([kind]) => chosen[kind].size > 0 && !chosen[kind].has(valueOf(read, kind, run)));
    have.forEach(([kind, numbers], at) => {
      const code = read.codes[kind][run];
      if (code !== NONE && fails.every((failed, each) => !failed || each === at)) numbers[code] += 1;
    });
    return !fails.includes(true);
  });
  passing.sort((a, b) => scores[b] - scores[a] || a - b);
  const bare = terms
    .map(({ word, goesOn }) => ({ word: unmarked(word), goesOn }))
    .filter(({ word }) => word && !word.includes("."));
  const told = new Map(); // texts repeat their words
  const which = (text) => {
    if (!told.has(text)) {
      const at = wordsOf(text)
        .map((each) => bare.findIndex(({ word, goesOn }) => each === word || (goesOn && each.startsWith(word))))
        .find((i) => i >= 0);
      told.set(text, at);
    }
    return told.get(text);
  };
  const unknown = have.flatMap(([kind]) =>
    [...chosen[kind]].filter((value) => !read.kinds[kind].some(([each]) => each === value)).map((value) => `${kind} ${value}`),
  );
  return { read, runs: passing, terms, which, have, isNarrowed, unknown };
}

/* What is shown of a run. */
async function hit(read, run) {
  const { firsts, textsBefore } = await partOf(read, run);
  const nth = place(firsts, run) - 1;
  return (await load(`texts-${textsBefore + nth}`, read.version))[run - firsts[nth]];
}

/* Where words that were asked for stand in a text: begin, end, which one. */
const matches = (text, which) =>
  Array.from(text.matchAll(SHOWN), (match) => ({
    begin: match.index,
    end: match.index + match[0].length,
    word: which(match[0]),
  })).filter(({ word }) => word !== undefined);

/* A part of a text with its matches marked. */
function marked(text, found, from = 0, to = text.length) {
  const parts = [];
  let at = from;
  for (const { begin, end } of found.filter((match) => match.begin >= from && match.end <= to)) {
    parts.push(text.slice(at, begin), make("mark", "", text.slice(begin, end)));
    at = end;
  }
  return [...parts, text.slice(at, to)];
}

/* Of the parts of a text the one with most of the words, cut between words, and the step that it is of. What the agent
   said on the way comes with the numbers of its steps, as search.py writes them. */
function excerpt(text, which) {
  const [first, ...others] = text.split(/\ue000(\d+) /);
  let best = { text: first, from: 0, size: 0, found: matches(first, which) };
  const look = (part, step) => {
    const found = matches(part, which);
    found.forEach(({ begin }, i) => {
      const near = new Set();
      for (let j = i; j < found.length && found[j].end <= begin + EXCERPT - 60; j += 1) near.add(found[j].word);
      if (near.size > best.size) best = { text: part, from: begin, size: near.size, found, step };
    });
  };
  look(first);
  for (let i = 0; i < others.length; i += 2) look(others[i + 1], others[i]);
  const { text: part, found, step } = best;
  let from = Math.max(Math.min(best.from - 60, part.length - EXCERPT), 0);
  if (from) from += part.slice(from, Math.min(from + 40, best.from)).indexOf(" ") + 1;
  let to = Math.min(from + EXCERPT, part.length);
  if (to < part.length && part.lastIndexOf(" ", to) > to - 40) to = part.lastIndexOf(" ", to);
  if (part.codePointAt(from - 1) > 0xffff) from -= 1; // not through the middle of a character
  if (part.codePointAt(to - 1) > 0xffff) to += 1;
  return { step, parts: [from ? "… " : "", ...marked(part, found, from, to), to < part.length ? " …" : ""] };
}

const state = (read, kind, value) => {
  const look = read.kinds[kind].find(([each]) => each === value);
  const [, word, symbol, role] = look ?? [value, value, "ask", "muted"]; // a link may name what is not there
  return make("span", `state ${role}`, sign(symbol), word);
};

const stepAddress = (id, step) =>
  `${root}runs/${id}/steps-${Math.floor(step / STEPS_PER_PAGE) + 1}.html#s${Number(step) + 1}`;

/* The steps in which a run did to a file, or ran, what was asked for: of the fields that the query names, if any. */
function steps(id, acts, which, terms) {
  const named = new Set(terms.map(({ word }) => fieldOf(word)));
  const told = Array.from((acts ?? "").matchAll(/^(\d+) (\w+) (.*)$/gm), ([, step, field, target]) => {
    const found = matches(target, which);
    const isNamed = named.has(field) || (field === "edited" && named.has("file"));
    return { step, field, target, found, many: new Set(found.map(({ word }) => word)).size + isNamed / 2 };
  });
  const isAny = terms.every(({ word }) => isMarkAlone(word)); // a field alone
  return told.filter(({ many }) => many >= (isAny ? 0.5 : 1)).sort((a, b) => b.many - a.many).slice(0, MAX_STEPS).map(({ step, field, target, found }) => {
    const link = make("a", "", `${field}: `, ...marked(target, found));
    link.href = stepAddress(id, step);
    return link;
  });
}

function result({ read, which, terms }, [id, name, title, outcome, status, model, slug, campaign, cost, acts, text]) {
  const foreign = (tag, look, parts) => {
    const made = make(tag, look, ...parts);
    made.dataset.untrusted = "";
    made.dir = "auto";
    return made;
  };
  const heading = (tag, look, shown) => foreign(tag, look, marked(shown, matches(shown, which)));
  const link = heading("a", "", name);
  link.href = `${root}runs/${id}.html`;
  const facts = outcome ? [state(read, "outcome", outcome), " · "] : [];
  facts.push(state(read, "status", status));
  if (model) facts.push(" · ", make("span", `key m-${slug}`), heading("span", "", model));
  if (campaign) facts.push(" · ", heading("span", "", campaign));
  facts.push(" · ", cost);
  const quoted = ({ step, parts }) => {
    if (!step) return parts;
    const at = make("a", "", `Step ${Number(step) + 1}`);
    at.href = stepAddress(id, step);
    return [at, ": ", ...parts];
  };
  return make(
    "li",
    "",
    link,
    ...(title ? [heading("p", "title", title)] : []),
    make("p", "meta", ...facts),
    ...(text ? [foreign("p", "excerpt", quoted(excerpt(text, which)))] : []),
    ...steps(id, acts, which, terms).map((step) => foreign("p", "excerpt", [step])),
  );
}

/* How many runs were found, in words. */
function said(query, { terms, isNarrowed, runs: { length }, unknown }) {
  if (!length && unknown.length) return `No run: nothing here has the ${unknown.join(", ")}`;
  if (!terms.length && !isNarrowed) return query.trim() && "Enter at least a letter or a digit";
  if (!length && isNarrowed) return "No run";
  if (!length) {
    return `No run has ${terms.length === 1 ? "this word" : "all these words"} in its name, models, notes, codes, final message, texts, prompts, errors, files and commands. Not searched: thinking, what tools wrote into files and, unless the settings say so, what they returned`;
  }
  return length === 1 ? "1 run" : `${length.toLocaleString("en")} runs`;
}

/* Field, count and results; `changed` hears every new query, `beside` stands beside the field. */
function panel(changed, ...beside) {
  const input = make("input");
  const count = make("p", "sub");
  const kinds = make("div", "kinds");
  const chosen = { outcome: new Set(), status: new Set() };
  const list = make("ol", "hits");
  const more = make("button");
  Object.assign(input, { type: "search", autocomplete: "off", spellcheck: false });
  input.placeholder = "Words, or edited:io.py failed:pytest tests:none";
  input.setAttribute("aria-label", "Search all runs");
  count.setAttribute("role", "status");
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", "Runs found");
  Object.assign(more, { hidden: true, textContent: "Show more" });
  const box = make("div", "search", make("div", "field", input, ...beside), kinds, count, list, more);
  box.setAttribute("role", "search");
  let asked = 0;
  let latest;

  /* What the results can be narrowed to: the outcomes and statuses that runs have, and how many of each. */
  const buttons = new Map();
  function drawKinds({ read, have, terms, isNarrowed }) {
    const all = new Map(have);
    for (const [kind, values] of Object.entries(chosen)) {
      const used = read.used[kind].map((at) => read.kinds[kind][at][0]);
      if (used.length < 2 && !values.size) continue;
      if (!buttons.has(kind)) {
        const group = make("div", "facet");
        group.setAttribute("role", "group");
        group.setAttribute("aria-label", kind);
        kinds.append(group);
        buttons.set(kind, { group, byValue: new Map() });
      }
      const { group, byValue } = buttons.get(kind);
      for (const value of new Set([...used, ...values])) {
        if (byValue.has(value)) continue;
        const button = make("button", "", state(read, kind, value), " ", make("small"));
        button.addEventListener("click", () => {
          if (!values.delete(value)) values.add(value);
          ask();
        });
        byValue.set(value, button);
        group.append(button);
      }
      for (const [value, button] of byValue) {
        const number = all.get(kind)[read.kinds[kind].findIndex(([each]) => each === value)] ?? 0;
        button.setAttribute("aria-pressed", values.has(value));
        button.lastChild.textContent = terms.length || isNarrowed ? number.toLocaleString("en") : "";
      }
    }
  }

  /* The first results, or the next ones below them. */
  async function show(shown) {
    const mine = asked;
    const { runs } = latest;
    if (!shown) more.hidden = true; // later it keeps the focus until there are more
    const found = latest;
    const hits = await Promise.all(runs.slice(shown, shown + HITS).map((run) => hit(found.read, run)));
    if (mine !== asked) return;
    if (!shown) list.replaceChildren();
    list.append(...hits.map((one) => result(found, one)));
    if (shown) list.children[shown].querySelector("a").focus();
    more.hidden = list.children.length >= runs.length;
  }
  let isGoingOn = false;
  async function showMore() {
    if (isGoingOn) return;
    isGoingOn = true;
    const mine = asked;
    try {
      await show(list.children.length);
      if (mine === asked) count.textContent = said(input.value, latest);
    } catch {
      if (mine === asked) count.textContent = "The next results could not be loaded; try again";
    }
    isGoingOn = false;
  }
  async function ask() {
    const mine = (asked += 1);
    const query = input.value;
    list.setAttribute("aria-busy", "true");
    changed(query, chosen);
    try {
      const found = await find(query, chosen);
      if (mine !== asked) return;
      latest = found;
      drawKinds(found);
      count.textContent = said(query, found);
      await show(0);
    } catch {
      if (mine !== asked) return;
      count.textContent = "The search index could not be loaded";
      list.replaceChildren();
    }
    if (mine === asked) list.removeAttribute("aria-busy");
  }
  input.addEventListener("input", ask);
  more.addEventListener("click", showMore);
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // Enter and arrows choose what an input method offers
    const stops = [input, ...list.querySelectorAll("a")];
    const at = stops.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && at >= 0) {
      event.preventDefault();
      stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
    } else if (event.key === "Enter" && at === 0 && stops[1] && !list.hasAttribute("aria-busy")) {
      stops[1].click();
    }
  });
  return {
    box,
    open: (query, given, isTyped) => {
      if (query !== undefined) input.value = query;
      for (const [kind, values] of Object.entries(given ?? {})) {
        chosen[kind].clear();
        for (const value of values) chosen[kind].add(value);
      }
      input.focus();
      if (!isTyped) input.select(); // else the next letter goes on
      ask();
    },
  };
}

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
    link.href = `${root}search.html${address(query, chosen)}`;
  }, close);
  const dialog = make("dialog", "", box, make("p", "sub", link));
  const shut = () => {
    document.activeElement.blur(); // else a key pressed before the next frame goes into the hidden field
    dialog.close();
  };
  close.addEventListener("click", shut);
  dialog.setAttribute("aria-label", "Search");
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) shut();
  });
  const keep = (search) => history.replaceState({ ...history.state, search }, ""); // Back to here opens it again
  // The window hears a click after the document, where the table keeps its own state.
  addEventListener("click", ({ target, altKey, ctrlKey, metaKey, shiftKey }) => {
    const isLeft = dialog.contains(target) && target.closest("a") && !altKey && !ctrlKey && !metaKey && !shiftKey;
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
  shards.open = (typed) => {
    if (!dialog.open) dialog.showModal();
    open(typed || history.state?.search, {}, Boolean(typed));
  };
}
