/* Elements that scripts make. */

/**
 * An element with its class and what it holds.
 * @type {<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, className?: string, ...content: (Node | string)[]) => HTMLElementTagNameMap[Tag]}
 */
export const make = (tag, className, ...content) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (made instanceof HTMLButtonElement) made.type = "button";
  made.append(...content);
  return made;
};

/**
 * An element of SVG.
 * @type {(tag: string, attributes: Record<string, string | number>, ...content: Node[]) => SVGElement}
 */
export const drawn = (tag, attributes, ...content) => {
  const made = /** @type {SVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...content);
  return made;
};

/**
 * A sign that every page has, by its name.
 * @type {(name: string) => SVGElement}
 */
export const sign = (name) =>
  drawn(
    "svg",
    { class: "sign", width: 13, height: 13, viewBox: "0 0 13 13", "aria-hidden": "true" },
    drawn("use", { href: `#i-${name}` }),
  );
