import type { PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createSigningActivities } from '../../../activities/keys/signing/activities.ts';
import type { Deps } from '../../../api/deps.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { SigningAnswer, SigningRequest } from '../../../workflows/signing/messages.ts';

/**
 * Makes the workers' signing activity use keys that no worker has, at a time that the test sets.
 * @param keys null if no worker should answer
 */
export function ownSigning(
  db: Db,
  keys: PlatformKeys | null,
  now: Date,
): Pick<Deps, 'ids' | 'temporal'> {
  const baseUrl = 'https://trust.example.test';
  const run = (_name: string, given: { args: [SigningRequest] }): Promise<SigningAnswer> => {
    if (!keys) return Promise.reject(new Failure('dependency_unavailable'));
    const deps = { db, keys, ids: randomIds, clock: () => now, baseUrl };
    return createSigningActivities(deps).sign(given.args[0]);
  };
  return { ids: randomIds, temporal: { run } as never };
}
