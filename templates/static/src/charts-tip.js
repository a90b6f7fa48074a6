/* What a mark says, beside the pointer. */
import { make } from "./dom.js";

export const tip = make("div", "tip");
tip.hidden = true;

/** @type {(handler: unknown, event: MouseEvent, item: unknown, text: Record<string, string> | null) => void} */
export const showTip = (handler, event, item, text) => {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = Object.entries(text)
    .map(([title, value]) => (title === "name" ? value : `${title}: ${value}`))
    .join("\n");
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 12, document.documentElement.clientWidth - width - 4);
  const above = event.clientY - height - 10;
  tip.style.left = `${Math.max(left, 4)}px`;
  tip.style.top = `${above < 4 ? event.clientY + 18 : above}px`;
};

/* Puts it into the page. */
export const addTip = () => {
  document.body.append(tip);
  addEventListener(
    "scroll",
    () => {
      tip.hidden = true;
    },
    { passive: true },
  );
};
