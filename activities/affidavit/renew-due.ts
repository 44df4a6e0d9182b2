import { isDatabaseUnavailable } from '../../db/connection-errors.ts';
import { findAffidavit } from '../../db/queries/affidavits.ts';
import { ping } from '../../db/queries/ping.ts';
import { listDueRenewals, putOffRenewal } from '../../db/queries/renewals.ts';
import { lookAgainMs } from '../../domain/affidavit/verify/renewal-time.ts';
import type { RenewalPlace, RenewalStep } from '../../workflows/archive-renewal/messages.ts';
import { Failure } from '../../workflows/failures.ts';
import { throwIfCanceled } from '../runtime/cancellation.ts';
import { measures } from '../runtime/measures.ts';
import type { RenewalActivities, RenewalDeps } from './activities.ts';
import { renewArchive, type Renewal } from './renew.ts';

const filesMax = 50;
/** A step ends well before its timeout, also with a slow store. */
const stepMsMax = 120_000;

/**
 * Archives the affidavits that are due, one after the other: each takes a second of CPU time. A
 * step can be repeated. An affidavit that cannot be renewed is logged, counted, and postponed.
 */
export function createRenewalActivities(deps: RenewalDeps): RenewalActivities {
  return { renewDueArchives: ({ after }) => renewNext(deps, after) };
}

async function renewNext(deps: RenewalDeps, after: RenewalPlace): Promise<RenewalStep> {
  const begunAt = deps.clock();
  const from = { ...after, renew_at: new Date(after.renew_at) };
  const due = await listDueRenewals(deps.db, begunAt, from, filesMax);
  const counts = { renewed: 0, waiting: 0, failed: 0 };
  let done = 0;
  for (const { affidavit_id: id } of due) {
    if (deps.clock().getTime() - begunAt.getTime() >= stepMsMax) break;
    const result = await renewOrTell(deps, id);
    done += 1;
    if (result === 'kept') continue;
    counts[result] += 1;
    measures.renewal.tell(result);
  }
  const last = due[done - 1];
  if (!last) return { after, ...counts, is_done: true };
  const place = { ...last, renew_at: last.renew_at.toISOString() };
  return { after: place, ...counts, is_done: done === due.length && done < filesMax };
}

async function renewOrTell(deps: RenewalDeps, id: string): Promise<Renewal | 'failed'> {
  // Read first: if another process marks or writes the row meanwhile, the postponement has no
  // effect.
  const row = await findAffidavit(deps.db, id);
  try {
    return await renewArchive(deps, id);
  } catch (err) {
    throwIfCanceled();
    const code = err instanceof Failure ? err.code : null;
    // One file may fail forever while others succeed, so ask store and database whether they are
    // up.
    if (code === 'dependency_unavailable') await deps.store.health();
    else if (isDatabaseUnavailable(err)) await ping(deps.db, []);
    deps.log.error({ err, affidavit_id: id }, 'an affidavit could not be archived again');
    // For an invalid file, the reason of the verdict.
    const reason = code === 'affidavit_invalid' && err instanceof Error ? err.message : code;
    // Final: a stolen key made the time stamp, or there was none while the certificate was in
    // force.
    const isFinal = reason === 'revoked' || reason === 'timestamp_missing';
    const again = isFinal ? null : new Date(deps.clock().getTime() + lookAgainMs.failed);
    if (row) await putOffRenewal(deps.db, row, again, reason ?? 'failed');
    return 'failed';
  }
}
