/* What the table loads when it is needed first: exports, the matrix, ranges and words that are typed, further blocks. */
import { loadBlocks } from "./more-blocks.js";
import { EXPORTS } from "./more-exports.js";
import { wakeMatrix } from "./more-matrix.js";
import { marksOf } from "./more-query.js";
import { numberOf } from "./more-typed.js";

/**
 * What the table gets.
 * @typedef {object} More
 * @property {typeof EXPORTS} EXPORTS
 * @property {typeof loadBlocks} loadBlocks
 * @property {typeof marksOf} marksOf
 * @property {typeof numberOf} numberOf
 * @property {typeof wakeMatrix} wakeMatrix
 */

window.sitegenMore = { EXPORTS, loadBlocks, marksOf, numberOf, wakeMatrix };
