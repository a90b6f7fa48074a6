/* A strip of steps that can be pointed at. */
import { drawn, make } from "./dom.js";
import { asMs, clock, count, kilobytes, money, total } from "./run-figures.js";
import { held, linkTo, stepsAt } from "./run-steps.js";

/** @import { Step, Steps } from "./run-steps.js" */

/**
 * A strip names the step that is pointed at, and sums up what is chosen: by a drag, two clicks, Shift and arrows, or
 * minutes that are typed.
 * @type {(place: HTMLElement) => void}
 */
export const timeline = (place) => {
  const said = make("p", "sub picked", "Point at a mark; drag, or click twice beside marks, for a sum.");
  said.setAttribute("aria-live", "polite");
  const fields = ["0", place.dataset.minutes].map((placeholder) =>
    Object.assign(make("input"), { placeholder, autocomplete: "off" }));
  const span = make("p", "sub span", make("label", "", "From minute", fields[0]), make("label", "", "to minute", fields[1]));
  place.after(...(Number(place.dataset.minutes) > 0 ? [span] : []), said);
  /** @type {Steps} All steps. */
  let data;
  /** @type {Step | undefined} The one that is named. */
  let at;
  /** @type {number | undefined} Where a range began. */
  let edge;
  const ready = async () => (data ??= await stepsAt(place.dataset.steps));
  /** @type {(svg: any) => string} */
  const axisOf = (svg) => svg.parentNode.className.match(/^x-(\w+)/)?.[1] ?? "steps";
  /** @type {(row: Step, head?: string) => (Node | string)[]} */
  const context = (row, head = "Context") => {
    const sent = data.rows.findLast((each) => each.number <= row.number && each.context !== null)?.context;
    const results = held(data, row).flatMap((each, i) =>
      [i ? ", " : ", largest results: ", linkTo(data, each, each.name.split("/").at(-1)), ` ${kilobytes(each.bytes)}`]);
    return sent ? [`. ${head} ${count(sent)} tokens`, ...results] : [];
  };
  /** @type {(row: Step) => void} */
  const show = (row) => {
    at = row;
    /** @type {(Node | string)[]} */
    const parts = [linkTo(data, row, `Step ${count(row.number)}`), ` ${row.kind || "message"} `];
    if (row.name) parts.push(make("code", "", row.name));
    if (row.failed) parts.push(" ", make("span", "bad", "failed"));
    if (row.begin !== null && row.end > row.begin) parts.push(`, ${clock(row.end - row.begin)}`);
    said.replaceChildren(...parts, ...context(row));
  };
  /** @type {(rows: Step[], typed?: string[], none?: string) => void} */
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
    /** @type {(key: string) => boolean} */
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
  /** @type {(begin: string, one: number, other: number) => void} */
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
    /** @type {(event: MouseEvent) => number} */
    const shareOf = (event) => {
      const box = svg.getBoundingClientRect();
      return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    };
    /**
     * The step that is pointed at: in its lane, no farther than a finger is wide.
     * @type {(event: PointerEvent) => Step | undefined}
     */
    const near = (event) => {
      const box = svg.getBoundingClientRect();
      const lane = Math.floor((event.clientY - box.top - 16) / 20);
      const share = shareOf(event);
      /** @type {(row: Step) => number} */
      const far = (row) => Math.max(row[begin] - share, share - row[end], 0) * box.width;
      const rows = data.rows.filter((row) => row.lane === lane && far(row) < (event.pointerType === "touch" ? 12 : 5));
      return rows.sort((a, b) => far(a) - far(b))[0];
    };
    /** @type {number | null} */
    let from = null;
    svg.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => { from = shareOf(event); });
    svg.addEventListener("pointermove", async (/** @type {PointerEvent} */ event) => {
      await ready();
      if (from !== null && event.buttons && Math.abs(shareOf(event) - from) > 0.01) sumBy(begin, from, shareOf(event));
      else if (near(event)) show(near(event));
    });
    svg.addEventListener("dragstart", (/** @type {Event} */ event) => event.preventDefault());
    svg.addEventListener("click", async (/** @type {PointerEvent} */ event) => {
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
    frame.addEventListener("keydown", async (/** @type {KeyboardEvent} */ event) => {
      const step = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowLeft: -1 })[event.key];
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
