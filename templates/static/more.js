/* What the table gets once it has asked for it. */
const { copy, csvCell, load, make, save } = window.sitegen;
let $, blocks, byKey, change, columns, decimal, exported, fetched, figure, grouped, ids, isJudged, now, plural, root, schema;
let table, whoKey, whose, withAll;

window.sitegenMore = (inside) => {
  ({ $, blocks, byKey, change, columns, decimal, exported, fetched, figure, grouped, ids, isJudged, now, plural } = inside);
  ({ root, schema, table, whoKey, whose, withAll } = inside);
  return { EXPORTS, follow, numberOf, others, query, wakeMatrix };
};
