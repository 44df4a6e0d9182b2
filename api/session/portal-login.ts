import { handler } from '../http/contract.ts';
import { presentSession } from '../sign-in/answer.ts';
import { signIn, type SignInDeps } from '../sign-in/sign-in.ts';
import { sessionContracts } from './contract.ts';

export const portalLogin = handler(sessionContracts.portalLogin)(async (
  { body, call },
  deps: SignInDeps,
) => {
  const rawJwt = body.raw_jwt ?? body.jwt ?? '';
  return { status: 200, body: presentSession(await signIn(deps, rawJwt, body, call)) };
});
