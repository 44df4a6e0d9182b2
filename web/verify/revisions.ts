/** What one signature of a file covers. */
export interface Revision {
  readonly by: 'seal' | 'time stamp';
  /** From the first byte of the file up to, not with, this one. */
  readonly endsAt: number;
  /** Where its own value stands, which no signature can cover. */
  readonly hole: readonly [from: number, to: number];
}

const revisionsMax = 64;

/** The byte ranges of a file whose form was found good, in their order. */
export function revisionsOf(text: string): Revision[] {
  const ranges = text.matchAll(/\/ByteRange\s{0,9}\[\s{0,9}0 +(\d{1,10}) +(\d{1,10}) +(\d{1,10})/g);
  return Array.from(ranges, ([, start, end, rest], index): Revision => ({
    by: index === 0 ? 'seal' : 'time stamp',
    endsAt: Number(end) + Number(rest),
    hole: [Number(start), Number(end)],
  })).slice(0, revisionsMax);
}
