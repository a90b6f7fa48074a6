/* Figures, leaderboard and matrix follow the filters. Intervals, and who leads, are of all runs: they are left out, and
   the heading of the leaderboard says so. */

const kept = new Map(); // elements -> what they hold when nothing is filtered

const put = (element, ...content) => {
  if (!element) return;
  if (!kept.has(element)) kept.set(element, [...element.childNodes]);
  element.replaceChildren(...content);
};

const back = () => {
  for (const [element, content] of kept) element.replaceChildren(...content);
  kept.clear();
};

const valueOf = (key, i) => byKey.get(key)?.value(i) ?? null;
const listed = (key, rows) => {
  const values = byKey.get(key)?.values;
  return values ? rows.map((i) => values[i]).filter((value) => value !== null) : [];
};

/* A sum, with a plus where something is missing. */
const total = (key, rows, write) => {
  const known = listed(key, rows);
  const bounds = byKey.get(key)?.bounds;
  const isBound = known.length < rows.length || (bounds?.size && rows.some((i) => bounds.has(i)));
  return known.length ? write(sum(known)) + (isBound ? "+" : "") : "–";
};

/* What runs cost: as they report, else at list price where none of them does. */
const costKey = (rows) =>
  !listed("cost_usd", rows).length && listed("computed_cost_usd", rows).length ? "computed_cost_usd" : "cost_usd";
const listSign = (rows) => (costKey(rows) === "cost_usd" ? "" : "≈ ");

/* Runs that began: one that took no turn and sent nothing counts in no mean. */
const begun = (rows) => rows.filter((i) => valueOf("turns", i) !== 0 || valueOf("total_tokens", i));

const judgedOf = (rows) => {
  const keys = ["outcome", "status", "turns", costKey(rows)];
  const { bounds } = byKey.get(keys.at(-1)) ?? {};
  return successOf(rows.map((i) => [...keys.map((key) => valueOf(key, i)), bounds?.has(i)]));
};

const scoreOf = (key) => columns.find(({ score }) => score !== undefined && `score.${score}` === key);

/* The runs with a score that counts. */
const scoredIn = (column, rows) =>
  rows.filter(
    (i) => column.values[i] !== null && !isEnded(valueOf("outcome", i), valueOf("status", i), valueOf("turns", i)),
  );

const NO_INTERVAL = ", no interval while filtered";
const words = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/* The runs that passed of those that were judged, and of these and the lost ones. */
const bothCounts = ({ passed, judged, lost }) => {
  const of = `${count(passed)} of ${count(judged)}`;
  return lost ? `${of} judged; ${count(passed)} of ${count(judged + lost)} counting ${words(lost, "error")}` : of;
};

const boundsIn = (key, rows) => rows.filter((i) => byKey.get(key)?.bounds.has(i) && valueOf(key, i) !== null).length;
const plus = (key, rows) => (boundsIn(key, rows) ? "+" : "");

const TILES = {
  cost: (rows) => {
    const costs = listed("cost_usd", rows);
    const none = rows.length - costs.length;
    const bound = boundsIn("cost_usd", rows);
    const list = total("computed_cost_usd", rows.filter((i) => valueOf("cost_usd", i) === null), money);
    const byList = list === "–" ? "" : ` (≈ ${list} list)`;
    const notes = [
      costs.length > 1 && `median ${money(median(costs))}${plus("cost_usd", rows)} per run`,
      bound && words(bound, "lower bound"),
      none && `${count(none)} ${none === 1 ? "reports" : "report"} none${byList}`,
    ];
    return [total("cost_usd", rows, money), notes.filter(Boolean).join("; ")];
  },
  computed: (rows) => {
    const list = total("computed_cost_usd", rows, money);
    return [list === "–" ? list : `≈ ${list}`, "at list price; none reports a cost"];
  },
  success: (rows) => {
    const { passed, judged, lost, cutShort } = judgedOf(rows);
    const mark = cutShort ? `; ${count(cutShort)} of them cut short` : "";
    const of = lost ? bothCounts({ passed, judged, lost }) : `${count(passed)} of ${words(judged, "judged run")}`;
    return [percent(passed, judged), `${of}${NO_INTERVAL}${mark}`];
  },
  per_success: (rows) => {
    const { each, isBound } = judgedOf(rows);
    if (each === null) return ["–", "too few passed, or report a cost"];
    return [listSign(rows) + money(each) + (isBound ? "+" : ""), "includes failed runs"];
  },
  runs: (rows) => {
    const { names, looks, codes } = byKey.get("status");
    const ended = names.map((_, at) => [rows.filter((i) => codes[i] === at).length, looks[at][0]]);
    const said = ended.filter(([number]) => number).map(([number, word]) => `${count(number)} ${word}`);
    return [count(rows.length), [`of ${count(ids.length)}`, ...said].join(", ")];
  },
  time: (rows) => {
    const times = listed("wall_ms", rows);
    const turns = total("turns", rows, count);
    const said = turns === "–" ? "turns not reported" : `${turns} ${turns === "1" ? "turn" : "turns"}`;
    return [
      total("wall_ms", rows, duration),
      (times.length > 1 ? `median ${duration(median(times))} per run, ` : "") + said,
    ];
  },
  tokens: (rows) => {
    const output = total("output_tokens", rows, countShort);
    return [
      total("total_tokens", rows, countShort),
      output === "–" ? "none reported" : `${output} of them output`,
    ];
  },
  hits: (rows) => {
    const kinds = ["cache_read_tokens", "cache_write_tokens", "input_tokens"].map((key) => byKey.get(key));
    const whole = rows.filter((i) => kinds.every((kind) => kind && kind.values[i] !== null && !kind.bounds.has(i)));
    const counts = kinds.map((kind) => sum(rows.map((i) => kind?.values[i] ?? 0)));
    const sent = sum(counts);
    if (!whole.length || !sent) return ["–", sent ? "tokens sent are not fully reported" : "no tokens reported"];
    const lacksReads = rows.some((i) => kinds[0].values[i] === null && kinds.some((kind) => kind.values[i]));
    const sentText = countShort(sent) + (whole.length < rows.length ? "+" : "");
    return [percent(counts[0], sent) + (lacksReads ? "+" : ""), `of ${sentText} tokens sent came from the cache`];
  },
};

const scoreTile = (column, rows) => {
  if (!column) return ["–", "not a column of the table"]; // as the table has not all of many
  const known = scoredIn(column, rows).map((i) => column.values[i]);
  const text = column.share
    ? percent(sum(known), known.length)
    : meanScore(mean(known, column.ratio), column.unit);
  return [text, words(known.length, "run") + NO_INTERVAL];
};

const drawTiles = (rows) => {
  for (const tile of document.querySelectorAll("#main > .head [data-figure], #main > .figures [data-figure]")) {
    const { figure: key } = tile.dataset;
    const [text, said] = TILES[key]?.(rows) ?? scoreTile(scoreOf(key), rows);
    const isBound = text.endsWith("+");
    const [big, below] = tile.querySelectorAll("dd");
    put(big, isBound ? text.slice(0, -1) : text, ...(isBound ? [make("small", "", "+")] : []));
    put(below, said);
  }
};

/* A cell of the leaderboard: its figure, and what stands below. */
const LEADS = {
  passed: (rows) => {
    const success = judgedOf(rows);
    return [percent(success.passed, success.judged), success.judged ? bothCounts(success) : ""];
  },
  cost: (rows) => {
    const costs = listed(costKey(rows), begun(rows));
    return [costs.length ? listSign(rows) + money(mean(costs)) + plus(costKey(rows), rows) : "–"];
  },
  per_success: (rows) => {
    const [text] = TILES.per_success(rows);
    return [text, text === "–" && listed(costKey(rows), rows).length ? "too few" : ""];
  },
  time: (rows) => [duration(median(listed("wall_ms", begun(rows))))],
  control: () => ["–"], // comparisons are of all runs
  adds: () => ["–"],
  half: () => ["–"], // the rows do not say which group their task is in
  runs: (rows) => {
    const { cutShort, lost, ended } = judgedOf(rows);
    const isJudged = Boolean(document.querySelector('.leaders [data-key="passed"]'));
    const known = isJudged ? [[cutShort, "cut short"], [lost, lost === 1 ? "error" : "errors"]] : [[ended, "cut short"]];
    const counts = known.filter(([number]) => number);
    return [count(rows.length), counts.map(([number, word]) => `${count(number)} ${word}`).join(", ")];
  },
};

const bestOf = (key, rows, isJudged) => {
  const column = scoreOf(key);
  if (!column) return ["–"];
  const can = scoredIn(column, rows).filter((i) => !isJudged || valueOf("outcome", i) === "pass");
  const sign = column.lower ? -1 : 1;
  const [best] = can.sort((a, b) => sign * (column.values[b] - column.values[a]) || (ids[a] < ids[b] ? -1 : 1));
  if (best === undefined) return ["–"];
  const link = make("a", "", byKey.get("name").text(best));
  link.href = `${root}runs/${ids[best]}.html`;
  return [column.text(best) + unitBehind(column.unit), link];
};

const drawLeaders = (rows) => {
  const board = document.querySelector(".leaders[data-by]");
  if (!board) return;
  const isJudged = Boolean(board.querySelector('[data-key="passed"]'));
  const group = byKey.get(board.dataset.by);
  const note = document.querySelector("#leaderboard .muted");
  put(note, `of ${count(rows.length)} of ${words(ids.length, "run")} (ranking and intervals hidden while filtered)`);
  board.classList.add("narrowed");
  for (const row of board.tBodies[0].rows) {
    const at = group.names.indexOf(row.dataset.name);
    const own = rows.filter((i) => group.positions[group.codes[i]].includes(at));
    row.classList.toggle("none", !own.length);
    put(row.querySelector("th small")); // whether it leads
    for (const cell of row.querySelectorAll("[data-key]")) {
      const [kind, key] = cell.dataset.key.split(/ (.*)/);
      const [text, below] =
        kind === "score" ? [scoreTile(scoreOf(key), own)[0]]
        : kind === "best" ? bestOf(key, own, isJudged)
        : LEADS[kind](own);
      put(cell, make("strong", "", text), ...(below ? [make("small", "", below)] : []));
    }
  }
};

/* Marks of runs that are filtered out fade, and each cell counts the others. */
const drawMatrix = (rows, isNarrowed) => {
  const matrix = document.querySelector(".matrix");
  if (!matrix) return;
  const shown = new Set(rows.map((i) => `${ids[i]}.html`));
  for (const mark of matrix.querySelectorAll(".plot > a")) {
    mark.classList.toggle("out", isNarrowed && !shown.has(mark.getAttribute("href").split("/").at(-1)));
  }
  if (!isNarrowed) return;
  const heads = [...matrix.tHead.querySelectorAll("[data-name]")].map(({ dataset }) => dataset.name);
  const cells = new Map(); // task and column, and column alone -> rows
  for (const i of rows) {
    const [task, head] = [valueOf("task", i), whose(i) ?? null];
    for (const key of [JSON.stringify([task, head]), JSON.stringify([head])]) {
      if (!cells.has(key)) cells.set(key, []);
      cells.get(key).push(i);
    }
  }
  const pass = matrix.classList.contains("dense") ? "" : " pass";
  const isTotal = (row) => row.dataset.name === undefined;
  for (const row of [...matrix.tBodies[0].rows, ...matrix.tFoot.rows]) {
    row.querySelectorAll(".say").forEach((cell, at) => {
      if (cell.textContent === "–") return;
      const own = cells.get(JSON.stringify(isTotal(row) ? [heads[at]] : [row.dataset.name, heads[at]])) ?? [];
      if (!own.length) return put(cell, "–");
      const { passed, judged } = judgedOf(own);
      const [strong, rest] = judged
        ? [count(passed), `of ${count(judged)}${pass}`]
        : [count(own.length), own.length === 1 ? "run" : "runs"];
      put(cell, make("strong", "", strong), " ", make("span", "muted", rest));
    });
  }
};

/* What cannot follow says whose it is: sentences, and the headings of sections. */
const drawBases = () => {
  for (const heading of document.querySelectorAll("[data-all]")) {
    const base = `${heading.dataset.all} of all ${words(ids.length, "run")}`.trim();
    put(heading, ...heading.childNodes, " ", make("small", "muted", base));
  }
};

const follow = (positions) => {
  const rows = [...positions];
  const isNarrowed = rows.length < ids.length;
  back();
  document.querySelector(".leaders")?.classList.remove("narrowed");
  for (const row of document.querySelectorAll(".leaders .none")) row.classList.remove("none");
  for (const box of document.querySelectorAll(".figures, .leaders")) {
    box.style[box.matches("table") ? "height" : "minHeight"] = isNarrowed ? `${box.getBoundingClientRect().height}px` : ""; // what stands below stays
  }
  drawMatrix(rows, isNarrowed);
  if (!isNarrowed) return;
  drawTiles(rows);
  drawLeaders(rows);
  drawBases();
};
