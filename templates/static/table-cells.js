/* What stands in the table: cells and rows, heads and the foot. */

/* Marks what a run says, as the templates do. */
const ofRun = (made) => {
  made.dataset.untrusted = "";
  return made;
};

/* A cell with a sign before its word. */
const signed = (column, i, text) => {
  const look = column.looks[column.codes[i]];
  if (!look) return make("td", "", "–");
  const [word, ...why] = text.split(", ");
  const detail = why.length > 0 ? [",", ofRun(make("span", "detail", ` ${why.join(", ")}`))] : [];
  return make("td", "", make("span", `state ${look[2]}`, signOf(look[1]), word, ...detail));
};

let verdicts = null; // of judge.js, while the reader judges

/* What judge.js is told that the site says of a run. */
const siteSays = (i) =>
  ids[i] && { outcome: byKey.get("outcome")?.value(i) ?? null, note: byKey.get("note")?.values?.[i] ?? "" };

/* The cell in which a run is judged. */
const verdictCell = (i) => {
  const { group, set } = verdicts.controls(ids[i], siteSays(i), byKey.get("name").text(i), true);
  return Object.assign(make("td", "judging", group), { set });
};

/* Cells behind the name of a run that are of no column. */
const besides = (made) => (verdicts ? [made()] : []);

const titles = new Map([...body.querySelectorAll("a[title]")].map((link) => [link.getAttribute("href"), link.title]));

const cell = (column, i) => {
  const text = column.text(i);
  if (column.key === "name") {
    const [task, ...rest] = text.split(/( · )/);
    const isLong = box.classList.contains("long") && rest.length > 0;
    const link = make("a", "", ...(isLong ? [make("span", "task", task), make("span", "rest", rest.join(""))] : [text]));
    const head = ofRun(make("th", "", link));
    link.href = `${root}runs/${ids[i]}.html`;
    if (isWindowed) link.tabIndex = -1; // Tab would never come to the end of them; the arrows lead from row to row
    const title = titles.get(link.getAttribute("href")) || (box.classList.contains("long") && text);
    if (title) link.title = title;
    if (column.about(i)) head.append(" ", make("bdi", "about", column.about(i)));
    head.scope = "row";
    return head;
  }
  if (column.key === "model") {
    const look = column.looks[column.codes[i]];
    return ofRun(make("td", "names", make("span", look ? `key m-${look[0]}` : "key"), text));
  }
  if (column.looks) {
    const made = signed(column, i, text);
    if (column.key === "outcome") window.sitegenJudge?.beside(made, ids[i], column.value(i));
    return made;
  }
  return column.isFigure ? make("td", "n", text) : ofRun(make("td", column.names ? "names" : "", text));
};

/* The bar beside a cost, as long as its share of the largest cost. */
const bar = (value) =>
  make(
    "td",
    "",
    drawn(
      "svg",
      { class: "mini", "aria-hidden": "true" },
      drawn("rect", { class: "soft", width: `${Math.min(1, (value ?? 0) / costly) * 100}%`, height: "100%" }),
      ...(value > costly ? [drawn("path", { class: "over", d: "M76-2l-4 12" })] : []),
    ),
  );

const row = (i) => {
  const made = make("tr");
  for (const column of shownColumns) {
    const one = cell(column, i);
    const mayBeCut = !column.isFigure && column.key !== "name" && box.classList.contains("long");
    if (mayBeCut) one.title = column.text(i);
    made.append(one);
    if (column.key === "name") made.append(...besides(() => verdictCell(i)));
    if (column.key === "cost_usd" && costly) made.append(bar(column.values[i]));
  }
  return made;
};

/* A row that is not seen and as wide as the widest cell of each column: widths stay when rows change. */
const widest = () => {
  const made = make("tr", "widest");
  made.setAttribute("aria-hidden", "true");
  for (const column of shownColumns) {
    made.append((column.widest ??= cellOfMost(column)).cloneNode(true));
    if (column.key === "name") made.append(...besides(() => make("td")));
    if (column.key === "cost_usd" && costly) made.append(bar(0));
  }
  for (const link of made.querySelectorAll("a")) link.replaceWith(link.textContent);
  return made;
};

const cellOfMost = (column) => {
  const width = column.isFigure ? (i) => Math.abs(column.values[i] ?? 0) : (i) => column.text(i).length;
  let [most, size] = [0, 0];
  for (let i = 0; i < ids.length; i++) if (width(i) > size) [most, size] = [i, width(i)];
  if (!column.isFigure) return cell(column, most);
  return make("td", "n", figure(column, column.values[most]) + (column.bounds.size ? "+" : ""));
};

const heads = new Map();

/* The class of the cells of a column: figures, or names, which a phone leaves out of a long table. */
const kindOf = ({ isFigure, names, looks, key }) =>
  isFigure ? "n" : names && (!looks || key === "model") ? "names" : "";

const head = (column) => {
  const sorts = sortsOf(state);
  const nth = sorts.findIndex((sort) => keyOf(sort) === column.key);
  if (!heads.has(column.key)) {
    const made = make("th", kindOf(column), make("button", "", ""));
    made.scope = "col";
    if (column.title) made.title = column.title;
    made.firstChild.addEventListener("click", (event) => sortBy(column, event.shiftKey));
    heads.set(column.key, made);
  }
  const made = heads.get(column.key);
  const direction = nth < 0 ? "" : isDescending(sorts[nth]) ? "descending" : "ascending";
  made.removeAttribute("aria-sort");
  if (nth === 0) made.setAttribute("aria-sort", direction);
  made.firstChild.replaceChildren(column.label);
  if (nth >= 0) {
    made.firstChild.append(
      drawn(
        "svg",
        { class: "arrow", "aria-hidden": "true" },
        drawn("use", { href: `#i-${direction === "descending" ? "down" : "up"}` }),
      ),
    );
    if (sorts.length > 1) made.firstChild.append(make("small", "", String(nth + 1)));
    if (nth > 0) made.firstChild.append(make("span", "off", `, ${direction}`));
  }
  return made;
};

/* Sorts by a column; once more turns the order round, and a third time ends it. With Shift it is a further order. */
const sortBy = (column, isFurther) => {
  const sorts = sortsOf(state);
  const { key } = column;
  const nth = sorts.findIndex((sort) => keyOf(sort) === key);
  const turns = column.isFigure ? [`-${key}`, key] : [key, `-${key}`]; // of figures, the largest are asked for first
  const next = nth < 0 ? turns[0] : sorts[nth] === turns[0] ? turns[1] : null;
  const others = isFurther ? sorts : [];
  if (nth >= 0 && isFurther) {
    others.splice(nth, 1, ...(next ? [next] : []));
  } else if (next) {
    others.push(next);
  }
  change({ sort: others });
};

const completed = () => {
  const status = byKey.get("status");
  const ok = status.names.indexOf("ok");
  return `${grouped(String(positions.reduce((sum, i) => sum + (status.codes[i] === ok), 0)))} completed`;
};

/* How many rows are shown: also of those that are not here, while none is left out. */
const count = () => (isWhole() ? positions.length : rowCount);

const counted = () => (count() === rowCount ? plural(rowCount) : `${grouped(String(count()))} of ${plural(rowCount)}`);

let isFootOf = ""; // the filters that the foot is of; the plain table has the foot of all runs

const drawFoot = () => {
  if (!isWhole()) return; // the plain one is of all
  const filters = fragment({ ...state, sort: null }) + Boolean(verdicts);
  if (filters === isFootOf) return; // a sort changes no sum
  isFootOf = filters;
  const made = make("tr");
  for (const column of shownColumns) {
    if (column.key === "name") {
      made.append(make("th", "", counted()), ...besides(() => make("td")));
    } else if (column.key === "status") {
      made.append(make("td", "muted", completed()));
    } else if (column.key === "outcome") {
      made.append(make("td", "muted", passed() && `${passed()} pass`));
    } else {
      made.append(column.isFigure ? make("td", "n", total(column)) : make("td", kindOf(column)));
    }
    if (column.key === "cost_usd" && costly) made.append(make("td"));
  }
  made.firstChild.scope = "row";
  table.tFoot.replaceChildren(made);
};
