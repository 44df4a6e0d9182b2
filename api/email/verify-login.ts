import { logInByAddress } from '../../activities/identity/log-in.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { listMemberships } from '../../db/queries/memberships.ts';
import { handler } from '../http/contract.ts';
import { presentSession } from '../sign-in/answer.ts';
import { sealDeviceLabel } from '../sign-in/device-label.ts';
import { confinedIn } from '../sign-in/memberships-for.ts';
import { open } from '../sign-in/open.ts';
import { answerMail, type AnswerDeps } from './answer.ts';
import { emailContracts } from './contract.ts';

/**
 * Opens an email session. An unknown address creates a person with only this login email. If an app
 * requested the mail, the session is limited to the app's account, because the app's page receives
 * the token.
 */
export const verifyLogin = handler(emailContracts.verifyLogin)(async (
  { body, call },
  deps: AnswerDeps,
) => {
  const { now } = call;
  const opened = await answerMail(deps, 'login', body, null, call, async (tx, proved) => {
    const { app_id: appId } = proved.request;
    const app = appId === null ? null : await findApp(tx, appId);
    // The app was archived after the request, so there is no account to limit the session to.
    if (appId !== null && !app) return null;
    const email = await logInByAddress(tx, deps, proved.address, now);
    if (!email) return null;
    const { poly_user_id: polyUserId, identity_id: identityId } = email;
    const all = await listMemberships(tx, polyUserId);
    const memberships = app ? confinedIn(app.account_id, all) : all;
    const chosen = memberships[0] ?? null;
    const opening = { polyUserId, identityId, chosen, memberships, authTime: now } as const;
    const sid = deps.ids.make('sid');
    const deviceLabelSealed = await sealDeviceLabel(deps.sealer, sid, body.device_label);
    const by = { authMethod: 'email', sid, deviceLabelSealed } as const;
    const confined = app ? { confinedTo: app.account_id } : {};
    return open(deps, tx, { ...opening, ...by, ...confined }, now);
  });
  return { status: 200, body: presentSession(opened) };
});
