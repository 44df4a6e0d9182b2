import { randomBytes } from 'node:crypto';
import type { PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import {
  createStamps,
  type Stamps,
  type StampsDeps,
} from '../../../activities/keys/timestamps/stamps.ts';

/** Stamps as a worker has them: by the own authority alone, unless it is said otherwise. */
export function ownStamps({ tsa }: PlatformKeys, change: Partial<StampsDeps> = {}): Stamps {
  return createStamps({
    authorities: [],
    own: tsa,
    // Those that stand in are on this machine.
    allowPrivateLists: true,
    clock: () => new Date(),
    randomBytes,
    log: { warn: () => undefined, error: () => undefined },
    count: () => undefined,
    ...change,
  });
}
