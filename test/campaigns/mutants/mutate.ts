/** Octets that matter to parsers: ends of ranges, tags, lengths of lengths. */
const telling = [0, 1, 0x1f, 0x30, 0x31, 0x61, 0x7f, 0x80, 0x81, 0x82, 0x84, 0xa0, 0xfe, 0xff];
const changesMax = 4;

type Change = (
  bytes: Uint8Array,
  random: () => number,
  others: readonly Uint8Array[],
) => Uint8Array;

const below = (random: () => number, end: number): number =>
  Math.floor(random() * Math.max(1, end));

const part = (bytes: Uint8Array, random: () => number): [number, number] => {
  const start = below(random, bytes.length);
  return [start, start + 1 + below(random, Math.min(64, bytes.length - start))];
};

const changes: readonly Change[] = [
  (bytes, random) => {
    const bit = below(random, bytes.length * 8);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return bytes;
  },
  (bytes, random) => {
    bytes[below(random, bytes.length)] = telling[below(random, telling.length)] ?? 0;
    return bytes;
  },
  // Headers and lengths are at the front.
  (bytes, random) => {
    bytes[below(random, Math.min(64, bytes.length))] = below(random, 256);
    return bytes;
  },
  (bytes, random) => bytes.subarray(0, below(random, bytes.length)),
  (bytes, random) => {
    const [start, end] = part(bytes, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  (bytes, random) => {
    const [start, end] = part(bytes, random);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  (bytes, random) => {
    const tail = Buffer.from(Array.from({ length: below(random, 40) }, () => below(random, 256)));
    return Buffer.concat([bytes, tail]);
  },
  (bytes, random, others) => {
    const other = others[below(random, others.length)] ?? bytes;
    const [start, end] = part(other, random);
    const at = below(random, bytes.length);
    return Buffer.concat([bytes.subarray(0, at), other.subarray(start, end), bytes.subarray(at)]);
  },
  (bytes, random, others) => {
    const other = others[below(random, others.length)] ?? bytes;
    const at = below(random, Math.min(bytes.length, other.length));
    return Buffer.concat([bytes.subarray(0, at), other.subarray(at)]);
  },
];

/** Changes a seed in one to four ways: bits, octets, cuts, repeats, parts of other seeds. */
export function mutate(seeds: readonly Uint8Array[], random: () => number): Uint8Array {
  let bytes: Uint8Array = Uint8Array.from(seeds[below(random, seeds.length)] ?? []);
  for (let left = 1 + below(random, changesMax); left > 0; left -= 1) {
    const change = changes[below(random, changes.length)];
    if (change) bytes = change(bytes, random, seeds);
  }
  return bytes;
}
