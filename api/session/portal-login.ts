import { handler } from '../contract.ts';
import { sessionContracts } from './contract.ts';
import { signIn, type SignInDeps } from './sign-in.ts';

/** Opens a session from a verification bundle. */
export const portalLogin = handler(sessionContracts.portalLogin)(async (
  { body, call },
  deps: SignInDeps,
) => {
  const rawJwt = body.raw_jwt ?? body.jwt ?? '';
  const { token, expiresAt, polyUserId, chosen, memberships } = await signIn(
    deps,
    rawJwt,
    body,
    call,
  );
  return {
    status: 200,
    body: {
      session_token: token,
      token_type: 'Bearer' as const,
      expires_at: expiresAt.toISOString(),
      auth_method: 'cert' as const,
      account_id: chosen?.account_id ?? null,
      roles: [...(chosen?.roles ?? [])],
      poly_user_id: polyUserId,
      accounts: memberships.map((one) => ({ ...one, roles: [...one.roles] })),
    },
  };
});
