/* The blocks of rows behind the first, of a table of very many: each is a script of its own. */

/** @import { Block } from "./rows.js" */

/**
 * Loads the blocks by their versions, and says how many are here. A screen reader reads each change aloud, so it is
 * said ten times at most.
 * @type {(
 *   address: string,
 *   versions: string[],
 *   load: (address: string, version: string) => Promise<Block>,
 *   say: (text: string) => void,
 * ) => Promise<Block[]>}
 */
export const loadBlocks = (address, versions, load, say) => {
  let here = 1;
  let isOver = false; // also when one of them has failed, and others still come
  const tenth = Math.ceil(versions.length / 10);
  const all = versions.map(async (version, at) => {
    const place = address.replace(/(-further)?\.js\?.*/, `-${at + 2}$1.js?v=${version}`);
    const block = await load(place, JSON.stringify(version)); // as they state it
    here += 1;
    if (!isOver && here % tenth === 0) say(`Loading rows, ${here} of ${versions.length + 1}`);
    return block;
  });
  return Promise.all(all).finally(() => {
    isOver = true;
    say("");
  });
};
