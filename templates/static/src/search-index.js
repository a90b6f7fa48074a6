/* The index of the search. It lies in scripts that are loaded when a query needs them; search.py says how it is made
   and how runs are ranked. */
import { load } from "./loading.js";
import { siteRoot } from "./places.js";
import { termsOf, unmarked, wordsOf } from "./query.js";
import { B, K1, VALUES, frequencies, place, weigh } from "./search-ranking.js";

/** @import { List } from "./search-ranking.js" */
/** @import { Term } from "./query.js" */
/** @typedef {string} Kind "outcome" or "status". */
/** @typedef {Record<Kind, Set<string>>} Chosen The outcomes and statuses that results are narrowed to. */
/** @typedef {(text: string) => number | undefined} Which Which of the terms a word is. */
/**
 * @typedef {object} Index
 * @property {string} version
 * @property {[runs: number, files: number][]} parts
 * @property {number[]} begins The first run of each part.
 * @property {number[]} textsBefore
 * @property {Float64Array} norms Of each run what its length does to frequencies.
 * @property {number} mean The mean length of runs.
 * @property {Record<Kind, Uint8Array>} codes
 * @property {Record<Kind, string[][]>} kinds Of each value a word, a sign and a role.
 * @property {Record<Kind, number[]>} used
 * @property {string[]} words The first words of the files.
 * @property {string[]} beginnings
 * @property {string[]} fields Keys of the fields that runs state.
 */
/**
 * @typedef {object} Found
 * @property {Index} read
 * @property {number[]} runs
 * @property {Term[]} terms
 * @property {Which} which
 * @property {[Kind, number[]][]} have How many runs each outcome and status would give.
 * @property {boolean} isNarrowed
 * @property {string[]} unknown Outcomes and statuses of a link that no run has.
 */

const NONE = 255; // of a run that has no outcome
const MAX_FILES = 4; // that are loaded for the words that begin with the last one

/** The files of the index that are here, and what other scripts get: `words`, `ids` and `open`. */
export const shards = /** @type {Record<string, any>} */ (window.sitegenSearch = { words: wordsOf });

/**
 * A file of the index. Its address names the build, so that no browser mixes two.
 * @type {(name: string, version?: string) => Promise<any>}
 */
const loadPart = async (name, version) => {
  const query = version ? `?${version}` : "";
  await load(`${siteRoot}search/${name}.js${query}`);
  return shards[name];
};

/**
 * What all queries need: which words and runs lie where.
 * @type {() => Promise<Index>}
 */
async function index() {
  const read = await loadPart("index");
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

/**
 * The part that a run is in, and with it length, status and outcome of its runs.
 * @type {(read: Index, run: number) => Promise<any>}
 */
async function partOf(read, run) {
  const nth = place(read.begins, run) - 1;
  const part = await loadPart(`runs-${nth}`, read.version);
  if (!part.firsts) {
    const begin = read.begins[nth];
    let first = begin;
    part.firsts = part.texts.map((/** @type {number} */ count) => (first += count) - count);
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

/**
 * The number of the file that can hold a word, of those with these first words.
 * @type {(firsts: string[], word: string) => number}
 */
const fileOf = (firsts, word) => Math.max(place(firsts, word) - 1, 0);

/**
 * The words from one to another of a file, with their lists.
 * @type {(read: Index, name: string, from: string, to: string) => Promise<List[]>}
 */
async function lists(read, name, from, to) {
  const shard = await loadPart(name, read.version);
  if (typeof shard[0] === "string") shard.splice(0, 2, shard[0].split(" "), shard[1].split(" "));
  const [terms, found] = shard;
  const end = place(terms, to);
  let begin = place(terms, from);
  if (terms[begin - 1] === from) begin -= 1;
  return terms.slice(begin, end).map((/** @type {string} */ term, /** @type {number} */ i) => ({ exact: term === from, list: found[begin + i] }));
}

/**
 * The lists of a word, and where it goes on those of all words that begin with it.
 * @type {(read: Index, word: string, goesOn: boolean) => Promise<List[]>}
 */
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

/**
 * The status or outcome of a run.
 * @type {(read: Index, kind: Kind, run: number) => string}
 */
const valueOf = (read, kind, run) => read.kinds[kind][read.codes[kind][run]]?.[0];

/**
 * The runs that hold all words of a query, in their order, and how often they hold each.
 * @type {(query: string) => Promise<{ read: Index, terms: Term[], held: Uint8Array[], runs: number[] }>}
 */
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

/**
 * The ids of the runs that a query finds, for the table; null where it has no word.
 * @type {(query: string) => Promise<Set<string> | null>}
 */
shards.ids = async (query) => {
  const { read, terms, runs } = await match(query);
  if (!terms.length) return null;
  const files = await Promise.all(read.parts.map((_, nth) => loadPart(`ids-${nth}`, read.version)));
  const ids = files.flatMap((file) => file.split(" "));
  return new Set(runs.map((run) => ids[run]));
};

/**
 * The runs that hold all words of a query and are of the kinds that are chosen, best first, and how to tell its
 * words; without words, all runs of these kinds. `have` counts what each kind would give.
 * @type {(query: string, chosen: Chosen) => Promise<Found>}
 */
export async function find(query, chosen) {
  const { read, terms, held, runs: all } = await match(query);
  const { length } = read.norms;
  const isNarrowed = Object.values(chosen).some(({ size }) => size);
  const runs = terms.length || isNarrowed ? all : [];
  await Promise.all(read.begins.filter((begin, nth) => place(runs, (read.begins[nth + 1] ?? length) - 1) > place(runs, begin - 1)).map((begin) => partOf(read, begin)));
  const scores = new Float64Array(length);
  for (const doubled of held) weigh(doubled, runs, read.norms, scores);
  /** @type {[Kind, number[]][]} */
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
  /** @type {(text: string) => number | undefined} */
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

/**
 * What is shown of a run.
 * @type {(read: Index, run: number) => Promise<any[]>}
 */
export async function hit(read, run) {
  const { firsts, textsBefore } = await partOf(read, run);
  const nth = place(firsts, run) - 1;
  return (await loadPart(`texts-${textsBefore + nth}`, read.version))[run - firsts[nth]];
}
