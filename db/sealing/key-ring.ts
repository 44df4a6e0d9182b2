/** A key and the id that what it seals names it by. */
export interface RingKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** Keys by id; the current one encrypts, any of them decrypts. */
export interface KeyRing {
  readonly currentId: string;
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

/** Current and retired ones together. */
export const ringKeysMax = 16;
/** AES-256. */
export const ringKeyBytes = 32;
/** An id stands open beside what is sealed; a payload binds it between bars. */
export const ringIdForm = /^[a-z0-9][a-z0-9._-]{0,31}$/;
/** The id of the key that is derived from the master secret. */
export const masterKeyId = 'k1';

/**
 * Makes a ring; the first key encrypts, all of them decrypt.
 * @param what is said of its keys: codec keys, master keys
 * @throws where there is no key or too many, an id is none or named twice, a key is not of 32 bytes
 *   or is there under two ids; the error names ids and never a key
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

/** The ring of a platform that has set no key: the one derived from its master secret. */
export function masterRing(secret: Uint8Array, what: 'codec' | 'master' = 'codec'): KeyRing {
  return createKeyRing([{ id: masterKeyId, key: secret }], what);
}
