import { createHash } from 'node:crypto';

/** Returns the hash of a leaf (RFC 6962 §2.1). */
export function leafHash(entry: string | Uint8Array): Buffer {
  return createHash('sha256').update(Buffer.of(0)).update(entry).digest();
}

/** Returns the hash of a node over its two children (RFC 6962 §2.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();
}

/** The root of a tree without leaves (RFC 6962 §2.1). */
export const emptyRoot = createHash('sha256').digest();

/** A complete subtree of 2^level leaves; `index` counts from the left of its level. */
export interface Place {
  readonly level: number;
  readonly index: number;
}

/** Leaves from `start` to `end`, exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns the largest power of two below a number over one (RFC 6962 §2.1). */
function splitOf(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/** Returns the siblings on the path from a leaf to the root, from the leaf on (RFC 6962 §2.1.1). */
export function inclusionRanges(index: number, size: number): Range[] {
  const ranges: Range[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (index < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.toReversed();
}

/** Returns the ranges that prove that a tree extends a smaller one (RFC 6962 §2.1.2). */
export function consistencyRanges(before: number, size: number): Range[] {
  if (before === 0 || before === size) return [];
  const ranges: Range[] = [];
  let [start, end] = [0, size];
  while (before < end) {
    const middle = start + splitOf(end - start);
    if (before <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  if (start > 0) ranges.push({ start, end });
  return ranges.toReversed();
}

/** Returns the complete subtrees of a range, from the left. */
export function placesOf({ start, end }: Range): Place[] {
  const places: Place[] = [];
  let from = start;
  while (from < end) {
    let [level, width] = [0, 1];
    while (from % (width * 2) === 0 && from + width * 2 <= end) {
      width *= 2;
      level += 1;
    }
    places.push({ level, index: from / width });
    from += width;
  }
  return places;
}

/** Returns the hash over adjacent subtrees, the largest on the left. */
export function joinHashes(hashes: readonly Uint8Array[]): Buffer {
  const [last, ...others] = hashes.toReversed();
  if (!last) return emptyRoot;
  return others.reduce<Buffer>((right, left) => nodeHash(left, right), Buffer.from(last));
}

/** A complete subtree with its hash. */
export interface TreeNode extends Place {
  readonly hash: Buffer;
}

/** Returns the subtrees that a new leaf joins with, the smallest first. */
export function leftOf(index: number): Place[] {
  return placesOf({ start: 0, end: index })
    .toReversed()
    .filter(({ level }, place) => level === place);
}

/**
 * Returns the subtrees that a leaf completes, itself first. Takes the hashes of `leftOf`, in order.
 */
export function completedBy(index: number, leaf: Buffer, left: readonly Uint8Array[]): TreeNode[] {
  const nodes: TreeNode[] = [{ level: 0, index, hash: leaf }];
  let [hash, at] = [leaf, index];
  for (const [place, sibling] of left.entries()) {
    hash = nodeHash(sibling, hash);
    at = (at - 1) / 2;
    nodes.push({ level: place + 1, index: at, hash });
  }
  return nodes;
}

/** Returns the root of an inclusion proof; null if its shape is wrong (RFC 9162 §2.1.3.2). */
export function rootByInclusion(
  leaf: Buffer,
  { index, size }: { readonly index: number; readonly size: number },
  path: readonly Uint8Array[],
): Buffer | null {
  if (!(index >= 0 && index < size)) return null;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(sibling, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : null;
}

/** Size and root of a tree, as in a checkpoint. */
export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

/** Whether a tree extends an earlier one, by a consistency proof (RFC 9162 §2.1.4.2). */
export function isConsistent(before: TreeHead, after: TreeHead, path: readonly Buffer[]): boolean {
  if (before.size > after.size) return false;
  if (before.size === after.size) return path.length === 0 && before.root.equals(after.root);
  if (before.size === 0) return path.length === 0 && before.root.equals(emptyRoot);
  const isWhole = Number.isInteger(Math.log2(before.size));
  const [first, ...siblings] = isWhole ? [before.root, ...path] : path;
  if (!first) return false;
  let [at, last] = [before.size - 1, after.size - 1];
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  let [old, now] = [first, first];
  for (const sibling of siblings) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [old, now] = [nodeHash(sibling, old), nodeHash(sibling, now)];
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      now = nodeHash(now, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && old.equals(before.root) && now.equals(after.root);
}
