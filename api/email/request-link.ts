import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import { ask, type AskDeps } from './ask.ts';
import { emailContracts } from './contract.ts';

/** Has a link mailed that attaches an address to the caller, who has a certified device. */
export const requestLink = handler(emailContracts.requestLink)((
  { body, caller, call },
  deps: AskDeps,
) => {
  if (caller.authMethod !== 'cert') throw new Failure('assurance_required');
  const { polyUserId } = caller;
  return ask(deps, 'attach', body, { asker: polyUserId, polyUserId }, call);
});
