import { randomIds } from '../../../../db/ids.ts';
import { addMembership } from '../../../../db/queries/seeding.ts';
import type { Device } from '../../../../simulator/device/device.ts';
import {
  enrolledPhone,
  freshNonce,
  newChallenge,
  newPhone,
} from '../../../support/checks/phone.ts';
import { call, callingFrom, done, newLink } from '../../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../../support/keys/bundles.ts';
import { emailSession, newEmailUser } from '../../../support/people/email-users.ts';
import { askLink, askLogin, newAddress, tokenTo } from '../../../support/people/mailbox.ts';
import { join, newMeetingLink, tokenOf } from '../../../support/people/meetings.ts';
import { sidOf } from '../../../support/people/sid-of.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import type { Stage } from '../stage.ts';
import type { Golden, MakeGolden, SignedPart } from './golden.ts';

/** Signs the final form of a request, with a fresh nonce. */
export const signer =
  (device: Device): NonNullable<Golden['sign']> =>
  async (call: SignedPart) => {
    // From random addresses, because the campaign exceeds the nonce limit of one address.
    const nonce = await callingFrom(anyAddress(), () => freshNonce(device));
    return { attest: await device.attest(call, nonce) };
  };

const anyAddress = (): string => `10.${[...randomIds.bytes(3)].join('.')}`;

/** Creates a phone of a member of the quiet account, and a session of that member. */
async function memberPhone({ db, quiet }: Stage): Promise<{ device: Device; token: string }> {
  const device = await enrolledPhone();
  const id = device.enrolled?.polyUserId ?? '';
  await addMembership(db, [id, quiet.account_id, ['MEMBER'], new Date()]);
  const { body } = await done('a sign-in', async () => portalLogin(await goodBundle(device)));
  return { device, token: String(body['session_token']) };
}

async function attachedEmail(stage: Stage): Promise<{ token: string; id: number }> {
  const { token } = await memberPhone(stage);
  const address = newAddress();
  const { cookie } = await askLink(token, { email: address });
  const body = { token: await tokenTo(address) };
  const headers = { cookie };
  const made = await done('an address', () =>
    call('POST', '/v2/email/link/verify', { token, body, headers }),
  );
  return { token, id: Number(made.body['identity_id']) };
}

/** Good calls to sign in, join, and enroll phones. */
export function goldenPeople(stage: Stage): Readonly<Record<string, MakeGolden>> {
  const { own } = ownPlatform();
  const { db, quiet } = stage;
  const jwt = async () => goodBundle((await memberPhone(stage)).device);
  const raw = `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.e30.c2lnbmF0dXJl`;
  return {
    'session.portalLogin': async () => ({ path: '/portal_login', body: { raw_jwt: await jwt() } }),
    'session.stepUp': async () => {
      const { device } = await memberPhone(stage);
      const roles = { [quiet.account_id]: ['MEMBER'] } as const;
      const token = await emailSession(db, device.enrolled?.polyUserId ?? '', roles);
      return { path: '/v2/session/step_up', token, body: { raw_jwt: await goodBundle(device) } };
    },
    'session.switchAccount': async () => ({
      path: '/v2/session/switch_account',
      token: (await newEmailUser(db, { [quiet.account_id]: ['MEMBER'] })).token,
      body: { account_id: quiet.account_id },
    }),
    'session.createInvite': async () => ({
      path: '/create_invite_exchange_token',
      body: { raw_jwt: raw },
    }),
    'session.exchangeInvite': async () => {
      const made = await call('POST', '/create_invite_exchange_token', { body: { raw_jwt: raw } });
      return { path: '/exchange_invite_token', body: { token: made.body['token'] } };
    },
    'session.token': async () => ({
      path: '/api/v1/auth/token',
      body: { grant_type: 'jwt_exchange', jwt: await jwt() },
    }),
    'session.join': async () => ({
      path: '/v2/join/session',
      body: { link_uuid: await newMeetingLink(), display_name: 'A guest' },
    }),
    'session.joined': async () => {
      const link = await newMeetingLink();
      const token = tokenOf(await join(link));
      return { path: `/v2/join/session?link_uuid=${link}`, token };
    },
    'session.signOut': async () => ({
      path: '/v2/session/sign_out',
      token: (await newEmailUser(db)).token,
      body: { everywhere: true },
    }),
    'session.end': async () => {
      const { token } = await newEmailUser(db);
      return { path: `/v2/sessions/${sidOf(token)}`, token };
    },
    'email.requestLogin': async () => ({
      path: '/v2/email/login/request',
      body: { email: newAddress() },
    }),
    'email.verifyLogin': async () => {
      const address = newAddress();
      const { cookie } = await askLogin({ email: address });
      const body = { token: await tokenTo(address) };
      return { path: '/v2/email/login/verify', body, headers: { cookie } };
    },
    'email.requestLink': async () => ({
      path: '/v2/email/link/request',
      token: (await memberPhone(stage)).token,
      body: { email: newAddress() },
    }),
    'email.verifyLink': async () => {
      const { token } = await memberPhone(stage);
      const address = newAddress();
      const { cookie } = await askLink(token, { email: address });
      const body = { token: await tokenTo(address) };
      return { path: '/v2/email/link/verify', token, body, headers: { cookie } };
    },
    // Separate callers, because the campaign exceeds the limit of one.
    'email.list': async () => ({
      path: '/v2/email/link',
      token: (await newEmailUser(db, { [quiet.account_id]: ['MEMBER'] })).token,
    }),
    'email.revoke': async () => {
      const { token, id } = await attachedEmail(stage);
      return { path: `/v2/email/link/${id}`, token };
    },
    'devices.challenge': async () => ({ path: '/v2/devices/challenge' }),
    'devices.enroll': async () => {
      const device = await newPhone('android');
      return {
        path: '/v2/devices',
        body: await device.enrollment(await newChallenge(), own.app_id),
      };
    },
    'devices.renew': async () => {
      const device = await enrolledPhone();
      const id = device.enrolled?.deviceId ?? '';
      return { path: `/v2/devices/${id}/certificate`, sign: signer(device) };
    },
    'trust-checks.begin': async () => ({
      path: '/v2/trust-checks',
      body: { link_uuid: await newLink(), client: 'web' },
    }),
  };
}
