import { Failure } from '../../workflows/failures.ts';
import { handler } from '../http/contract.ts';
import { requestMail, type RequestMailDeps } from './request-mail.ts';
import { emailContracts } from './contract.ts';

/**
 * Mails a link that attaches an address to the caller. The contract requires a recent proof from
 * people with a device. People without one cannot attach an address.
 */
export const requestLink = handler(emailContracts.requestLink)((
  { body, caller, call },
  deps: RequestMailDeps,
) => {
  if (caller.authMethod !== 'cert') throw new Failure('assurance_required');
  const { polyUserId } = caller;
  return requestMail(deps, 'attach', body, { asker: polyUserId, polyUserId }, call);
});
