import type { Queryable } from '../../../db/client.ts';
import { keepTimestamp } from '../../../db/queries/timestamps.ts';
import type { NewTimestamp } from '../../../domain/pki/timestamps/sign-token.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { PlatformSigner } from '../directory/load-keys.ts';

/**
 * Returns a function that records a time stamp of an affidavit before it is signed. The table is
 * that of the time stamps of `/tsa`. The function throws `dependency_unavailable` if the
 * certificate was revoked: the retry may reach a process that has loaded the new key.
 */
export function recordOwnTimestamps(
  db: Queryable,
  { certificate }: PlatformSigner,
): (stamp: NewTimestamp) => Promise<void> {
  const tsaSerial = certificate.serialNumber.toLowerCase();
  return async (stamp) => {
    if (await keepTimestamp(db, tsaSerial, stamp)) return;
    throw new Failure('dependency_unavailable', { detail: 'The time-stamping key was revoked' });
  };
}
