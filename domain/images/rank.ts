/** Returns the level of a histogram at which `rank` of its values are counted; else its last. */
export function rankOf(counts: Uint32Array, rank: number): number {
  let seen = 0;
  for (let level = 0; level < counts.length; level += 1) {
    seen += counts[level] ?? 0;
    if (seen >= rank) return level;
  }
  return counts.length - 1;
}
