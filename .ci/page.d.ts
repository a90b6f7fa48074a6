// What pages give to their scripts, for `tsc --checkJs`.

/** What a selector finds is known to the page only, and so is what an event comes from. */
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}
interface EventTarget {
  closest?: any;
  matches?: any;
}
