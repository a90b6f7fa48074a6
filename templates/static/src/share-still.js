/* Drawings that no script has drawn, as pictures. */
import { drawn, make } from "./dom.js";

const KEPT =
  "fill fill-opacity stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin opacity font-family font-size font-weight text-anchor paint-order transform".split(
    " ",
  );

const ROOM = 14; // pixels, for words that stand out of a drawing

/* How marks of the groups of a legend look in a paper: apart in grey too. */
const MARKS = [["#111", "#111"], ["#fff", "#111"], ["#999", "#111"], ["#ccc", "#777"]];

/**
 * Drawings that no script has drawn, as they would stand in a page so wide, in the light scheme, below their legend and
 * each other.
 * @type {(figure: HTMLElement, width: number, isPaper: boolean) => Promise<string>}
 */
export async function still(figure, width, isPaper) {
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
  const whole = drawn("svg", { ...size, viewBox: `0 0 ${size.width} ${size.height}` });
  const keys = places.flatMap((place) => [...place.querySelectorAll(".legend > * > .key, .who > .key")]);
  const looks = new Map();
  /** @type {(element: Element) => Record<string, string>} */
  const styleOf = (element) => /** @type {any} */ (frame.contentWindow.getComputedStyle(element));
  /** @type {(element: Element, to: SVGElement) => void} */
  const inked = (element, to) => {
    const name = [...element.classList].find((each) => each.startsWith("m-") || each.startsWith("side-"));
    if (name && element.matches(".key") && !looks.has(name)) looks.set(name, MARKS[looks.size % MARKS.length]);
    if (isPaper && looks.has(name)) [to.style.fill, to.style.stroke] = looks.get(name);
  };
  for (const key of keys) {
    const { left, width: side } = key.getBoundingClientRect();
    const foot = key.parentElement.getBoundingClientRect().bottom;
    const mark = drawn("circle", { cx: left + side / 2 + 1, cy: foot - above - 9, r: side / 2 - 1 });
    mark.style.fill = styleOf(key).backgroundColor;
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
    const line = drawn("text", { x: left, y: foot - above - 5 });
    for (const name of ["font-family", "font-size", "font-weight"]) line.style.setProperty(name, styleOf(word)[name]);
    line.textContent = word.textContent;
    whole.append(line);
  }
  for (const svg of shown) {
    const { left, top, width: across } = svg.getBoundingClientRect();
    const copied = document.importNode(svg, true);
    const pairs = [svg, ...svg.querySelectorAll("*")].map((from, i) => [from, [copied, ...copied.querySelectorAll("*")][i]]);
    for (const [from, to] of pairs) {
      const style = styleOf(from);
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
