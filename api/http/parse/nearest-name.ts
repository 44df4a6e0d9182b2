const lengthMax = 64;

/**
 * Returns the known name closest to a given one; null when none is similar. Ignores case, `_` and
 * `-`, so that `minLevel` finds `min_level`. Allows one edit for each three characters.
 */
export function nearestName(given: string, known: readonly string[]): string | null {
  const plain = plainName(given);
  if (plain === '' || given.length > lengthMax) return null;
  let nearest: string | null = null;
  let fewest = Math.floor(plain.length / 3) + 1;
  for (const name of known) {
    const other = plainName(name);
    if (Math.abs(other.length - plain.length) >= fewest) continue;
    const edits = editDistance(plain, other);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = name;
  }
  return nearest;
}

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/**
 * Returns the optimal string alignment distance: inserts, deletes, substitutions and swaps of
 * neighbors.
 */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
