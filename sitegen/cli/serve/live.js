// Keeps a page of `sitegen serve` current: asks for news, loads the page anew where it changed, and keeps its place.
// News come as scripts, because the policy of the pages allows scripts of their own site and no other request.
(() => {
  const { own, number } = document.currentScript.dataset;
  const key = "sitegen-serve";
  let last = Number(number);
  let banner = null;

  // What this page was made of: itself, and every file that it has loaded.
  const mine = () => {
    const base = own.slice(0, -".sitegen-serve/".length);
    const urls = [location.href, ...performance.getEntriesByType("resource").map((entry) => entry.name)];
    return new Set(
      urls
        .map((url) => new URL(url))
        .filter((url) => url.origin === location.origin && url.pathname.startsWith(base))
        .map((url) => decodeURIComponent(url.pathname.slice(base.length)))
        .map((path) => (path === "" || path.endsWith("/") ? `${path}index.html` : path)),
    );
  };

  const scrolled = () =>
    [...document.querySelectorAll("main *")].flatMap((each, at) =>
      each.scrollTop || each.scrollLeft ? [[at, each.tagName, each.scrollLeft, each.scrollTop]] : [],
    );

  const keep = () => {
    const folds = [...document.querySelectorAll("details")].map((each) => each.open);
    const place = { at: location.href, x: scrollX, y: scrollY, folds, scrolled: scrolled() };
    sessionStorage.setItem(key, JSON.stringify(place));
  };

  const restore = () => {
    const kept = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    const place = kept && JSON.parse(kept);
    if (!place || place.at !== location.href) return;
    const folds = document.querySelectorAll("details");
    if (folds.length === place.folds.length) folds.forEach((each, at) => (each.open = place.folds[at]));
    const all = document.querySelectorAll("main *");
    for (const [at, name, left, top] of place.scrolled) {
      if (all[at]?.tagName === name) all[at].scrollTo({ left, top, behavior: "instant" });
    }
    const ends = performance.now() + 1000;
    const scroll = () => {
      scrollTo({ left: place.x, top: place.y, behavior: "instant" });
      if (Math.abs(scrollY - place.y) > 1 && performance.now() < ends) requestAnimationFrame(scroll);
    };
    scroll();
  };

  const say = (text) => {
    banner?.remove();
    banner = null;
    if (!text) return;
    banner = document.createElement("div");
    banner.setAttribute("role", "alert");
    banner.textContent = text;
    const look = {
      position: "fixed", inset: "auto 0 0 0", zIndex: "2147483647", margin: "0", padding: "12px 16px",
      maxHeight: "50vh", overflow: "auto", whiteSpace: "pre-wrap", overflowWrap: "anywhere",
      font: "14px/1.5 ui-monospace, monospace", color: "#fff", background: "#8c1d18", borderTop: "3px solid #f2b8b5",
    };
    Object.assign(banner.style, look);
    document.body.append(banner);
  };

  const ask = (now = false) => {
    if (document.hidden) {
      document.addEventListener("visibilitychange", () => ask(), { once: true });
      return;
    }
    const question = document.createElement("script");
    question.src = `${own}news.js?${last}${now ? "&now" : ""}`;
    question.onload = () => {
      question.remove();
      ask();
    };
    question.onerror = () => {
      question.remove();
      say("sitegen serve has ended, or cannot be reached. This page is as it was.");
      setTimeout(ask, 1000, true);
    };
    document.head.append(question);
  };

  window.sitegenServe = (news) => {
    last = news.number;
    const files = mine();
    if (news.changed === null || news.changed.some((path) => files.has(path))) {
      keep();
      location.reload();
      return;
    }
    say(news.fault && `The last build failed, so the site is as it was before.\n\n${news.fault}`);
  };

  const begin = () => {
    performance.setResourceTimingBufferSize(10000);
    restore();
    ask(true);
  };
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin);
})();
