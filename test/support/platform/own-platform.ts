import { inject } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import type { FaceProvider } from '../../../domain/names.ts';
import { withFreshProof } from './fresh-proof.ts';
import type { PlatformFacts } from './harness.ts';

/** Two accounts, so that every test can access an object of a foreign account. */
export interface Seat {
  readonly own: Seed;
  readonly foreign: Seed;
}

declare module 'vitest' {
  interface ProvidedContext {
    platform: PlatformFacts;
    seats: readonly Seat[];
    /** Addresses of the face provider stand-ins. */
    faceProviders: Readonly<Record<FaceProvider, string>>;
  }
}

/**
 * The shared platform, with the accounts of this process. Concurrent test files do not see each
 * other's accounts.
 */
export function ownPlatform(): PlatformFacts {
  const seat = inject('seats')[Number(process.env.VITEST_POOL_ID) - 1];
  if (!seat) throw new Error('there are more processes than accounts for them');
  const platform = inject('platform');
  const own = withFreshProof(platform.dataDir, seat.own);
  const foreign = withFreshProof(platform.dataDir, seat.foreign);
  return { ...platform, own, foreign };
}
