import { randomBytes, randomUUID } from 'node:crypto';

/** Makes identifiers; a dependency, so that tests can make them predictable. */
export interface Ids {
  /** `prefix_` and 26 Crockford base-32 characters: 130 random bits. */
  make(prefix: string): string;
  /** A version 4 UUID: 122 random bits, enough for a bearer link. */
  uuid(): string;
  /** Raw random bytes. */
  bytes(size: number): Buffer;
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

export const randomIds: Ids = {
  make(prefix) {
    let id = `${prefix}_`;
    for (const byte of randomBytes(26)) id += alphabet[byte & 31];
    return id;
  },
  uuid: randomUUID,
  bytes: (size) => randomBytes(size),
};
