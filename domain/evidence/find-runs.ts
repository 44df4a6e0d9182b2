import { createHash, type Hash } from 'node:crypto';
import { boundPartOf } from './binding.ts';
import type { Listed, Understood } from './file.ts';

/**
 * Files of one submission. A device proof has up to five: the attestation, a recall or receipt, an
 * integrity token, the recall in that token, and the assertion. Three more are reserved for later
 * kinds.
 */
const runMax = 8;

/** The first and the last file of a submission, counted from 1. */
export type Run = readonly [first: number, last: number];

export interface Runs {
  /** Adds the next file of an export. */
  readonly take: (file: Understood<Listed>) => void;
  /** Returns the files that have this `evidence_hash`; null if there are none. */
  readonly find: (evidenceHash: string) => Run | null;
}

/**
 * Finds the files of an export that belong to an `evidence_hash`. It tries consecutive files, since
 * an export does not mark where a submission begins. A file that does not match its list of images
 * belongs to none.
 */
export function findRuns(): Runs {
  const found = new Map<string, Run>();
  let open: { readonly first: number; readonly hash: Hash }[] = [];
  let count = 0;
  return {
    take(file) {
      count += 1;
      if (file.fault) {
        open = [];
        return;
      }
      const part = boundPartOf(file.source);
      open = open.filter(({ first }) => count - first < runMax);
      for (const { hash } of open) hash.update('\n').update(part);
      open.push({ first: count, hash: createHash('sha256').update(part) });
      for (const { first, hash } of open) found.set(hash.copy().digest('hex'), [first, count]);
    },
    find: (evidenceHash) => found.get(evidenceHash) ?? null,
  };
}
