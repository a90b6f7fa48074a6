/* What the table gets once it has asked for it. */
const { copy, csvCell, load, make, save } = window.sitegen;
let $, blocks, byKey, change, columns, exported, fetched, figure, grouped, ids, now, plural, schema, table, whoKey, whose, withAll;

window.sitegenMore = (inside) => {
  ({ $, blocks, byKey, change, columns, exported, fetched, figure, grouped, ids, now, plural, schema, table } = inside);
  ({ whoKey, whose, withAll } = inside);
  return { EXPORTS, numberOf, others, query, wakeMatrix };
};
