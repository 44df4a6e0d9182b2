import { joinTokenLifeMs } from '../../activities/tokens/join-token.ts';
import type { JoinSessionState } from '../../db/names.ts';
import { findJoinSession, type JoinSessionRow } from '../../db/queries/join-sessions.ts';
import type { LinkRow } from '../../db/queries/links.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';

type Check = Pick<TrustCheckRow, 'status' | 'outcome_validity'>;

/** What the state of a trust check makes of the join session it is for. */
const stateOfCheck: { readonly [status in TrustCheckRow['status']]: JoinSessionState } = {
  created: 'claimed',
  opened: 'claimed',
  paired: 'verifying',
  collecting: 'verifying',
  processing: 'verifying',
  requires_retry: 'verifying',
  in_review: 'verifying',
  passed: 'ready',
  failed: 'denied',
  declined: 'denied',
  expired: 'expired',
  abandoned: 'canceled',
  canceled: 'canceled',
};

/**
 * The state a join session is in now (domain §2): its check moves it, and a date that has come,
 * without anyone writing.
 * @param check the trust check it is for; null while there is none
 * @param asksNothing whether the link asks for no proof at all
 */
export function joinStateOf(
  session: Pick<JoinSessionRow, 'status' | 'created_at' | 'expires_at'>,
  check: Check | null,
  asksNothing: boolean,
  now: Date,
): JoinSessionState {
  if (session.status !== 'created') return session.status;
  if (session.created_at.getTime() + joinTokenLifeMs <= now.getTime()) return 'expired';
  // An outcome that was taken back lets nobody in.
  if (check?.status === 'passed' && check.outcome_validity === 'revoked') return 'denied';
  if (check) return stateOfCheck[check.status];
  if (session.expires_at <= now) return 'expired';
  return asksNothing ? 'ready' : 'created';
}

export async function checkOf(
  deps: Pick<Deps, 'db'>,
  { link_session_id: id }: JoinSessionRow,
): Promise<TrustCheckRow | null> {
  return id === null ? null : findTrustCheck(deps.db, id);
}

/**
 * A join session of a link that may come in, and the check it may by. Throws `not_found` for one of
 * another link, and `invalid_state` while it is not `ready`.
 */
export async function mustBeReady(
  deps: Pick<Deps, 'db'>,
  id: string,
  link: LinkRow,
  now: Date,
): Promise<{ readonly session: JoinSessionRow; readonly check: string | null }> {
  const session = await findJoinSession(deps.db, id);
  if (session?.link_uuid !== link.link_uuid) throw new Failure('not_found');
  const check = await checkOf(deps, session);
  const state = joinStateOf(session, check, link.required_proofs.length === 0, now);
  if (state !== 'ready' && state !== 'joined') {
    throw new Failure('invalid_state', { detail: `The join session is ${state}` });
  }
  return { session, check: session.link_session_id };
}
