import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import { sessionContracts } from './contract.ts';
import { signIn, type SignInDeps } from './sign-in.ts';

/** Exchanges what a caller holds for a session token, for those with an account to act in. */
export const token = handler(sessionContracts.token)(async ({ body, call }, deps: SignInDeps) => {
  if (body.grant_type === 'sso_exchange') {
    // No provider is registered: each is unknown, and answered as a bad token is.
    deps.telemetry.log.info(
      { request_id: call.requestId, rule: 'provider' },
      'a provider is unknown',
    );
    throw new Failure('credential_invalid');
  }
  const { token: sessionToken, expiresAt } = await signIn(deps, body.jwt, {}, call, true);
  return {
    status: 200,
    body: { session_token: sessionToken, expires_at: expiresAt.toISOString() },
  };
});
