/** How well two classes of answers can be distinguished by their times. */
export interface Separation {
  /**
   * The area under the ROC curve, which is Mann and Whitney’s U divided by the number of pairs: 0.5
   * for indistinguishable classes, 0 or 1 for fully separated ones.
   */
  readonly auc: number;
  /** Distance from 0.5 in standard deviations of chance (no ties). */
  readonly z: number;
}

/** Times of two classes, taken in turn. Ties count half. Throws RangeError for an empty class. */
export function separationOf(one: readonly number[], other: readonly number[]): Separation {
  if (one.length === 0 || other.length === 0) throw new RangeError('a class without times');
  const all = [
    ...one.map((time) => ({ time, isOne: true })),
    ...other.map((time) => ({ time, isOne: false })),
  ].toSorted((a, b) => a.time - b.time);
  let ranks = 0;
  for (let from = 0; from < all.length;) {
    let to = from;
    while (to < all.length && all[to]?.time === all[from]?.time) to += 1;
    const rank = (from + 1 + to) / 2;
    ranks += rank * all.slice(from, to).filter(({ isOne }) => isOne).length;
    from = to;
  }
  const pairs = one.length * other.length;
  const auc = (ranks - (one.length * (one.length + 1)) / 2) / pairs;
  const deviation = Math.sqrt((one.length + other.length + 1) / (12 * pairs));
  return { auc, z: (auc - 0.5) / deviation };
}
