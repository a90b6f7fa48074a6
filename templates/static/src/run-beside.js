/* The calls of another run beside those of this one. */
import { make } from "./dom.js";
import { idsOf } from "./ids.js";
import { load } from "./loading.js";
import { siteRoot } from "./places.js";
import { aligned } from "./run-alignment.js";
import { count, total } from "./run-figures.js";
import { mine } from "./run-identity.js";
import { linkTo, stepsAt } from "./run-steps.js";

/** @import { Step, Steps } from "./run-steps.js" */

const MOST_CALLS = 300; // of a run that is set beside another

/**
 * Sets the calls of any other run beside those of this one.
 * @type {(place: HTMLElement) => void}
 */
export const beside = (place) => {
  const field = Object.assign(make("input"), { placeholder: "name of the run", autocomplete: "off" });
  const names = make("datalist");
  names.id = "beside-runs";
  field.setAttribute("list", names.id);
  const [note, body] = [make("p", "sub"), make("div", "scroll")];
  note.setAttribute("aria-live", "polite");
  Object.assign(body, { tabIndex: 0, role: "group", ariaLabel: "Calls of both runs" });
  place.parentNode.append(make("p", "sub span", make("label", "", "Call by call beside", field), names), note, body);
  /** @type {(id: string) => Promise<void>} */
  const show = async (id) => {
    const pair = await Promise.all([mine, id].map((each) => stepsAt(`${each}/steps-`))).catch(() => /** @type {null} */ (null));
    if (!pair) return note.replaceChildren("No run here has this name and published steps.");
    const calls = pair.map((/** @type {Steps} */ data) => data.rows.filter(({ kind, lane }) => kind && kind === data.lanes[lane]));
    const [own, others] = calls.map((all) => all.slice(0, MOST_CALLS));
    const rows = aligned(own, others);
    /** @type {(pair: (Step | undefined)[]) => boolean} */
    const isApart = ([a, b]) => a?.kind !== b?.kind || a?.name !== b?.name || a?.failed !== b?.failed;
    const [parted, apart] = [rows.findIndex(isApart), rows.filter(isApart).length];
    /** @type {(row: Step | undefined, data: Steps) => HTMLElement} */
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
  /** @type {string[] | undefined} */
  let ids;
  const offer = async () => {
    if (ids) return;
    await load(`${siteRoot}data/rows.js`);
    ids = idsOf(JSON.parse(window.sitegenRows.ids)).filter((id) => id !== mine);
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
