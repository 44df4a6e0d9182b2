import { acceptInvitations } from '../../activities/identity/invite.ts';
import { logInByAddress } from '../../activities/identity/log-in.ts';
import type { Queryable } from '../../db/client.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { listMemberships, type Membership } from '../../db/queries/memberships.ts';
import { presentSession } from '../session/answer.ts';
import { open } from '../session/open.ts';
import { handler } from '../contract.ts';
import { answerMail, type AnswerDeps } from './answer.ts';
import { emailContracts } from './contract.ts';

/** Opens an email session; an address nobody has makes an email-only person. */
export const verifyLogin = handler(emailContracts.verifyLogin)(async (
  { body, call },
  deps: AnswerDeps,
) => {
  const { now } = call;
  const opened = await answerMail(deps, 'login', body, null, call, async (tx, proved) => {
    const email = await logInByAddress(tx, deps, proved.address, now);
    if (!email) return null;
    const { poly_user_id: polyUserId, identity_id: identityId } = email;
    await acceptInvitations(tx, { ids: deps.ids, now }, proved.address.blind, polyUserId);
    const memberships = await listMemberships(tx, polyUserId);
    const chosen = await chosenOf(tx, memberships, proved.request.app_id);
    const opening = { polyUserId, identityId, chosen, memberships, authTime: now } as const;
    const by = { authMethod: 'email', deviceLabel: body.device_label } as const;
    return open(deps, tx, { ...opening, ...by }, now);
  });
  return { status: 200, body: presentSession(opened) };
});

/** The account of the app that asked for the mail, where they belong to it; else the only one. */
async function chosenOf(
  on: Queryable,
  memberships: readonly Membership[],
  appId: string | null,
): Promise<Membership | null> {
  if (appId === null) return memberships.length === 1 ? (memberships[0] ?? null) : null;
  const app = await findApp(on, appId);
  return memberships.find(({ account_id }) => account_id === app?.account_id) ?? null;
}
