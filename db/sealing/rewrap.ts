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

/** Progress of one pass over the data keys. */
export interface RewrapStep {
  /** Cursor of the next step. Null: the pass is complete. */
  readonly after: string | null;
  readonly rewrapped: number;
  /** Why keys could not be unwrapped. These keys stay unchanged. */
  readonly faults: readonly Failure[];
}

/**
 * Wraps the next data keys that use an older master key with the current one. Sealed values do not
 * change, and processes that cache a data key can keep it. An interrupted pass starts again from
 * the first key and finds the remaining ones. Skips a key if its master key is unknown.
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
