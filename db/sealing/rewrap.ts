import { Failure } from '../../workflows/failures.ts';
import { statement, type Queryable } from '../client.ts';
import type { WrappedKey, Wrapper } from './wrapper.ts';

interface StaleKey extends WrappedKey {
  readonly kid: string;
  readonly owner: string;
}

const stale = statement<StaleKey>(
  'data_keys.stale',
  `SELECT kid, owner, wrapped, wrapped_by FROM data_keys
   WHERE wrapped_by <> :currentId AND kid > :after ORDER BY kid LIMIT :lengthMax`,
);
const replace = statement(
  'data_keys.replace',
  `UPDATE data_keys SET wrapped = :wrapped, wrapped_by = :wrapped_by
   WHERE kid = :kid AND wrapped = :wrappedBefore
   RETURNING 1`,
);

/** How far a pass over the data keys has come. */
export interface RewrapStep {
  /** Goes on after this key; null where there are no more. */
  readonly after: string | null;
  readonly rewrapped: number;
  /** Why each that was left could not be unwrapped. */
  readonly faults: readonly Failure[];
}

/**
 * Wraps the next data keys that are under another master key under the current one. What is sealed
 * stays as it is, and whoever has a data key goes on with it; a pass that was broken off is begun
 * again from the first key, and finds what is left. One whose master key is not known is left.
 */
export async function rewrapSome(
  on: Queryable,
  wrapper: Wrapper,
  after: string,
  lengthMax: number,
): Promise<RewrapStep> {
  const keys = await stale(on, { currentId: wrapper.currentId, after, lengthMax });
  let rewrapped = 0;
  const faults: Failure[] = [];
  for (const key of keys) {
    const plain = await wrapper.unwrap(key.owner, key).catch(failureOf);
    if (plain instanceof Failure) {
      faults.push(plain);
      continue;
    }
    const { wrapped, wrapped_by } = await wrapper.wrap(key.owner, plain);
    const done = await replace(on, { ...key, wrapped, wrapped_by, wrappedBefore: key.wrapped });
    rewrapped += done.length;
  }
  const last = keys.at(-1);
  return { after: last && keys.length === lengthMax ? last.kid : null, rewrapped, faults };
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}
