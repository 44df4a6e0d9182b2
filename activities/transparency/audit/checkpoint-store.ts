import {
  readCheckpoint,
  type Checkpoint,
  type CheckpointKeys,
} from '../../../domain/transparency/audit-checkpoint.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

type Store = Pick<ObjectStore, 'get' | 'put'>;

/**
 * The object under one number of an account; `checkpoint` is null if it is not a valid one of ours.
 */
export interface StoredCheckpoint {
  readonly number: number;
  readonly checkpoint: Checkpoint | null;
}

const keyOf = (accountId: number, number: number): string => `audit/${accountId}/${number}.jws`;

/**
 * Stores a signed checkpoint under its number, without overwriting.
 * @throws Failure `object_conflict` when the number is in use, `dependency_unavailable`
 */
export async function putCheckpoint(
  store: Store,
  { accountId, number }: Pick<Checkpoint, 'accountId' | 'number'>,
  text: string,
): Promise<void> {
  await store.put({
    key: keyOf(accountId, number),
    body: Buffer.from(text),
    contentType: 'application/jose',
    ifAbsent: true,
  });
}

/**
 * Returns the newest checkpoints of an account, oldest first. Numbers have no gaps, so a binary
 * search in the store finds the last one.
 * @param noted the expected count. It is only a starting point: the store decides.
 * @throws Failure `dependency_unavailable` when the store does not answer
 */
export async function readNewest(
  store: Store,
  { accountId, noted }: { readonly accountId: number; readonly noted: number },
  keys: CheckpointKeys,
  countMax: number,
): Promise<StoredCheckpoint[]> {
  const textOf = async (number: number): Promise<string | null> => {
    const bytes = await store.get(keyOf(accountId, number));
    return bytes && Buffer.from(bytes).toString('utf8');
  };
  const last = await lastNumber(async (number) => (await textOf(number)) !== null, noted);
  const first = Math.max(1, last - countMax + 1);
  const numbers = Array.from({ length: last - first + 1 }, (_, place) => first + place);
  return Promise.all(
    numbers.map(async (number) => {
      const text = await textOf(number);
      const place = { accountId, number };
      const checkpoint = text === null ? null : await readCheckpoint(text, place, keys);
      return { number, checkpoint };
    }),
  );
}

async function lastNumber(
  isThere: (number: number) => Promise<boolean>,
  noted: number,
): Promise<number> {
  let low = noted > 0 && (await isThere(noted)) ? noted : 0;
  let step = 1;
  while (await isThere(low + step)) {
    low += step;
    step *= 2;
  }
  let high = low + step;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isThere(middle)) low = middle;
    else high = middle;
  }
  return low;
}
