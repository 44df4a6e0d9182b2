import { createSecretKey } from 'node:crypto';
import { Failure } from '../../workflows/failures.ts';
import { openWith, sealWith } from './cipher.ts';
import { masterRing, type KeyRing } from './key-ring.ts';

/** A data key under a master key, as a row has it. */
export interface WrappedKey {
  readonly wrapped: Buffer;
  /** The id of the master key. */
  readonly wrapped_by: string;
}

/**
 * The port behind which the master keys of data keys live. Driver: a ring of keys this process
 * holds; one of a KMS would ask it to wrap and unwrap.
 */
export interface Wrapper {
  /** The id of the master key that wraps now. */
  readonly currentId: string;
  wrap(owner: string, key: Uint8Array): Promise<WrappedKey>;
  /** Throws `dependency_unavailable` where its master key is not known: the cause says which. */
  unwrap(owner: string, wrapped: WrappedKey): Promise<Buffer>;
}

/** Wraps under the current key of a ring, unwraps under any of them. */
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

/** What a platform wraps with that has set no key: the one derived from its master secret. */
export function masterWrapper(secret: Uint8Array): Wrapper {
  return ringWrapper(masterRing(secret, 'master'));
}

const contextOf = (owner: string): string => `data-key|${owner}`;
