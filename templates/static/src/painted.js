/* What can wait for the first paint, because it would delay it. */

/** Fulfilled once the page is painted. */
export const painted = new Promise((done) => {
  new PerformanceObserver(done).observe({ type: "paint", buffered: true });
  const later = () => setTimeout(done, 200); // in a hidden tab, nothing is painted
  if (document.readyState === "complete") later();
  else addEventListener("load", later);
});
