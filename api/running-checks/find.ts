import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { isTrustCheckFinal, type TrustCheckState } from '../../workflows/trust-check/state.ts';
import type { Deps } from '../deps.ts';
import type { Access } from '../http/auth/authorize.ts';
import type { Caller } from '../http/auth/caller.ts';

/**
 * The session of the path for a caller who may see it: the holder of its check token, or a member
 * of its account. Throws `not_found` for anyone else, the same as for an unknown id.
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

/** How often a review has had a check done anew, each time with its attempts afresh. */
export const retriesOf = (log: TrustCheckRow['log']): number =>
  log.filter(({ move }) => move === 'retry').length;

/** Nothing of a person is taken before consent, nor after the decision. */
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
 * Throws `invalid_state` for a session that has ended. For steps that are taken once: the workflow
 * server answers their repetition as it did the first, whatever has come since.
 */
export function assertNotEnded({ status }: TrustCheckRow): void {
  if (!isTrustCheckFinal(status)) return;
  throw new Failure('invalid_state', { detail: `The check is ${status}` });
}
