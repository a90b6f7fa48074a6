/* Where the site lies. */

const currentScript = /** @type {HTMLScriptElement} */ (document.currentScript);

/** The address of the top of the site; of one file, its own. */
export const siteRoot = currentScript.src.replace(/assets\/[^/]*$/, "") || location.href.split("#")[0];

/** At an address, that of all its versions: see store/site.py. */
export const home = siteRoot.replace(/v-[0-9a-f]{12}\/$/, "");
