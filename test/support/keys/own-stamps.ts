import { randomBytes } from 'node:crypto';
import type { PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import {
  createStamps,
  type Stamps,
  type StampsDeps,
} from '../../../activities/keys/timestamps/stamps.ts';

/** Time stamps as a worker creates them, by the platform's own authority unless changed. */
export function ownStamps({ tsa }: PlatformKeys, change: Partial<StampsDeps> = {}): Stamps {
  return createStamps({
    authorities: [],
    own: tsa,
    // Stand-ins run on this machine.
    allowPrivateLists: true,
    clock: () => new Date(),
    randomBytes,
    log: { warn: () => undefined, error: () => undefined },
    count: () => undefined,
    ...change,
  });
}
