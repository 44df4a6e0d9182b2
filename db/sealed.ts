import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { firstOf, statement, type Queryable } from './client.ts';

/**
 * Sealed columns: AES-256-GCM under a data key per owner (an account, or the platform), each data
 * key wrapped by the platform's master key. Layout of a sealed value:
 * `version 1 byte ‖ nonce 12 ‖ tag 16 ‖ ciphertext`; the context (table|column|row) is bound as
 * AAD, so that a value moved to another row does not open.
 */
export interface Sealer {
  /**
   * Fetches or makes the owner's key. Who seals inside a transaction calls it before: else the
   * transaction would wait for a second connection of its own pool.
   */
  prepare(owner: string): Promise<void>;
  seal(owner: string, context: string, plain: string | Uint8Array): Promise<Buffer>;
  open(owner: string, context: string, sealed: Uint8Array): Promise<Buffer>;
  /** A keyed digest for look-ups by value (blind index); the same value gives the same digest. */
  blind(purpose: string, value: string): Buffer;
}

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;
const cachedKeysMax = 10_000;

interface DataKeyRow {
  kid: string;
  wrapped: Buffer;
}

const findKey = statement<DataKeyRow>(
  'data_keys.find',
  'SELECT kid, wrapped FROM data_keys WHERE owner = $1',
);
const addKey = statement<DataKeyRow>(
  'data_keys.add',
  `INSERT INTO data_keys (kid, owner, wrapped, created_at) VALUES ($1, $2, $3, now())
   ON CONFLICT (owner) DO NOTHING RETURNING kid, wrapped`,
);

/** The owner name of an account's data key. */
export function accountOwner(accountId: number): string {
  return `account:${accountId}`;
}

/** The owner name of what belongs to no account and no known person. */
export const platformOwner = 'platform';

/** The owner name of a person's data key: what is theirs whichever account asks. */
export function userOwner(polyUserId: string): string {
  return `user:${polyUserId}`;
}

/** Makes the sealer of one process. Data keys are fetched once and kept, up to a bound. */
export function createSealer(db: Queryable, masterKey: Uint8Array, blindKey: Uint8Array): Sealer {
  const keys = new Map<string, KeyObject>();
  const master = createSecretKey(masterKey);
  const keyOf = async (owner: string): Promise<KeyObject> => {
    const known = keys.get(owner);
    if (known) return known;
    const row = firstOf(await findKey(db, [owner])) ?? (await createKey(db, master, owner));
    const key = createSecretKey(openWith(master, `data-key|${owner}`, row.wrapped));
    if (keys.size >= cachedKeysMax) keys.clear();
    keys.set(owner, key);
    return key;
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

async function createKey(db: Queryable, master: KeyObject, owner: string): Promise<DataKeyRow> {
  const wrapped = sealWith(master, `data-key|${owner}`, randomBytes(32));
  const kid = randomBytes(8).toString('hex');
  const row =
    firstOf(await addKey(db, [kid, owner, wrapped])) ?? firstOf(await findKey(db, [owner]));
  if (!row) throw new Error(`no data key for ${owner}`);
  return row;
}

/** Seals under a key of the caller’s own, in the same layout. */
export function sealWith(key: KeyObject, context: string, plain: string | Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), body]);
}

/** Opens what `sealWith` sealed. Throws where key, context or bytes are others. */
export function openWith(key: KeyObject, context: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed);
  if (bytes.length < 1 + nonceBytes + tagBytes || bytes[0] !== version) {
    throw new Error('a sealed value has an unknown form');
  }
  const nonce = bytes.subarray(1, 1 + nonceBytes);
  const tag = bytes.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  return Buffer.concat([
    decipher.update(bytes.subarray(1 + nonceBytes + tagBytes)),
    decipher.final(),
  ]);
}
