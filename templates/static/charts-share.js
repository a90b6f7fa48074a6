/* What the menu below a drawing saves: its picture, also for a paper, and its numbers. On the index it is loaded when a
   menu is opened, and charts.js hands over how live charts are drawn; elsewhere drawings are saved as they stand. */
"use strict";

window.sitegenShare = (section, live) => {
  const { copy, csvCell, make, save } = window.sitegen;
  const CM = 96 / 2.54; // pixels

  /* Colours of a paper, which differ in grey too, and the shapes and dashes of its marks. */
  const INKS = ["#2b2a5e", "#1f7a8c", "#d1722b", "#8fae4b", "#c9c9c9", "#111111"];
  const SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"];
  const DASHES = [[1, 0], [6, 3], [2, 2], [9, 3, 2, 3], [9, 3], [1, 3]];

  function forPaper(spec) {
    const { field, scale } = spec.layer[0].encoding.color;
    const byValue = (range) => ({ field, type: "nominal", legend: null, scale: { domain: scale.domain, range } });
    const layer = spec.layer.map((each, nth) => {
      const encoding = { ...each.encoding };
      if (each.mark.type === "point" && field === "configuration") encoding.shape ??= byValue(SHAPES);
      if (each.mark.type === "line" && encoding.color?.field) encoding.strokeDash ??= byValue(DASHES);
      if (!nth) encoding.color = { ...encoding.color, scale: { ...scale, range: scale.domain.map((_, i) => INKS[i % 6]) } };
      return { ...each, encoding };
    });
    return { ...spec, layer };
  }

  /* The chart as it is now, with colours that need no stylesheet; with its title and note, or for a slide as many pixels
     wide as it is asked for. */
  async function picture(id, width) {
    const { colorsOf, embed, libraries, said, withOpacity } = live;
    await libraries();
    const { spec } = window.sitegenCharts[id];
    const whole = withOpacity(width ? forPaper(spec) : spec);
    if (width) {
      delete whole.title;
      whole.width = width;
      whole.autosize = { type: "fit-x", contains: "padding" };
    } else {
      const told = said(colorsOf(spec)).map((text) => `${text}.`);
      whole.title = { ...spec.title, subtitle: [...spec.title.subtitle, ...told] };
    }
    const probe = document.body.appendChild(make("span", "")); // the value of a variable may be light-dark()
    if (width) probe.style.colorScheme = "light";
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

  const KEPT =
    "fill fill-opacity stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin opacity font-family font-size font-weight text-anchor paint-order transform".split(
      " ",
    );

  const ROOM = 14; // pixels, for words that stand out of a drawing

  /* How marks of the groups of a legend look in a paper: apart in grey too. */
  const MARKS = [["#111", "#111"], ["#fff", "#111"], ["#999", "#111"], ["#ccc", "#777"]];

  /* Drawings that no script has drawn, as they would stand in a page so wide, in the light scheme, below their legend and
     each other. */
  async function still(figure, width, isPaper) {
    const frame = document.body.appendChild(make("iframe", "off"));
    frame.style.width = `${width}px`;
    const page = frame.contentDocument;
    page.documentElement.dataset.scheme = "light";
    const styles = [...document.querySelectorAll("link[rel=stylesheet]")].map(({ href }) => {
      const style = page.createElement("link");
      return Object.assign(style, { rel: "stylesheet", href });
    });
    const loaded = styles.map((style) => new Promise((done) => { style.onload = style.onerror = done; }));
    page.head.append(...styles);
    const drawings = [...figure.querySelectorAll(".legend:has(.key), .chart, .chart-box, .spread")];
    const places = drawings.map((each) => page.body.appendChild(page.importNode(each, true)));
    await Promise.all(loaded);
    const shown = places.flatMap((place) => [...place.querySelectorAll("svg")]).filter((svg) => !svg.parentElement.closest("svg") && svg.getBoundingClientRect().width);
    const above = places[0].getBoundingClientRect().top - ROOM;
    const size = { width, height: Math.ceil(places.at(-1).getBoundingClientRect().bottom - above) + ROOM };
    const whole = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of Object.entries({ ...size, viewBox: `0 0 ${size.width} ${size.height}` })) whole.setAttribute(name, value);
    const keys = places.flatMap((place) => [...place.querySelectorAll(".legend > * > .key, .who > .key")]);
    const looks = new Map();
    const inked = (element, to) => {
      const name = [...element.classList].find((each) => each.startsWith("m-") || each.startsWith("side-"));
      if (name && element.matches(".key") && !looks.has(name)) looks.set(name, MARKS[looks.size % MARKS.length]);
      if (isPaper && looks.has(name)) [to.style.fill, to.style.stroke] = looks.get(name);
    };
    for (const key of keys) {
      const { left, width: side } = key.getBoundingClientRect();
      const foot = key.parentElement.getBoundingClientRect().bottom;
      const mark = document.createElementNS(whole.namespaceURI, "circle");
      for (const [name, value] of Object.entries({ cx: left + side / 2 + 1, cy: foot - above - 9, r: side / 2 - 1 })) mark.setAttribute(name, value);
      mark.style.fill = frame.contentWindow.getComputedStyle(key).backgroundColor;
      inked(key, mark);
      whole.append(mark);
    }
    const words = places.flatMap((place) => [...place.querySelectorAll("p, h3, .legend > *")]);
    for (const word of words) {
      const { bottom: foot } = word.getBoundingClientRect();
      const range = page.createRange();
      range.selectNodeContents(word);
      if (word.firstElementChild?.matches(".key")) range.setStartAfter(word.firstElementChild);
      const { left } = range.getBoundingClientRect();
      const line = document.createElementNS(whole.namespaceURI, "text");
      for (const [name, value] of Object.entries({ x: left, y: foot - above - 5 })) line.setAttribute(name, value);
      for (const name of ["font-family", "font-size", "font-weight"]) line.style.setProperty(name, frame.contentWindow.getComputedStyle(word)[name]);
      line.textContent = word.textContent;
      whole.append(line);
    }
    for (const svg of shown) {
      const { left, top, width: across } = svg.getBoundingClientRect();
      const copied = document.importNode(svg, true);
      const pairs = [svg, ...svg.querySelectorAll("*")].map((from, i) => [from, [copied, ...copied.querySelectorAll("*")][i]]);
      for (const [from, to] of pairs) {
        const style = frame.contentWindow.getComputedStyle(from);
        to.removeAttribute("class");
        for (const name of KEPT) if (!["", "none", "normal", "auto"].includes(style[name]) || name === "fill") to.style.setProperty(name, style[name]);
        inked(from, to);
        if (style.display === "none") to.remove();
        const sign = to.matches("use") && document.querySelector(to.getAttribute("href"));
        if (sign) copied.append(sign.cloneNode(true));
      }
      for (const [name, value] of Object.entries({ x: left, y: top - above, width: across, overflow: "visible" })) copied.setAttribute(name, value);
      whole.append(copied);
    }
    frame.remove();
    return new XMLSerializer().serializeToString(whole);
  }

  /* A picture as the text of an SVG, its size in centimetres where it is to have one. */
  async function svgOf(figure, cm) {
    const width = cm ? cm * CM : figure.querySelector(".chart, .chart-box, .spread").clientWidth;
    const isLive = live && figure.querySelector("[data-chart]");
    const text = await (isLive ? (await picture(figure.id, cm && width)).toSVG() : still(figure, width, cm));
    return cm ? text.replace(/ width="([\d.]+)" height="([\d.]+)"/, (_, wide, high) => ` width="${wide / CM}cm" height="${high / CM}cm"`) : text;
  }

  async function canvasOf(figure, cm, scale) {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(await svgOf(figure, cm))}`;
    await image.decode();
    const width = Math.round((cm ? cm * CM : image.width) * scale);
    const canvas = Object.assign(make("canvas"), { width, height: Math.round((width * image.height) / image.width) });
    const context = canvas.getContext("2d");
    context.fillStyle = "#fff";
    if (cm) context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  }

  /* A PNG that says how large it is, as programs that lay out papers ask. */
  async function sized(blob, dotsAnInch) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const chunk = new DataView(new ArrayBuffer(21));
    const dots = Math.round(dotsAnInch / 0.0254); // a metre
    [9, 0x70485973, dots, dots].forEach((value, i) => chunk.setUint32(4 * i, value));
    chunk.setUint8(16, 1);
    let sum = 0xffffffff; // CRC-32
    for (let i = 4; i < 17; i++) {
      sum ^= chunk.getUint8(i);
      for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    }
    chunk.setUint32(17, ~sum >>> 0);
    return new Blob([bytes.slice(0, 33), chunk, bytes.slice(33)], { type: "image/png" }); // behind the head
  }

  /* A page of PDF that is one picture, so many centimetres wide. */
  async function pdfOf(canvas, cm) {
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    const dots = new Uint8Array(width * height * 3).map((_, i) => data[Math.floor(i / 3) * 4 + (i % 3)]);
    const packed = await new Response(new Blob([dots]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer();
    const wide = (cm / 2.54) * 72;
    const high = (wide * height) / width;
    const draw = `${wide} 0 0 ${high} 0 0 cm /I Do`;
    const objects = [
      ["<</Type/Catalog/Pages 2 0 R>>"],
      ["<</Type/Pages/Kids[3 0 R]/Count 1>>"],
      [`<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${wide} ${high}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`],
      [`<</Length ${draw.length}>>stream\n${draw}\nendstream`],
      [`<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode/Length ${packed.byteLength}>>stream\n`, packed, "\nendstream"],
    ];
    let blob = new Blob(["%PDF-1.4\n"]);
    const places = objects.map((parts, i) => {
      const at = blob.size;
      blob = new Blob([blob, `${i + 1} 0 obj\n`, ...parts, "\nendobj\n"]);
      return `${String(at).padStart(10, "0")} 00000 n \n`;
    });
    const end = `xref\n0 6\n0000000000 65535 f \n${places.join("")}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${blob.size}\n%%EOF\n`;
    return new Blob([blob, end], { type: "application/pdf" });
  }

  const idOf = (figure) => figure.id || figure.getAttribute("aria-labelledby");
  const nameOf = (figure, cm) => (cm ? `${idOf(figure)}-${cm}cm` : idOf(figure));
  const DOTS = 300; // an inch

  const take = {
    async link(figure) {
      location.hash = live ? live.link(figure) : idOf(figure);
      return (await copy(location.href)) ? "Link copied" : "The link is in the address bar";
    },
    async png(figure, cm) {
      const canvas = await canvasOf(figure, cm, cm ? DOTS / 96 : 2);
      const blob = await new Promise((done) => {
        canvas.toBlob(done);
      });
      save(`${nameOf(figure, cm)}.png`, cm ? await sized(blob, DOTS) : blob);
    },
    async svg(figure, cm) {
      save(`${nameOf(figure, cm)}.svg`, new Blob([await svgOf(figure, cm)], { type: "image/svg+xml" }));
    },
    async pdf(figure, cm) {
      save(`${nameOf(figure, cm)}.pdf`, await pdfOf(await canvasOf(figure, cm, (2 * DOTS) / 96), cm));
    },
    csv(figure) {
      const text = csvOf(figure.querySelector("table"));
      save(`${idOf(figure)}.csv`, new Blob([`${text}\n`], { type: "text/csv" }));
    },
    tex(figure) {
      save(`${idOf(figure)}.tex`, new Blob([latexOf(figure.querySelector("table"))], { type: "text/plain" }));
    },
  };

  const menus = [...section.querySelectorAll(".share")];
  for (const menu of menus) {
    const figure = menu.closest("figure, section");
    const status = menu.querySelector("[role=status]");
    for (const item of menu.querySelectorAll("[data-take]")) {
      const { take: what, cm } = item.dataset;
      const isPicture = ["png", "svg", "pdf"].includes(what);
      const isThere = figure.querySelector("[data-chart]") ? live?.isDrawn : figure.querySelector("svg");
      item.parentElement.hidden = isPicture ? !isThere : what !== "link" && !figure.querySelector("table");
      item.addEventListener("click", async (event) => {
        event.preventDefault();
        if (!event.isTrusted) return; // only a person saves a file
        try {
          status.textContent = (await take[what](figure, cm)) ?? "Saved";
        } catch {
          status.textContent = "This did not work here";
        }
      });
    }
    menu.addEventListener("toggle", () => {
      status.textContent = "";
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      menu.open = false;
      menu.firstElementChild.focus();
    });
  }

  addEventListener("click", ({ target }) => {
    for (const menu of menus) {
      if (!menu.contains(target)) menu.open = false;
    }
  });
};

if (!document.getElementById("live-charts")) window.sitegenShare(document, null);
