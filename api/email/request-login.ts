import { handler } from '../http/contract.ts';
import { networkOf } from '../http/server/network-of.ts';
import { requestMail, type RequestMailDeps } from './request-mail.ts';
import { emailContracts } from './contract.ts';

/** Requests a mail with a sign-in link, in the same way for every address. */
export const requestLogin = handler(emailContracts.requestLogin)(
  ({ body, call }, deps: RequestMailDeps) =>
    requestMail(deps, 'login', body, { asker: networkOf(call.address), polyUserId: null }, call),
);
