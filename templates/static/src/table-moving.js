/* Ways through the table: keys, scrolling, paper, and the view that a run's page goes on in. */
import { siteRoot } from "./places.js";
import { $, box } from "./table-element.js";
import { rows } from "./table-rows.js";
import { countShown, positions, verdicts } from "./table-shown.js";
import { firstInSight, rowAt, scrolled, setPrinting, toRow } from "./table-window.js";

const NEAR = 200; // rows before the one that is opened, and behind it

/**
 * Keeps for the page of a run which runs are shown around it, so that previous and next follow this view.
 * @type {(nth: number) => void}
 */
const keepView = (nth) => {
  const first = Math.max(nth - NEAR, 0);
  const { ids, byKey } = rows;
  const runs = Array.from(positions.subarray(first, nth + NEAR), (i) => [ids[i], byKey.get("name").text(i)]);
  const view = { to: ids[positions[nth]], address: location.href, first, total: countShown(), runs };
  try {
    sessionStorage.setItem(`sitegen-view:${siteRoot}`, JSON.stringify(view));
  } catch {
    // then they follow the order of all runs
  }
};

/** Arrows lead from row to row, and digits judge. */
const wakeKeys = () => {
  box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = event.target.closest("[data-nth]");
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return; // Ctrl and 0 is the browser's
    if (verdicts && at && verdicts.KEYS[event.key] !== undefined && !event.target.closest("input")) {
      at.querySelector(".judging").set(verdicts.KEYS[event.key]);
    }
    if (!step || event.target.closest("thead")) return;
    event.preventDefault();
    if (!at) {
      toRow(firstInSight());
    } else if (step < 0 && at.dataset.nth === "0") {
      $("filter").focus();
    } else {
      toRow(Number(at.dataset.nth) + step);
    }
  });
};

const wakeScrolling = () => {
  new ResizeObserver(scrolled).observe(box);
  let isAwaited = false;
  const onScroll = () => {
    if (isAwaited) return;
    isAwaited = true;
    requestAnimationFrame(() => {
      isAwaited = false;
      scrolled();
    });
  };
  box.addEventListener("scroll", onScroll, { passive: true });
};

/** Brings keys, scrolling, paper and links to life. */
export const wakeMoving = () => {
  const help = $("help");
  $("keys").addEventListener("click", () => help.showModal());
  help.querySelector("button").addEventListener("click", () => help.close());
  wakeKeys();
  wakeScrolling();
  addEventListener("beforeprint", () => setPrinting(true));
  addEventListener("afterprint", () => setPrinting(false));
  for (const link of document.querySelectorAll('.alert a[href^="#"], .waste a')) {
    link.addEventListener("click", () => setTimeout(() => $("runs").scrollIntoView())); // far below
  }
};

/** Goes to where the reader was when a link led away, and notes where they are when the next one does. */
export const keepPlace = () => {
  const { top, nth } = history.state ?? {};
  if (top) {
    box.scrollTop = top;
    scrolled();
  }
  if (nth && document.activeElement === document.body) rowAt(nth)?.querySelector("a").focus({ preventScroll: true });
  document.addEventListener("click", ({ target }) => {
    const focusedRow = /** @type {HTMLElement | null} */ (document.activeElement.closest("[data-nth]"));
    const link = target.closest("a");
    if (link) history.replaceState({ top: box.scrollTop, nth: focusedRow?.dataset.nth }, "");
    const opened = link?.closest("[data-nth]")?.dataset.nth;
    if (opened) keepView(Number(opened));
  });
};
