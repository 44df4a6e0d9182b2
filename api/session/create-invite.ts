import { keepInvite } from '../../activities/tokens/invite-token.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { sessionContracts } from './contract.ts';

/** Stores a JWT under a one-time token. */
export const createInvite = handler(sessionContracts.createInvite)(async (
  { body, call },
  deps: Pick<Deps, 'db' | 'ids'>,
) => {
  const { token, expiresAt } = await keepInvite(deps, body.raw_jwt, call.now);
  return { status: 200, body: { token, expires_at: expiresAt.toISOString() } };
});
