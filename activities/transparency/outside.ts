import { createHash } from 'node:crypto';
import type { ObjectStore } from '../storage/object-store.ts';
import { Failure } from '../../workflows/failures.ts';

/** Store for checkpoints that no owner of the database can reach. */
export type OutsideStore = Pick<ObjectStore, 'get' | 'put'>;

const keyOf = (signedBy: string, number: number): string =>
  `log/${createHash('sha256').update(signedBy).digest('hex').slice(0, 32)}/${number}.txt`;

/**
 * Stores a checkpoint under its number, without overwriting, and returns the stored one. With two
 * concurrent signers the first wins, and both use its checkpoint.
 * @throws Failure `dependency_unavailable` when the store does not answer
 */
export async function layOutside(
  store: OutsideStore,
  signedBy: string,
  number: number,
  note: string,
): Promise<string> {
  const key = keyOf(signedBy, number);
  const body = Buffer.from(note);
  try {
    await store.put({ key, body, contentType: 'text/plain; charset=utf-8', ifAbsent: true });
    return note;
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'object_conflict')) throw error;
    const laid = await readOutside(store, signedBy, number);
    if (laid === null) throw error;
    return laid;
  }
}

/**
 * Returns the checkpoint under a number; null where there is none.
 * @throws Failure `dependency_unavailable`
 */
export async function readOutside(
  store: OutsideStore,
  signedBy: string,
  number: number,
): Promise<string | null> {
  const bytes = await store.get(keyOf(signedBy, number));
  return bytes && Buffer.from(bytes).toString('utf8');
}
