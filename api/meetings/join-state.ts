import { joinTokenLifeMs } from '../../activities/tokens/join-token.ts';
import {
  findJoinSession,
  listJoinStandings,
  type JoinSessionRow,
  type JoinStandingRow,
} from '../../db/queries/join-sessions.ts';
import type { LinkRow } from '../../db/queries/links.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { JoinSessionState } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';

type Check = Pick<TrustCheckRow, 'status' | 'outcome_validity'>;

/** The state of a join session by the state of its trust check. */
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
 * Returns the current state of a join session. Its check and dates change it without a
 * write.
 * @param check the trust check it is bound to; null without one
 * @param asksNothing whether the link requires no proof
 */
export function joinStateOf(
  session: Pick<JoinSessionRow, 'status' | 'created_at' | 'expires_at'>,
  check: Check | null,
  asksNothing: boolean,
  now: Date,
): JoinSessionState {
  // A revoked outcome admits no one and removes the person from the meeting.
  if (check?.status === 'passed' && check.outcome_validity === 'revoked') return 'denied';
  if (session.status !== 'created') return session.status;
  if (session.created_at.getTime() + joinTokenLifeMs <= now.getTime()) return 'expired';
  if (check) return stateOfCheck[check.status];
  if (session.expires_at <= now) return 'expired';
  return asksNothing ? 'ready' : 'created';
}

/** A join session with its current state. */
export interface JoinStanding extends JoinStandingRow {
  readonly state: JoinSessionState;
  /** Whether its person may join now. */
  readonly isLetIn: boolean;
}

/** Returns the current states of join sessions by id, with one query. */
export async function standingsOf(
  deps: Pick<Deps, 'db'>,
  ids: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, JoinStanding>> {
  const rows = await listJoinStandings(deps.db, ids);
  return new Map(rows.map((row) => [row.join_session_id, standingOf(row, now)]));
}

function standingOf(row: JoinStandingRow, now: Date): JoinStanding {
  const { check_status: status, outcome_validity, required_proofs } = row;
  const check = status === null ? null : { status, outcome_validity };
  const isOut = row.presence === 'removed' || row.presence === 'denied';
  const found = joinStateOf(row, check, required_proofs.length === 0, now);
  // A person whom the platform has removed or denied is not readmitted.
  const state = isOut ? 'denied' : found;
  return { ...row, state, isLetIn: state === 'ready' || state === 'joined' };
}

/**
 * Returns the current state of a join session.
 * @throws Failure `not_found`
 */
export async function findStandingOrThrow(
  deps: Pick<Deps, 'db'>,
  { join_session_id: id }: Pick<JoinSessionRow, 'join_session_id'>,
  now: Date,
): Promise<JoinStanding> {
  const standing = (await standingsOf(deps, [id], now)).get(id);
  if (!standing) throw new Failure('not_found');
  return standing;
}

/**
 * Returns a join session of the link that may join, and the check that admits it.
 * @throws Failure `not_found` for one of another link, `invalid_state` if it may not join
 */
export async function assertJoinReady(
  deps: Pick<Deps, 'db'>,
  id: string,
  link: LinkRow,
  now: Date,
): Promise<{ readonly session: JoinSessionRow; readonly check: string | null }> {
  const session = await findJoinSession(deps.db, id);
  if (session?.link_uuid !== link.link_uuid) throw new Failure('not_found');
  const { state, isLetIn, link_session_id } = await findStandingOrThrow(deps, session, now);
  if (!isLetIn) {
    throw new Failure('invalid_state', { detail: `The join session is ${state}` });
  }
  return { session, check: link_session_id };
}
