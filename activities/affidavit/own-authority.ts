import { keepTimestamp } from '../../db/queries/timestamps.ts';
import { Failure } from '../../workflows/failures.ts';
import type { AffidavitDeps } from './activities.ts';
import { createTimestampAuthority, type TimestampAuthority } from './timestamp.ts';

/**
 * The platform's authority as its affidavits have it: each time stamp is in the table before it is
 * signed, as those are that `/tsa` gives.
 * @throws Failure `dependency_unavailable` where its certificate was revoked: a process that has
 * loaded the keys since stamps under another one
 */
export function ownAuthority({
  db,
  keys,
  clock,
  ids,
}: Pick<AffidavitDeps, 'db' | 'keys' | 'clock' | 'ids'>): TimestampAuthority {
  const tsaSerial = keys.tsa.certificate.serialNumber.toLowerCase();
  return createTimestampAuthority(keys.tsa, clock, ids.bytes, async (stamp) => {
    if (await keepTimestamp(db, tsaSerial, stamp)) return;
    throw new Failure('dependency_unavailable', { detail: 'The time-stamping key was revoked' });
  });
}
