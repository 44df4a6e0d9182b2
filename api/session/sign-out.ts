import { transaction } from '../../db/client.ts';
import { endSession, endSessionsOf } from '../../db/queries/sessions.ts';
import type { Deps } from '../deps.ts';
import { forgetSessions } from '../http/auth/credentials/session.ts';
import { onlyAccountOf } from '../http/auth/session-scope.ts';
import { handler } from '../http/contract.ts';
import { liveContracts } from './live-contract.ts';

/**
 * Ends the caller's session, or all of its person. This process refuses their tokens at once; other
 * processes and sockets do so after a notification. A session limited to one account ends only
 * itself.
 * @throws Failure `credential_invalid` if all are to end and the caller's session has ended
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
