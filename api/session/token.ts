import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import { sessionContracts } from './contract.ts';
import { signIn, type SignInDeps } from './sign-in.ts';

/** Exchanges what a caller holds for a session token, for those with an account to act in. */
export const token = handler(sessionContracts.token)(async ({ body, call }, deps: SignInDeps) => {
  if (body.grant_type === 'sso_exchange') {
    // No token of a provider is taken yet, of registered ones neither: all are answered alike.
    deps.telemetry.log.info(
      { request_id: call.requestId, rule: 'provider' },
      'no token of a provider is taken',
    );
    throw new Failure('credential_invalid');
  }
  const { token: sessionToken, expiresAt } = await signIn(deps, body.jwt, {}, call, true);
  return {
    status: 200,
    body: { session_token: sessionToken, expires_at: expiresAt.toISOString() },
  };
});
