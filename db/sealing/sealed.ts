import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { firstOf, statement, type Queryable } from '../client.ts';
import { openWith, sealWith } from './cipher.ts';
import type { Wrapper } from './wrapper.ts';

/**
 * Sealed columns use AES-256-GCM with one data key per owner (an account, a person or the
 * platform). A master key of the platform wraps each data key; its id is stored with the wrapped
 * key. The context (table|column|row) is bound as AAD, so a value moved to another row does not
 * open.
 */
export interface Sealer {
  /**
   * Fetches or creates the owner's key. Call it before a transaction that seals. Otherwise the
   * transaction would wait for a second connection of its own pool.
   */
  prepare(owner: string): Promise<void>;
  seal(owner: string, context: string, plain: string | Uint8Array): Promise<Buffer>;
  open(owner: string, context: string, sealed: Uint8Array): Promise<Buffer>;
  /**
   * Returns a keyed digest for look-ups by value (blind index). The same value gives the same
   * digest.
   */
  blind(purpose: string, value: string): Buffer;
}

const cachedKeysMax = 10_000;

interface DataKeyRow {
  wrapped: Buffer;
  wrapped_by: string;
}

const findKey = statement<DataKeyRow>(
  'data_keys.find',
  'SELECT wrapped, wrapped_by FROM data_keys WHERE owner = :owner',
);
const addKey = statement<DataKeyRow>(
  'data_keys.add',
  `INSERT INTO data_keys (kid, owner, wrapped, wrapped_by, created_at)
   VALUES (:kid, :owner, :wrapped, :wrapped_by, now())
     ON CONFLICT (owner) DO NOTHING RETURNING wrapped, wrapped_by`,
);

/** Returns the owner name of an account's data key. */
export function accountOwner(accountId: number): string {
  return `account:${accountId}`;
}

/** Owner name for values that belong to no account and no known person. */
export const platformOwner = 'platform';

/** Returns the owner name of a person's data key, for values that do not depend on an account. */
export function userOwner(polyUserId: string): string {
  return `user:${polyUserId}`;
}

/** Creates the sealer of one process. Caches data keys, up to `cachedKeysMax`. */
export function createSealer(db: Queryable, wrapper: Wrapper, blindKey: Uint8Array): Sealer {
  const keys = new Map<string, KeyObject>();
  /** Fetches in progress: a page with many values fetches the key of its owner once. */
  const fetching = new Map<string, Promise<KeyObject>>();
  const fetchKey = async (owner: string): Promise<KeyObject> => {
    const row = firstOf(await findKey(db, { owner })) ?? (await createKey(db, wrapper, owner));
    const key = createSecretKey(await wrapper.unwrap(owner, row));
    if (keys.size >= cachedKeysMax) keys.clear();
    keys.set(owner, key);
    return key;
  };
  const keyOf = async (owner: string): Promise<KeyObject> => {
    const cached = keys.get(owner);
    if (cached) return cached;
    const running = fetching.get(owner) ?? fetchKey(owner).finally(() => fetching.delete(owner));
    fetching.set(owner, running);
    return running;
  };
  return {
    async prepare(owner) {
      await keyOf(owner);
    },
    seal: async (owner, context, plain) => sealWith(await keyOf(owner), context, plain),
    open: async (owner, context, sealed) => openWith(await keyOf(owner), context, sealed),
    blind: (purpose, value) =>
      createHmac('sha256', blindKey).update(`${purpose}\u0000${value}`).digest(),
  };
}

async function createKey(db: Queryable, wrapper: Wrapper, owner: string): Promise<DataKeyRow> {
  const { wrapped, wrapped_by } = await wrapper.wrap(owner, randomBytes(32));
  const kid = randomBytes(8).toString('hex');
  const row =
    firstOf(await addKey(db, { kid, owner, wrapped, wrapped_by })) ??
    firstOf(await findKey(db, { owner }));
  if (!row) throw new Error(`no data key for ${owner}`);
  return row;
}
