/** A key with its id. Sealed values carry the id. */
export interface RingKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** Keys by id. The current one encrypts; all of them decrypt. */
export interface KeyRing {
  readonly currentId: string;
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

/** Maximum number of keys, current and retired. */
export const ringKeysMax = 16;
/** Key length of AES-256. */
export const ringKeyBytes = 32;
/** The id is stored in plain text with a sealed value; a payload puts it between bars. */
export const ringIdForm = /^[a-z0-9][a-z0-9._-]{0,31}$/;
/** Id of the key that is derived from the master secret. */
export const masterKeyId = 'k1';

/**
 * Creates a ring. The first key encrypts; all of them decrypt.
 * @param what the word for these keys in error messages
 * @throws if there is no key or too many, an id is malformed or repeated, or a key is not 32 bytes
 * or has two ids. The error names ids and never a key.
 */
export function createKeyRing(keys: readonly RingKey[], what: 'codec' | 'master'): KeyRing {
  const [current] = keys;
  if (!current) throw new Error(`there is no ${what} key`);
  if (keys.length > ringKeysMax) {
    throw new Error(`there are ${keys.length} ${what} keys, and at most ${ringKeysMax} are taken`);
  }
  const byId = new Map<string, Uint8Array>();
  const ids = new Map<string, string>();
  for (const { id, key } of keys) {
    if (!ringIdForm.test(id)) throw new Error(`the id of a ${what} key is not well-formed`);
    if (byId.has(id)) throw new Error(`two ${what} keys are called ${id}`);
    if (key.length !== ringKeyBytes) {
      throw new Error(`${what} key ${id} has ${key.length} bytes, and needs ${ringKeyBytes}`);
    }
    const text = Buffer.from(key).toString('base64');
    const twin = ids.get(text);
    if (twin !== undefined) throw new Error(`${what} keys ${twin} and ${id} are the same key`);
    byId.set(id, key);
    ids.set(text, id);
  }
  return { currentId: current.id, keys: byId };
}

/**
 * Returns the ring of a platform without configured keys: the key derived from its master secret.
 */
export function masterRing(secret: Uint8Array, what: 'codec' | 'master' = 'codec'): KeyRing {
  return createKeyRing([{ id: masterKeyId, key: secret }], what);
}
