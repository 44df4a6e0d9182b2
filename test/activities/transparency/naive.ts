import { expect } from 'vitest';
import {
  completedBy,
  emptyRoot,
  joinHashes,
  leafHash,
  leftOf,
  nodeHash,
  placesOf,
  type Range,
  type TreeNode,
} from '../../../domain/transparency/merkle.ts';

/** MTH as RFC 6962 §2.1 writes it. */
export function naiveRoot(of: readonly Buffer[]): Buffer {
  const [only] = of;
  if (!only) return emptyRoot;
  if (of.length === 1) return only;
  let split = 1;
  while (split * 2 < of.length) split *= 2;
  return nodeHash(naiveRoot(of.slice(0, split)), naiveRoot(of.slice(split)));
}

/** The subtrees as appending one leaf after the other makes them. */
export function grown(of: readonly Buffer[]) {
  const nodes = new Map<string, Buffer>();
  const hashOf = ({ level, index }: Omit<TreeNode, 'hash'>): Buffer => {
    const hash = nodes.get(`${level}/${index}`);
    if (!hash) throw new Error(`no subtree ${level}/${index}`);
    return hash;
  };
  for (const [index, leaf] of of.entries()) {
    for (const node of completedBy(index, leaf, leftOf(index).map(hashOf))) {
      expect(nodes.has(`${node.level}/${node.index}`)).toBe(false);
      nodes.set(`${node.level}/${node.index}`, node.hash);
    }
  }
  return (range: Range): Buffer => joinHashes(placesOf(range).map(hashOf));
}

/** Leaves of a tree, each another. */
export const treeOf = (size: number) =>
  Array.from({ length: size }, (_, index) => leafHash(`leaf ${index}`));
