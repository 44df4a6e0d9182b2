import type { Queryable } from '../../../db/client.ts';
import { keepTimestamp } from '../../../db/queries/timestamps.ts';
import type { NewTimestamp } from '../../../domain/pki/timestamps/sign-token.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { PlatformSigner } from '../directory/load-keys.ts';

/**
 * Has each time stamp of our affidavits in the table before it is signed, as those are that `/tsa`
 * gives.
 * @returns what throws `dependency_unavailable` where the certificate was revoked: a process that
 *   has loaded the keys since stamps under another one
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
