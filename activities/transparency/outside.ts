import { createHash } from 'node:crypto';
import type { ObjectStore } from '../storage/object-store.ts';
import { Failure } from '../../workflows/failures.ts';

/** Where checkpoints lie that no owner of the database can reach. */
export type OutsideStore = Pick<ObjectStore, 'get' | 'put'>;

const keyOf = (signedBy: string, number: number): string =>
  `log/${createHash('sha256').update(signedBy).digest('hex').slice(0, 32)}/${number}.txt`;

/**
 * Lays a checkpoint under its number, over nothing, and gives what lies there then: of two signers
 * the first wins, and both go on with its checkpoint.
 * @throws Failure `dependency_unavailable` where the store does not answer
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

/** The checkpoint under a number; null where none lies. Throws `dependency_unavailable`. */
export async function readOutside(
  store: OutsideStore,
  signedBy: string,
  number: number,
): Promise<string | null> {
  const bytes = await store.get(keyOf(signedBy, number));
  return bytes && Buffer.from(bytes).toString('utf8');
}
