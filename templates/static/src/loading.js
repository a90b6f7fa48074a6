/* Scripts that are loaded when they are needed. */
import { make } from "./dom.js";

/** The promises of the scripts of a page by their addresses: all bundles of the page share them. */
const loading = (window.sitegenLoading ??= {});

/**
 * Loads a script once, and again only after a failure. One file has all of its scripts already.
 * @type {(address: string) => Promise<unknown>}
 */
export const load = (address) => {
  if (window.sitegenIsOneFile) return Promise.resolve();
  return (loading[address] ??= new Promise((loaded, failed) => {
    const script = make("script");
    script.onload = loaded;
    script.onerror = () => {
      delete loading[address];
      failed(new Error(`${address} did not load`));
    };
    script.src = address;
    document.head.append(script);
  }));
};
