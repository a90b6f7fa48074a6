/* What leaves a page: files and texts for the clipboard. */
import { make } from "./dom.js";

/**
 * Saves a file of this name.
 * @type {(name: string, blob: Blob) => void}
 */
export const save = (name, blob) => {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

/**
 * Copies a text to the clipboard; whether that was possible.
 * @type {(text: string) => Promise<boolean>}
 */
export const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers may refuse it to a page from a file. The old way needs a selection, and somebody who has just clicked.
    if (!navigator.userActivation.isActive) return false;
    const area = make("textarea", "off", text);
    const back = /** @type {HTMLElement} */ (document.activeElement);
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    back.focus();
    return isCopied;
  }
};
