/* What a page gains by script: a remembered colour scheme, keys, sortable tables. Everything reads without it.
   Loaded before the first paint so that a remembered scheme does not flash; the rest waits for the document. */
"use strict";
(() => {
  const stored = (value) => {  // storage may be refused: from file://, in private windows
    try {
      if (value !== undefined) localStorage.setItem("sitegen-scheme", value);
      return localStorage.getItem("sitegen-scheme");
    } catch { return null; }
  };
  const SCHEMES = { system: "as the system", light: "light", dark: "dark" };
  let scheme = stored() in SCHEMES ? stored() : "system";
  const applyScheme = () => {
    if (scheme === "system") delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = scheme;
  };
  applyScheme();

  function schemeButton(button) {
    const label = () => button.setAttribute("aria-label", `Colour scheme: ${SCHEMES[scheme]}. Change`);
    button.addEventListener("click", () => {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;  // the first click must show something
      const names = dark ? ["system", "light", "dark"] : ["system", "dark", "light"];
      scheme = names[(names.indexOf(scheme) + 1) % names.length];
      stored(scheme);
      applyScheme();
      label();
    });
    label();
    button.hidden = false;
  }

  /* A dialog spares going away and coming back. Where its script is missing, the link leads on. */
  function openSearch(event) {
    const link = document.querySelector("[data-search]");
    event.preventDefault();
    if (window.sitegenSearch) return window.sitegenSearch.open();
    const script = document.createElement("script");
    script.src = link.dataset.search;
    script.onload = () => window.sitegenSearch.open();
    script.onerror = () => { location.href = link.href; };
    document.head.append(script);
  }

  function keys(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, textarea, select, dialog")) return;
    if (event.key === "/" && !document.getElementById("run-table")) return openSearch(event);
    const rel = { j: "next", k: "prev" }[event.key];
    const link = rel && document.querySelector(`.step a[rel=${rel}]`);
    if (link) location.href = link.href;
  }

  const { compare: compareText } = new Intl.Collator("en", { numeric: true });  // attempt 10 comes after attempt 2
  const compare = (a, b) => (typeof a === "number" ? a - b : compareText(a, b));

  /* Orders positions by one column. Unknown values stay last in both directions; equal ones keep their order. */
  function order(values, direction) {
    const known = [], unknown = [];
    values.forEach((value, i) => (value === null ? unknown : known).push(i));
    known.sort((a, b) => direction * compare(values[a], values[b]) || a - b);
    return known.concat(unknown);
  }

  /* The rows of a table that stands whole in its page. */
  function wholeTable(table) {
    const rows = [...table.tBodies[0].rows];
    return {
      ready: (done) => done(),
      values: (column, numeric) => rows.map((row) => {
        const value = row.cells[column].dataset.v;
        return value === undefined ? null : numeric ? Number(value) : value;
      }),
      show: (positions) => table.tBodies[0].append(...positions.map((i) => rows[i])),
    };
  }

  /* The rows of a table that goes on over several pages: they come, when first needed, as columns from a script. */
  function pagedTable(table, count, pages) {
    const pattern = table.tBodies[0].rows[0], size = table.tBodies[0].rows.length;
    const { root } = table.dataset;
    let data, positions, page = 0;
    const text = (column, value) => {
      if (value === null) return "–";
      if (column.clock) {
        const seconds = Math.round(value / 1000);
        if (value && !seconds) return "<0:01";
        return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      }
      const fixed = (value / column.divisor).toFixed(column.decimals);
      if (value && !Number(fixed)) return `<${(10 ** -column.decimals).toFixed(column.decimals)}`;
      const [whole, part] = fixed.split(".");
      return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? `.${part}` : "");
    };
    const row = (i) => {
      const made = pattern.cloneNode(true);
      data.columns.forEach((column, c) => {
        const cell = made.cells[c], value = column.values[i];
        if (column.key === "name") {
          const link = cell.firstElementChild;
          link.href = `${root}runs/${data.ids[i]}.html`;
          link.textContent = value;
          link.removeAttribute("title");
        } else if (column.key === "model") {
          const [name, slug] = column.names[value];
          cell.firstElementChild.className = `key m-${slug}`;
          cell.lastChild.textContent = name;
        } else if (column.key === "status" || column.key === "outcome") {
          cell.replaceChildren();
          if (value === null) {
            cell.textContent = "–";
            return;
          }
          const state = pattern.querySelector(".state").cloneNode(true), [word, sign, role] = column.names[value];
          cell.append(state);
          state.className = `state ${role}`;
          state.querySelector("use").setAttribute("href", `#i-${sign}`);
          state.lastChild.textContent = word;
        } else if (column.key === "bar") {
          cell.firstElementChild.firstElementChild.setAttribute("width", `${value}%`);
        } else {
          cell.textContent = text(column, value) + (column.bounds.includes(i) ? "+" : "");
        }
      });
      return made;
    };
    const draw = () => {
      const last = Math.ceil(positions.length / size) - 1;
      page = Math.min(Math.max(page, 0), last);
      const from = page * size, shown = positions.slice(from, from + size);
      table.tBodies[0].replaceChildren(...shown.map(row));
      count.textContent = `Runs ${from + 1} to ${from + shown.length} of ${positions.length}`;
      const step = (label, by, enabled) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = label;
        button.disabled = !enabled;
        button.addEventListener("click", () => {
          page += by;
          draw();
          pages.querySelectorAll("button")[by < 0 ? 0 : 1].focus();
        });
        return button;
      };
      pages.replaceChildren(step("← Previous", -1, page > 0), step("Next →", 1, page < last));
    };
    return {
      ready(done) {
        if (data) return done();
        const script = document.createElement("script");
        script.src = table.dataset.rows;
        script.addEventListener("load", () => { data = window.sitegenRows; done(); });
        document.head.append(script);
      },
      values: (column) => {
        const { values, names } = data.columns[column];
        return names ? values.map((v) => (v === null ? null : names[v][0])) : values;
      },
      show(sorted) { positions = sorted; page = 0; draw(); },
    };
  }

  function sortable(table) {
    const count = document.getElementById("count");
    const rows = table.dataset.rows
      ? pagedTable(table, count, document.querySelector(".pages")) : wholeTable(table);
    const heads = [...table.tHead.rows[0].cells];
    const arrow = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    arrow.setAttribute("class", "arrow");
    arrow.setAttribute("aria-hidden", "true");
    arrow.append(use);
    heads.forEach((head, column) => {
      if (!head.dataset.key) return;
      const button = document.createElement("button");
      const numeric = head.classList.contains("n");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => rows.ready(() => {
        const before = head.getAttribute("aria-sort");
        const descending = before ? before === "ascending" : numeric;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        use.setAttribute("href", descending ? "#i-down" : "#i-up");
        button.append(arrow);
        rows.show(order(rows.values(column, numeric), descending ? -1 : 1));
      }));
    });
  }

  addEventListener("DOMContentLoaded", () => {
    schemeButton(document.getElementById("scheme"));
    document.querySelectorAll("#run-table").forEach(sortable);
    addEventListener("keydown", keys);
    document.querySelector("[data-search]").addEventListener("click", (event) => {
      if (!event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey) openSearch(event);
    });
  });
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details:not([open])").forEach((fold) => {
      fold.open = true;
      addEventListener("afterprint", () => { fold.open = false; }, { once: true });
    });
  });
})();
