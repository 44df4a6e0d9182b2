import { transaction } from '../../db/client.ts';
import { endSession, endSessionsOf } from '../../db/queries/sessions.ts';
import type { Deps } from '../deps.ts';
import { forgetSessions } from '../http/auth/credentials/session.ts';
import { onlyAccountOf } from '../http/auth/session-scope.ts';
import { handler } from '../http/contract.ts';
import { liveContracts } from './live-contract.ts';

/**
 * Ends the session that asks, or all of its person. This process refuses their tokens at once,
 * others and sockets once they hear of it. One for one account ends itself alone.
 * Throws `credential_invalid` where all are to end and the one that asks is over.
 */
export const signOut = handler(liveContracts.signOut)(async (
  { body, caller, call },
  { db }: Pick<Deps, 'db'>,
) => {
  const { polyUserId, sid } = caller;
  const isAll = body?.everywhere === true && onlyAccountOf(caller) === undefined;
  if (!isAll) await endSession(db, sid, polyUserId, call.now);
  const others = isAll ? await transaction(db, (tx) => endSessionsOf(tx, caller, call.now)) : [];
  forgetSessions([sid, ...others]);
  return { status: 204, isEmpty: true };
});
