/* The rows of this table, which come as columns from scripts: the first block and what is seen at first, then the rest. */
import { load } from "./loading.js";
import { ranked } from "./ranks.js";
import { decode, fill, fillFurther, isWhole, noRows } from "./rows.js";
import { $, box, table } from "./table-element.js";

/** @import { Block } from "./rows.js" */

/** The rows that are here. */
export const rows = noRows();

/**
 * What scripts of rows set, by their addresses.
 * @type {Record<string, Block>}
 */
let setBy = {};

/** @type {(address: string, name: string, wanted: string) => Promise<Block>} */
const fetched = async (address, name, wanted) => {
  await load(address);
  setBy[address] ??= window[/** @type {"sitegenRows"} */ (name)]; // the next script sets it anew
  if (setBy[address].version !== wanted) throw new Error("the rows are of two builds");
  return setBy[address];
};

/**
 * Loads what is not needed at first: exports, the matrix, words and further blocks.
 * @type {() => Promise<Window["sitegenMore"]>}
 */
export const more = () => load(table.dataset.more).then(() => window.sitegenMore);

/**
 * What the scripts of the blocks behind the first set, in their order.
 * @type {(address: string, name: string) => Promise<Block[]>}
 */
const others = async (address, name) => {
  if (!rows.blocks.length) return [];
  const { loadBlocks } = await more();
  /** @type {(text: string) => void} */
  const say = (text) => {
    $("said").textContent = text;
  };
  const blocks = await loadBlocks(address, rows.blocks, (block, version) => fetched(block, name, version), say);
  if ($("rest")?.contains(document.activeElement)) box.focus({ preventScroll: true }); // it goes
  return blocks;
};

/**
 * Loads the first block.
 * @type {() => Promise<void>}
 */
export const loadFirst = async () => {
  await load(table.dataset.rows);
  decode(rows, window.sitegenRows);
};

let gathering = null; // a promise of all rows

/**
 * Loads all rows or none: what is sorted, filtered or added up of a part of them would be a lie.
 * @type {() => Promise<void>}
 */
export const whole = () =>
  (gathering ??= (async () => {
    if (isWhole(rows)) return;
    try {
      fill(rows, [rows.first, ...(await others(table.dataset.rows, "sitegenRows"))]);
      setBy = {};
      prepare();
      $("rest")?.remove();
    } catch (error) {
      gathering = null;
      throw error;
    }
  })());

let coming = null; // a promise of the further columns

/**
 * Loads the values of the columns that nobody sees at first. After a failure, they are asked for again.
 * @type {() => Promise<void>}
 */
export const further = () =>
  (coming ??= (async () => {
    const { further: address } = table.dataset;
    if (!address) return;
    try {
      await whole();
      const name = "sitegenFurtherRows";
      fillFurther(rows, [await fetched(address, name, rows.version), ...(await others(address, name))]);
    } catch (error) {
      coming = null;
      throw error;
    }
  })());

/**
 * Some browsers find no idle time in a page that draws nothing: not longer than half a second.
 * @type {() => Promise<unknown>}
 */
export const idle = () =>
  new Promise((done) => {
    if (window.requestIdleCallback) {
      requestIdleCallback(done, { timeout: 500 });
    } else {
      setTimeout(done);
    }
  });

/**
 * Ranks the rows, for which the first filter and sort would have to wait.
 * @type {() => Promise<void>}
 */
export const prepare = async () => {
  if (!isWhole(rows)) return;
  for (const column of rows.columns.filter(({ shown }) => shown)) {
    await idle();
    ranked(rows, column);
  }
};
