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
  // An outcome that was taken back lets nobody in, and nobody stay.
  if (check?.status === 'passed' && check.outcome_validity === 'revoked') return 'denied';
  if (session.status !== 'created') return session.status;
  if (session.created_at.getTime() + joinTokenLifeMs <= now.getTime()) return 'expired';
  if (check) return stateOfCheck[check.status];
  if (session.expires_at <= now) return 'expired';
  return asksNothing ? 'ready' : 'created';
}

/** How a join session stands, and its state now. */
export interface JoinStanding extends JoinStandingRow {
  readonly state: JoinSessionState;
  /** Whether it lets its person in now. */
  readonly isLetIn: boolean;
}

/** How join sessions stand now, by their ids: one query for all. */
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
  // Whom the platform sent away is not led back.
  const state = isOut ? 'denied' : found;
  return { ...row, state, isLetIn: state === 'ready' || state === 'joined' };
}

/** How one stands that there is. */
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
 * A join session of a link that may come in, and the check it may by. Throws `not_found` for one of
 * another link, and `invalid_state` while it is not `ready`.
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
