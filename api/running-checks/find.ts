import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { isTrustCheckFinal, type TrustCheckState } from '../../workflows/trust-check/state.ts';
import type { Deps } from '../deps.ts';
import type { Access } from '../http/auth/authorize.ts';
import type { Caller } from '../http/auth/caller.ts';

/**
 * Returns the session for a caller who may see it: the holder of its check token, or a member of
 * its account.
 * @throws Failure `not_found` for anyone else, as for an unknown id
 */
export async function findSessionOrThrow(
  deps: Pick<Deps, 'db'>,
  id: string,
  caller: Caller,
  authorize: Access['authorize'],
): Promise<TrustCheckRow> {
  if (caller.kind === 'check-token' && caller.linkSessionId !== id) throw new Failure('not_found');
  const session = await findTrustCheck(deps.db, id);
  if (!session) throw new Failure('not_found');
  authorize(session);
  return session;
}

/** Returns how often a review restarted a check. Each restart gives new attempts. */
export const retriesOf = (log: TrustCheckRow['log']): number =>
  log.filter(({ move }) => move === 'retry').length;

/**
 * Refuses personal data before consent and after the decision.
 * @throws Failure `consent_required`, `invalid_state`
 */
export function assertCollecting(
  { status, redacted_at }: TrustCheckRow,
  states: readonly TrustCheckState[],
): void {
  if (status === 'paired') throw new Failure('consent_required');
  if (!states.includes(status) || redacted_at) {
    throw new Failure('invalid_state', { detail: `The check is ${status}` });
  }
}

/**
 * Refuses a session that has ended. For steps that are taken once: Temporal returns the first
 * result for a repeated update id, even after the end.
 * @throws Failure `invalid_state`
 */
export function assertNotEnded({ status }: TrustCheckRow): void {
  if (!isTrustCheckFinal(status)) return;
  throw new Failure('invalid_state', { detail: `The check is ${status}` });
}
