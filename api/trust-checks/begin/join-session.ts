import { lockedTransaction, type Tx } from '../../../db/client.ts';
import {
  bindJoinSession,
  findJoinSession,
  type JoinSessionRow,
} from '../../../db/queries/join-sessions.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import { lockTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { authenticateJoinToken } from '../../http/auth/credentials/join-token.ts';

/**
 * Returns the join session a check is begun for; null without a token.
 * @throws Failure `credential_invalid` for an invalid token, or one of another link
 */
export async function findJoining(
  deps: Pick<Deps, 'db' | 'keys' | 'settings'>,
  { link_uuid }: LinkRow,
  joinToken: string | undefined,
  now: Date,
): Promise<JoinSessionRow | null> {
  if (joinToken === undefined) return null;
  const caller = await authenticateJoinToken(deps, joinToken, now);
  const session = caller && (await findJoinSession(deps.db, caller.joinSessionId));
  if (session?.link_uuid !== link_uuid) throw new Failure('credential_invalid');
  return session;
}

/**
 * Binds a check to a join session, which can join the meeting after the check has passed.
 * @throws Failure `invalid_state` if the check is bound to another join session: another person
 *   with the link must not join by this check
 */
export async function joinSession(
  { db }: Pick<Deps, 'db'>,
  check: TrustCheckRow,
  joining: JoinSessionRow,
  now: Date,
): Promise<void> {
  const lock = (tx: Tx) => lockTrustCheck(tx, check.link_session_id);
  await lockedTransaction(db, lock, (tx) => bindJoining(tx, check, joining, now));
}

/** Does the same within a transaction that has created or locked the check. */
export async function bindJoining(
  tx: Tx,
  check: TrustCheckRow,
  { join_session_id }: JoinSessionRow,
  now: Date,
): Promise<void> {
  if (await bindJoinSession(tx, join_session_id, check, now)) return;
  throw new Failure('invalid_state', {
    detail: 'A check admits one participant, and a participant needs one check',
  });
}
