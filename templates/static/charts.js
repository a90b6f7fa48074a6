// Live charts. The drawings stand in the page; the first touch of one loads Vega and puts the live chart in its place.
// Whatever fails, the drawing stays.
(() => {
  "use strict";
  const section = document.querySelector("[data-bundle]");
  if (!section || !window.ResizeObserver) return;

  const load = (address) => new Promise((loaded, failed) => {
    const script = document.createElement("script");
    script.onload = loaded;
    script.onerror = failed;
    script.src = address;
    document.head.append(script);
  });
  let libraries;

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const showTip = (handler, event, item, text) => {
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 12, document.documentElement.clientWidth - width - 4);
    const above = event.clientY - height - 10;
    tip.style.left = `${Math.max(left, 4)}px`;
    tip.style.top = `${above < 4 ? event.clientY + 18 : above}px`;
  };
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  const mount = async (box) => {
    libraries ??= Promise.all([load(section.dataset.bundle), load(section.dataset.charts)]);
    await libraries;
    const spec = window.sitegenCharts[box.dataset.chart];
    const width = () => Math.max(box.clientWidth - spec.padding.left - spec.padding.right, 40);
    const live = document.createElement("div");
    live.className = "live";
    live.setAttribute("aria-hidden", "true");
    box.append(live);
    try {
      const { view } = await window.sitegenVega(live, { ...spec, width: width() }, {
        mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, tooltip: showTip,
      });
      if (box.contains(document.activeElement)) throw new Error("focused meanwhile");
      box.classList.add("is-live");
      new ResizeObserver(() => view.width(width()).runAsync()).observe(box);
    } catch {
      live.remove();
    }
  };
  // A drawing whose link has the keyboard's focus stays: the live chart has no links to move it to.
  const touched = ({ currentTarget: box }) => {
    if (box.contains(document.activeElement)) return;
    box.removeEventListener("pointerenter", touched);
    mount(box).catch(() => {});
  };
  for (const box of section.querySelectorAll("[data-chart]")) box.addEventListener("pointerenter", touched);
})();
