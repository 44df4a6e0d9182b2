/** The part of a file that one signature covers. */
export interface Revision {
  readonly by: 'seal' | 'time stamp';
  /** End offset in bytes, exclusive. */
  readonly endsAt: number;
  /** Byte range of the signature value, which no signature can cover. */
  readonly hole: readonly [from: number, to: number];
}

const revisionsMax = 64;

/** Returns the signed revisions of a well-formed file, in order. */
export function revisionsOf(text: string): Revision[] {
  const ranges = text.matchAll(/\/ByteRange\s{0,9}\[\s{0,9}0 +(\d{1,10}) +(\d{1,10}) +(\d{1,10})/g);
  return Array.from(ranges, ([, start, end, rest], index): Revision => ({
    by: index === 0 ? 'seal' : 'time stamp',
    endsAt: Number(end) + Number(rest),
    hole: [Number(start), Number(end)],
  })).slice(0, revisionsMax);
}
