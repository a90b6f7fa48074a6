/* Menus of the table. */

/**
 * A menu that its opener shows and hides; a function that closes it and gives the focus back.
 * @type {(opener: HTMLElement, panel: HTMLElement) => () => void}
 */
export const menu = (opener, panel) => {
  /** @type {(isOpen: boolean) => void} */
  const setOpen = (isOpen) => {
    panel.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
  };
  opener.addEventListener("click", () => setOpen(panel.hidden));
  document.addEventListener("click", (event) => {
    const target = /** @type {Node} */ (event.target);
    if (!panel.contains(target) && !opener.contains(target)) setOpen(false);
  });
  for (const element of [opener, panel]) {
    element.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || panel.hidden) return;
      setOpen(false);
      opener.focus();
    });
    element.addEventListener("focusout", ({ relatedTarget }) => {
      const to = /** @type {Node | null} */ (relatedTarget);
      if (to && !panel.contains(to) && to !== opener) setOpen(false);
    });
  }
  return () => {
    setOpen(false);
    opener.focus();
  };
};
