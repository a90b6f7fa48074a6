// What pages give to the scripts of sites, for `tsc --checkJs`: see tsconfig.json.

interface Window {
  /** Of loading.js: scripts by their addresses. */
  sitegenLoading?: Record<string, Promise<unknown>>;
  sitegenIsOneFile?: boolean;

  /** Of the scripts of data. */
  sitegenRows: import("../templates/static/src/rows.js").Block;
  sitegenFurtherRows: import("../templates/static/src/rows.js").Block;
  sitegenSteps: any;
  sitegenCharts: Record<string, { spec: any; page: any }>;
  sitegenVega: (place: HTMLElement, spec: any, options: any) => Promise<any>;

  /** Of the scripts of pages, for each other. */
  sitegenJudge?: import("../templates/static/src/judge.js").Judge;
  sitegenMore: import("../templates/static/src/more.js").More;
  sitegenSearch?: any;
  sitegenShare: (section: ParentNode, live: import("../templates/static/src/charts-share.js").LiveCharts | null) => void;
  sitegenTable?: import("../templates/static/src/table.js").TableOfRuns;
}

/** What a selector finds and what an event comes from is known to the page only. */
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}

interface EventTarget {
  closest?: any;
  matches?: any;
}

/** Of the table, when it shows other runs. */
interface DocumentEventMap {
  "sitegen:shown": CustomEvent<{ positions: Uint32Array; total: number }>;
}
