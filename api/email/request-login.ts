import { handler } from '../http/contract.ts';
import { networkOf } from '../http/server/network-of.ts';
import { ask, type AskDeps } from './ask.ts';
import { emailContracts } from './contract.ts';

/** Has a link to sign in mailed, to any address alike. */
export const requestLogin = handler(emailContracts.requestLogin)(({ body, call }, deps: AskDeps) =>
  ask(deps, 'login', body, { asker: networkOf(call.address), polyUserId: null }, call),
);
