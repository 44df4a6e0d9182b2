import { attachAddress } from '../../activities/identity/attach.ts';
import { openLoginEmail } from '../../activities/identity/email/answer.ts';
import { isSessionLive } from '../../db/queries/credentials.ts';
import { Failure } from '../../workflows/failures.ts';
import { forgetPerson } from '../http/auth/credentials/session.ts';
import { handler } from '../http/contract.ts';
import { answerMail, type AnswerDeps } from './answer.ts';
import { emailContracts } from './contract.ts';

/** Attaches an address to the caller who requested it. */
export const verifyLink = handler(emailContracts.verifyLink)(async (
  { body, caller, call },
  deps: AnswerDeps,
) => {
  if (caller.authMethod !== 'cert') throw new Failure('assurance_required');
  const { polyUserId } = caller;
  const eventDeps = { ids: deps.ids, now: call.now };
  const { email, mergedPolyUserId } = await answerMail(
    deps,
    'attach',
    body,
    polyUserId,
    call,
    async (tx, { address }) => {
      // A login email is permanent, so a cached result about the session is not enough.
      if (!(await isSessionLive(tx, caller, call.now))) throw new Failure('credential_invalid');
      return attachAddress(tx, eventDeps, address, polyUserId);
    },
  );
  if (mergedPolyUserId !== null) forgetPerson(mergedPolyUserId);
  return {
    status: 200,
    body: {
      identity_id: email.identity_id,
      email: await openLoginEmail(deps, email),
      status: email.status,
      poly_user_id: polyUserId,
      ...(mergedPolyUserId === null ? {} : { merged_poly_user_id: mergedPolyUserId }),
    },
  };
});
