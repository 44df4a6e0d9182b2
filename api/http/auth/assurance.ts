import type { Queryable } from '../../../db/client.ts';
import { isCertBacked } from '../../../db/queries/identities.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Caller } from './caller.ts';

/** Maximum age of the proof of a certified device: docs/decisions/006-credentials.md. */
export const certAgeSecondsMax = 15 * 60;

/**
 * Requires a recent proof of a certified device from a session. An API key passes: its roles limit
 * it, and it has no device.
 * @throws Failure `step_up_required` for a session without such a proof in the last
 *   `certAgeSecondsMax`
 */
export function assertRecentDeviceProof(caller: Caller, now: Date): void {
  if (caller.kind !== 'session') return;
  const ageMs = now.getTime() - caller.authTime.getTime();
  if (caller.authMethod === 'cert' && ageMs < certAgeSecondsMax * 1000) return;
  throw new Failure('step_up_required', {
    detail:
      'Send the session and a fresh verification bundle to POST /v2/session/step_up, ' +
      'then repeat the request with the session it answers',
    extra: { max_age_seconds: certAgeSecondsMax },
  });
}

/**
 * Requires a recent device proof where a person changes their own resources. A person who has only
 * login emails passes, because they have no device.
 * @throws Failure `step_up_required`
 */
export async function assertOwnDeviceProof(
  db: Queryable,
  caller: Caller,
  now: Date,
): Promise<void> {
  if (caller.kind !== 'session') return;
  if (caller.authMethod === 'email' && !(await isCertBacked(db, caller.polyUserId))) return;
  assertRecentDeviceProof(caller, now);
}
