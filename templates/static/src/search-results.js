/* What is shown of the runs that were found. */
import { make, sign } from "./dom.js";
import { siteRoot } from "./places.js";
import { LETTERS, SINGLES, fieldOf, isMarkAlone } from "./query.js";

/** @import { Found, Index, Kind, Which } from "./search-index.js" */
/** @import { Term } from "./query.js" */
/** @typedef {{ begin: number, end: number, word: number }} Match */
/** @typedef {{ step?: string, parts: (Node | string)[] }} Excerpt */

// What becomes a word, as it stands in a text: large letters, accents, composed syllables, ligatures, full width.
const SHOWN = new RegExp(`[${LETTERS}A-Z\\uac00-\\ud7a3\\uf900-\\ufdff\\uff10-\\uffdc]+|[${SINGLES}]`, "gu");

const MAX_STEPS = 3; // of a run that its result leads to
const EXCERPT = 240; // characters

const STEPS_PER_PAGE = 120; // of a transcript

/**
 * Where words that were asked for stand in a text: begin, end, which one.
 * @type {(text: string, which: Which) => Match[]}
 */
const matches = (text, which) =>
  Array.from(text.matchAll(SHOWN), (match) => ({
    begin: match.index,
    end: match.index + match[0].length,
    word: which(match[0]),
  })).filter(({ word }) => word !== undefined);

/**
 * A part of a text with its matches marked.
 * @type {(text: string, found: Match[], from?: number, to?: number) => (Node | string)[]}
 */
function marked(text, found, from = 0, to = text.length) {
  const parts = [];
  let at = from;
  for (const { begin, end } of found.filter((match) => match.begin >= from && match.end <= to)) {
    parts.push(text.slice(at, begin), make("mark", "", text.slice(begin, end)));
    at = end;
  }
  return [...parts, text.slice(at, to)];
}

/**
 * Of the parts of a text the one with most of the words, cut between words, and the step that it is of. What the agent
 * said on the way comes with the numbers of its steps, as search.py writes them.
 * @type {(text: string, which: Which) => Excerpt}
 */
function excerpt(text, which) {
  const [first, ...others] = text.split(/\ue000(\d+) /);
  /** @type {{ text: string, from: number, size: number, found: Match[], step?: string }} */
  let best = { text: first, from: 0, size: 0, found: matches(first, which) };
  /** @type {(part: string, step?: string) => void} */
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

/** @type {(read: Index, kind: Kind, value: string) => HTMLElement} */
export const stateSign = (read, kind, value) => {
  const look = read.kinds[kind].find(([each]) => each === value);
  const [, word, symbol, role] = look ?? [value, value, "ask", "muted"]; // a link may name what is not there
  return make("span", `state ${role}`, sign(symbol), word);
};

/** @type {(id: string, step: string) => string} */
const stepAddress = (id, step) =>
  `${siteRoot}runs/${id}/steps-${Math.floor(Number(step) / STEPS_PER_PAGE) + 1}.html#s${Number(step) + 1}`;

/**
 * The steps in which a run did to a file, or ran, what was asked for: of the fields that the query names, if any.
 * @type {(id: string, acts: string | null, which: Which, terms: Term[]) => HTMLAnchorElement[]}
 */
function steps(id, acts, which, terms) {
  const named = new Set(terms.map(({ word }) => fieldOf(word)));
  const told = Array.from((acts ?? "").matchAll(/^(\d+) (\w+) (.*)$/gm), ([, step, field, target]) => {
    const found = matches(target, which);
    const isNamed = named.has(field) || (field === "edited" && named.has("file"));
    return { step, field, target, found, many: new Set(found.map(({ word }) => word)).size + Number(isNamed) / 2 };
  });
  const isAny = terms.every(({ word }) => isMarkAlone(word)); // a field alone
  return told.filter(({ many }) => many >= (isAny ? 0.5 : 1)).sort((a, b) => b.many - a.many).slice(0, MAX_STEPS).map(({ step, field, target, found }) => {
    const link = make("a", "", `${field}: `, ...marked(target, found));
    link.href = stepAddress(id, step);
    return link;
  });
}

/** @type {(found: Found, shown: any[]) => HTMLElement} */
export function result({ read, which, terms }, [id, name, title, outcome, status, model, slug, campaign, cost, acts, text]) {
  /** @type {(tag: keyof HTMLElementTagNameMap, look: string, parts: (Node | string)[]) => HTMLElement} */
  const foreign = (tag, look, parts) => {
    const made = make(tag, look, ...parts);
    made.dataset.untrusted = "";
    made.dir = "auto";
    return made;
  };
  /** @type {(tag: keyof HTMLElementTagNameMap, look: string, shown: string) => HTMLElement} */
  const heading = (tag, look, shown) => foreign(tag, look, marked(shown, matches(shown, which)));
  const link = /** @type {HTMLAnchorElement} */ (heading("a", "", name));
  link.href = `${siteRoot}runs/${id}.html`;
  const facts = outcome ? [stateSign(read, "outcome", outcome), " · "] : [];
  facts.push(stateSign(read, "status", status));
  if (model) facts.push(" · ", make("span", `key m-${slug}`), heading("span", "", model));
  if (campaign) facts.push(" · ", heading("span", "", campaign));
  facts.push(" · ", cost);
  /** @type {(excerpt: Excerpt) => (Node | string)[]} */
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

/**
 * How many runs were found, in words.
 * @type {(query: string, found: Found) => string}
 */
export function said(query, { terms, isNarrowed, runs: { length }, unknown }) {
  if (!length && unknown.length) return `No run: nothing here has the ${unknown.join(", ")}`;
  if (!terms.length && !isNarrowed) return query.trim() && "Enter at least a letter or a digit";
  if (!length && isNarrowed) return "No run";
  if (!length) {
    return `No run has ${terms.length === 1 ? "this word" : "all these words"} in its name, models, notes, codes, final message, texts, prompts, errors, files and commands. Not searched: thinking, what tools wrote into files and, unless the settings say so, what they returned`;
  }
  return length === 1 ? "1 run" : `${length.toLocaleString("en")} runs`;
}
