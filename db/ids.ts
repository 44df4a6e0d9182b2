import { createHash, randomBytes, randomFillSync, randomUUID } from 'node:crypto';

/** Generates identifiers. Injected as a dependency, so that tests can make them predictable. */
export interface Ids {
  /** Returns `prefix_` and 26 Crockford base-32 characters: 130 random bits. */
  make(prefix: string): string;
  /** Returns a version 4 UUID: 122 random bits, enough for a bearer link. */
  uuid(): string;
  bytes(size: number): Buffer;
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

export const randomIds: Ids = {
  make: (prefix) => spell(prefix, drawn()),
  uuid: randomUUID,
  bytes: (size) => randomBytes(size),
};

/** A call of the generator costs more than its bytes, so one call fills a buffer for 64 ids. */
const ahead = Buffer.alloc(26 * 64);
let used = ahead.length;

/** Returns 26 unused random bytes. They are valid only until the next call. */
function drawn(): Uint8Array {
  if (used === ahead.length) {
    randomFillSync(ahead);
    used = 0;
  }
  used += 26;
  return ahead.subarray(used - 26, used);
}

/**
 * Derives an id from words: the same words always give the same id. A repeated request thus creates
 * the same object.
 */
export function derivedId(prefix: string, ...words: readonly string[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([prefix, ...words]))
    .digest();
  return spell(prefix, digest.subarray(0, 26));
}

function spell(prefix: string, bytes: Uint8Array): string {
  return `${prefix}_${[...bytes].map((byte) => alphabet[byte & 31]).join('')}`;
}
