/* What the reader asks of the table: its state is the fragment of the address, so that a view can be sent and Back undoes
   a step. */
import { fragment, stateOf } from "./address.js";
import { box } from "./table-element.js";
import { rows } from "./table-rows.js";

/** @import { State } from "./address.js" */
/** @typedef {{ isHistory?: boolean, keepsPlace?: boolean }} Step How a step is drawn. */

/** @type {() => State} */
const stateOfPage = () => stateOf(location.hash.slice(1), (key) => Boolean(rows.byKey.get(key)?.isCategory));

export let state = stateOfPage();

/** Takes the state of the address: names of facets are known once there are rows. */
export const readState = () => {
  state = stateOfPage();
};

/** Asks for all rows in their order, whatever the address says. */
export const clearState = () => {
  state = {};
};

/** @type {(step: Step) => Promise<void> | void} */
let listen = () => {};

/**
 * Names what shows a new state.
 * @type {(listener: (step: Step) => Promise<void> | void) => void}
 */
export const whenChanged = (listener) => {
  listen = listener;
};

/**
 * Takes a step: it stands in the address, and Back undoes it unless it replaces the one before.
 * @type {(changes: State, isReplaced?: boolean) => Promise<void> | void}
 */
export const change = (changes, isReplaced = false) => {
  const merged = fragment({ ...state, ...changes });
  if (merged === fragment(state)) return;
  if (!isReplaced) history.replaceState({ ...history.state, top: box.scrollTop }, "");
  history[isReplaced ? "replaceState" : "pushState"](null, "", merged ? `#${merged}` : location.href.split("#")[0]);
  readState();
  return listen({ keepsPlace: Object.keys(changes).every((key) => key === "columns") });
};
