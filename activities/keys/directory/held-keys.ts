import type { LeafOrCa } from './load-next.ts';

/** A private key that a process holds. `retired` are the keys of retired CAs, which sign CRLs. */
export type HeldKeyName = LeafOrCa | 'retired';

/**
 * The private keys of each process. Of the other keys it reads only the certificates.
 * docs/decisions/010-private-keys.md
 */
export const heldKeys = {
  api: ['tokens'],
  worker: ['people-ca', 'services-ca', 'seal', 'tsa', 'tokens', 'retired'],
} as const satisfies Record<string, readonly HeldKeyName[]>;
