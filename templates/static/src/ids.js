/* The ids of runs, as data of tables have them. */

/**
 * The ids of groups that begin alike: "ab 1 2" is ab1 and ab2.
 * @type {(groups: string[]) => string[]}
 */
export const idsOf = (groups) => groups.flatMap((group) => {
  const [stem, ...rests] = group.split(" ");
  return rests.map((rest) => stem + rest);
});
