import { endSession } from '../../db/queries/sessions.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { forgetSessions } from '../http/auth/credentials/session.ts';
import { onlyAccountOf } from '../http/auth/session-scope.ts';
import { handler } from '../http/contract.ts';
import { liveContracts } from './live-contract.ts';

/** Ends a session of the caller's person. A session limited to one account ends only itself. */
export const end = handler(liveContracts.end)(async (
  { path: { sid }, caller, call },
  { db }: Pick<Deps, 'db'>,
) => {
  const isTheirs = sid === caller.sid || onlyAccountOf(caller) === undefined;
  const isEnded = isTheirs && (await endSession(db, sid, caller.polyUserId, call.now));
  if (!isEnded) throw new Failure('not_found');
  forgetSessions([sid]);
  return { status: 204, isEmpty: true };
});
