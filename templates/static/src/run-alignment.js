/* Which calls of two runs are the same. */

/** @typedef {{ kind: string, name: string }} Call */

/**
 * Rows of the calls of two runs: the same call in one row, and between such rows what is in their place.
 * @type {<C extends Call>(one: C[], other: C[]) => (C | undefined)[][]}
 */
export const aligned = (one, other) => {
  /** @type {(i: number, j: number) => boolean} */
  const isSame = (i, j) => one[i].kind === other[j].kind && one[i].name === other[j].name;
  const common = [...one, null].map(() => new Uint16Array(other.length + 1)); // calls, from there on
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      common[i][j] = isSame(i, j) ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  /** @type {(begin: number, from: number) => [number, number]} */
  const next = (begin, from) => {
    for (let i = begin; i < one.length; i++) {
      for (let j = from; j < other.length; j++) if (isSame(i, j) && common[i][j] === common[begin][from]) return [i, j];
    }
    return [one.length, other.length];
  };
  const rows = [];
  for (let [i, j] = [0, 0]; i < one.length || j < other.length; [i, j] = [i + 1, j + 1]) {
    const [begin, from] = [i, j];
    [i, j] = next(begin, from);
    const [left, right] = [one.slice(begin, i), other.slice(from, j)];
    for (let at = 0; at < Math.max(left.length, right.length); at++) rows.push([left[at], right[at]]);
    if (i < one.length) rows.push([one[i], other[j]]);
  }
  return rows;
};
