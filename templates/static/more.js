/* What the table gets once it has asked for it. */
const { copy, csvCell, make, save } = window.sitegen;
let $, byKey, change, columns, decimal, exported, figure, grouped, ids, isJudged, now, plural, root, schema, table;

window.sitegenMore = (inside) => {
  ({ $, byKey, change, columns, decimal, exported, figure, grouped, ids, isJudged, now, plural, root, schema, table } = inside);
  return { EXPORTS, follow, numberOf, wakeMatrix };
};
