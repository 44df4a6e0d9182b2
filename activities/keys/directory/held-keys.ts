import type { LeafOrCa } from './load-next.ts';

/** A private key that a process holds; `retired` are those of retired CAs, for their lists. */
export type HeldKeyName = LeafOrCa | 'retired';

/**
 * The private keys of each process; of all others it reads the certificates alone.
 * docs/decisions/010-private-keys.md
 */
export const heldKeys = {
  api: ['tokens'],
  worker: ['people-ca', 'services-ca', 'seal', 'tsa', 'tokens', 'retired'],
} as const satisfies Record<string, readonly HeldKeyName[]>;
