import { handler } from '../http/contract.ts';
import { signIn, type SignInDeps } from '../sign-in/sign-in.ts';
import { sessionContracts } from './contract.ts';
import { exchangeSso, type ExchangeSsoDeps } from './exchange-sso.ts';

/**
 * Exchanges a bundle or an SSO access token for a session token. Refuses people without an account.
 */
export const token = handler(sessionContracts.token)(async (
  { body, call },
  deps: SignInDeps & ExchangeSsoDeps,
) => {
  const { token: sessionToken, expiresAt } =
    body.grant_type === 'sso_exchange'
      ? await exchangeSso(deps, body, call)
      : await signIn(deps, body.jwt, {}, call, true);
  return {
    status: 200,
    body: { session_token: sessionToken, expires_at: expiresAt.toISOString() },
  };
});
