import { exchangeInvite as takeInvite } from '../../activities/tokens/invite-token.ts';
import { moveOf } from '../../domain/identity/transitions.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { sessionContracts } from './contract.ts';

/** Returns the JWT of a token once. Unknown, used and expired tokens get the same response. */
export const exchangeInvite = handler(sessionContracts.exchangeInvite)(async (
  { body, call },
  deps: Pick<Deps, 'db'>,
) => {
  const rawJwt = await takeInvite(deps.db, body.token, call.now);
  const move = moveOf({ on: 'exchange_invite', isLive: rawJwt !== null });
  if (rawJwt === null || move !== 'consume') throw new Failure('not_found');
  return { status: 200, body: { raw_jwt: rawJwt } };
});
