import { createSecretKey } from 'node:crypto';
import { Failure } from '../../workflows/failures.ts';
import { openWith, sealWith } from './cipher.ts';
import { masterRing, type KeyRing } from './key-ring.ts';

/** A data key wrapped by a master key, as its row stores it. */
export interface WrappedKey {
  readonly wrapped: Buffer;
  /** The id of the master key. */
  readonly wrapped_by: string;
}

/**
 * Port to the master keys that wrap data keys. The built-in driver uses a ring of keys in this
 * process. A KMS driver would call the KMS to wrap and unwrap.
 */
export interface Wrapper {
  /** Id of the master key that wraps new data keys. */
  readonly currentId: string;
  wrap(owner: string, key: Uint8Array): Promise<WrappedKey>;
  /** @throws `dependency_unavailable` if the master key is unknown; the cause names it */
  unwrap(owner: string, wrapped: WrappedKey): Promise<Buffer>;
}

/** Wraps with the current key of a ring; unwraps with any of its keys. */
export function ringWrapper({ currentId, keys }: KeyRing): Wrapper {
  const masters = new Map([...keys].map(([id, key]) => [id, createSecretKey(key)]));
  const masterOf = (id: string) => {
    const master = masters.get(id);
    if (master) return master;
    const cause = new Error(
      `a data key is wrapped under master key ${id}, which is not known here`,
    );
    throw new Failure('dependency_unavailable', { cause, retryAfterSeconds: 2 });
  };
  return {
    currentId,
    wrap: async (owner, key) => ({
      wrapped: sealWith(masterOf(currentId), contextOf(owner), key),
      wrapped_by: currentId,
    }),
    unwrap: async (owner, { wrapped, wrapped_by }) =>
      openWith(masterOf(wrapped_by), contextOf(owner), wrapped),
  };
}

/**
 * Returns the wrapper of a platform without configured keys. It uses the key derived from the
 * master secret.
 */
export function masterWrapper(secret: Uint8Array): Wrapper {
  return ringWrapper(masterRing(secret, 'master'));
}

const contextOf = (owner: string): string => `data-key|${owner}`;
