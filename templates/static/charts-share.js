/* What the menu of a chart saves: its picture, also for a slide, and its numbers. Loaded when it is asked for; charts.js
   hands over how it draws, and what it says of filtered runs. */
"use strict";

window.sitegenShare = ({ colorsOf, embed, libraries, said, withOpacity }) => {
  const { csvCell, make, save } = window.sitegen;

  /* The chart as it is now, with colours that need no stylesheet; with its title and note, or for a slide as many pixels
     wide as it is asked for. */
  async function picture(id, width) {
    await libraries();
    const { spec } = window.sitegenCharts[id];
    const whole = withOpacity(spec);
    if (width) {
      delete whole.title;
      whole.width = width;
      whole.autosize = { type: "fit-x", contains: "padding" };
    } else {
      const told = said(colorsOf(spec)).map((text) => `${text}.`);
      whole.title = { ...spec.title, subtitle: [...spec.title.subtitle, ...told] };
    }
    const probe = document.body.appendChild(make("span", "")); // the value of a variable may be light-dark()
    // A saved picture lies where the pages of its runs do not.
    const text = JSON.stringify(whole, (key, value) => (key === "href" ? undefined : value)).replace(
      /"(var\(--[\w-]+\))"/g,
      (_, color) => {
        probe.style.color = color;
        return JSON.stringify(getComputedStyle(probe).color);
      },
    );
    probe.remove();
    return (await embed(make("div"), JSON.parse(text))).view;
  }

  const cellText = (cell) => {
    const text = cell.textContent.trim();
    const isNumber = cell.matches("td.n");
    return text === "–" ? "" : csvCell(isNumber ? text.replace(/[,<>+]/g, "").replace("−", "-") : text, isNumber);
  };

  /* Figures are plain numbers; what they are bounds of stands in a column of its own. */
  const BOUNDS = { "<": "less than", ">": "more than", "+": "at least" };
  const boundOf = (cell) => (cell?.matches("td.n") && BOUNDS[/[<>+]/.exec(cell.textContent)?.[0]]) || "";

  const csvOf = (table) => {
    const rows = [...table.rows].map((row) => [...row.cells]);
    const isBounded = rows[0].map((head, i) => rows.some((row) => boundOf(row[i])));
    return rows
      .map((row, nth) =>
        row
          .flatMap((cell, i) => [
            cellText(cell),
            ...(isBounded[i] ? [nth ? boundOf(cell) : csvCell(`${cell.textContent.trim()}: bound`)] : []),
          ])
          .join(","),
      )
      .join("\n");
  };

  /* A character that means something to LaTeX, or that its fonts lack, as LaTeX writes it. */
  const LATEX = {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "[": "{[}", // at the beginning of a row it would be a length
    "*": "{*}",
    "^": "\\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "−": "$-$",
    "×": "$\\times$",
    "≈": "$\\approx$",
    "·": "$\\cdot$",
    "\u202f": "\\,",
  };
  const latexOf = (table) => {
    const rows = [...table.rows].map((row) =>
      [...row.cells].map((cell) =>
        cell.textContent.trim().replace(/[\\~^[*<>−×≈·\u202f&%$#_{}]/g, (sign) => LATEX[sign] ?? `\\${sign}`),
      ),
    );
    const columns = [...table.rows[0].cells].map((cell) => (cell.matches(".n") ? "r" : "l")).join("");
    const [head, ...body] = rows.map((row) => `${row.join(" & ")} \\\\`);
    return [`\\begin{tabular}{${columns}}`, "\\hline", head, "\\hline", ...body, "\\hline", "\\end{tabular}", ""].join("\n");
  };

  const CM = 96 / 2.54; // pixels
  const nameOf = (id, cm) => (cm ? `${id}-${cm}cm` : id);

  return {
    async png({ id }, cm) {
      const canvas = await (await picture(id, cm && cm * CM)).toCanvas(cm ? 300 / 96 : 2);
      const blob = await new Promise((done) => {
        canvas.toBlob(done);
      });
      save(`${nameOf(id, cm)}.png`, blob);
    },
    async svg({ id }, cm) {
      const text = await (await picture(id, cm && cm * CM)).toSVG();
      save(`${nameOf(id, cm)}.svg`, new Blob([text], { type: "image/svg+xml" }));
    },
    csv(figure) {
      const text = csvOf(figure.querySelector("table"));
      save(`${figure.id}.csv`, new Blob([`${text}\n`], { type: "text/csv" }));
    },
    tex(figure) {
      save(`${figure.id}.tex`, new Blob([latexOf(figure.querySelector("table"))], { type: "text/plain" }));
    },
  };
};
