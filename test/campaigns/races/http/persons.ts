import { expect } from 'vitest';
import type { Device } from '../../../../simulator/device/device.ts';
import { asPhone, enrolledPhone } from '../../../support/checks/phone.ts';
import { call, newLink } from '../../../support/http/client.ts';
import { goodBundle } from '../../../support/keys/bundles.ts';
import { newEmailUser, signInBy } from '../../../support/people/email-users.ts';
import { newAddress as newMailbox } from '../../../support/people/mailbox.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import {
  bareAccount,
  certPerson,
  freshNonce,
  inTurn,
  mailedToken,
  raceDb,
  rowOf,
} from '../../../support/races/ground.ts';
import {
  atOnce,
  expectFates,
  newAddress,
  told,
  untilAnswered,
  type Race,
} from '../../../support/races/race.ts';

const begun = '/v2/trust-checks';
const idOf = (device: Device | undefined): string => device?.enrolled?.polyUserId ?? '';

/** Opens a page that waits with a check, and returns the address it shows to a phone. */
async function waitingPage() {
  const link_uuid = await newLink();
  const headers = newAddress();
  const page = await untilAnswered('POST', begun, { body: { link_uuid, client: 'web' }, headers });
  return { link_uuid, headers, page, pair_token: String(page.body['pair_url']).split('#p=')[1] };
}

const personOrPhone: Race = {
  name: 'person-or-phone',
  rule: 'a check is of whoever was told so first: who begins by a session, or whose phone pairs',
  statements: ['trust_checks.bind_person', 'trust_checks.write_step'],
  roundsMax: 60,
  async prepare() {
    const device: Device = await enrolledPhone();
    const { poly_user_id: person, session_token } = ownPlatform().own.member;
    return async (callers) => {
      const { link_uuid, headers, page, pair_token: shown } = await waitingPage();
      const id = String(page.body['link_session_id']);
      const joining = { body: { link_uuid, client: 'mobile', pair_token: shown }, headers };
      const joined = await asPhone(device, () => untilAnswered('POST', begun, joining));
      const token = String(joined.body['check_token']);
      const pair_token = String(joined.body['pair_url']).split('#p=')[1];
      const path = `${begun}/${id}/pair`;
      const pair = async () => {
        const attest = await device.attest({ method: 'POST', path, body: '{}' }, freshNonce());
        return call('POST', path, { token, raw: '{}', headers: { attest } });
      };
      const begin = () =>
        call('POST', begun, {
          token: session_token,
          body: { link_uuid, client: 'web', pair_token },
          headers,
        });
      const answers = await atOnce(callers, async (place) => {
        const isPhone = place % 2 === 0;
        for (;;) {
          const answer = await (isPhone ? pair() : begin());
          if (answer.status !== 503) return { ...answer, isPhone };
        }
      });
      const outcomes = answers.map(told);
      // Of the calls of one phone, the one signed later may arrive first.
      const late = ['409 invalid_state', '409 already_paired', '403 counter_replay'];
      const used = '410 pair_token_ended';
      expectFates(outcomes, {}, ['200', '201', used, ...late]);
      const row = await rowOf<{ poly_user_id: string; device_id: string | null }>(
        'SELECT poly_user_id, device_id FROM trust_checks WHERE link_session_id = $1',
        [id],
      );
      const isPaired = answers.some(({ status }) => status === 200);
      const isBegun = answers.some(({ status }) => status === 201);
      expect([isPaired, isBegun].filter(Boolean)).toHaveLength(1);
      expect(row).toEqual(
        isPaired
          ? { poly_user_id: device.enrolled?.polyUserId, device_id: device.enrolled?.deviceId }
          : { poly_user_id: person, device_id: null },
      );
      return outcomes;
    };
  },
};

const personLed: Race = {
  name: 'person-led',
  rule: 'whoever does not become the person of a check does not say where it leads',
  statements: ['trust_checks.bind_person', 'trust_checks.set_return_to'],
  roundsMax: 60,
  async prepare() {
    const { own, baseUrl } = ownPlatform();
    const rivals = [own.member, own.admin] as const;
    const placeOf = (id: string): string => `${baseUrl}/success/by-app/${own.app_id}?for=${id}`;
    return async (callers) => {
      const { link_uuid, headers, page, pair_token } = await waitingPage();
      const answers = await atOnce(callers, (place) => {
        const { poly_user_id, session_token: token } = rivals[place % 2 === 0 ? 0 : 1];
        const return_to = placeOf(poly_user_id);
        const body = { link_uuid, client: 'web', pair_token, return_to };
        return untilAnswered('POST', begun, { token, body, headers });
      });
      const outcomes = answers.map(told);
      expectFates(outcomes, {}, ['201', '409 invalid_state', '410 pair_token_ended']);
      expect(outcomes).toContain('201');
      const row = await rowOf<{ poly_user_id: string; return_to: string }>(
        'SELECT poly_user_id, return_to FROM trust_checks WHERE link_session_id = $1',
        [String(page.body['link_session_id'])],
      );
      expect(row.return_to).toBe(placeOf(row.poly_user_id));
      return outcomes;
    };
  },
};

const stepUpVsAttach: Race = {
  name: 'step-up-vs-attach',
  rule: 'who has an address alone is adopted once: by who raises their session, or who attaches it',
  statements: ['poly_users.lock', 'poly_users.adopt', 'login_emails.lock_by_address'],
  async prepare() {
    const { accountId } = await bareAccount();
    const phones = await Promise.all(Array.from({ length: 3 }, () => enrolledPhone()));
    return async (callers) => {
      const round = newAddress();
      const email = newMailbox();
      const { token, polyUserId: user } = await newEmailUser(raceDb(), { [accountId]: ['MEMBER'] });
      const { identityId } = await signInBy(raceDb(), email);
      const give = 'UPDATE login_emails SET poly_user_id = $2 WHERE identity_id = $1';
      await raceDb().query(give, [identityId, user]);
      const rivals = await inTurn(Math.ceil(callers / 2), async () => {
        const person = await certPerson(null);
        return { ...person, mailed: await mailedToken(email, 'attach', person.id) };
      });
      const bundles = await atOnce(callers, (place) =>
        goodBundle(phones[place % phones.length] as Device),
      );
      const answers = await atOnce(callers, (place) => {
        const rival = place % 2 === 0 ? rivals[place / 2] : undefined;
        if (!rival) {
          return call('POST', '/v2/session/step_up', {
            token,
            body: { raw_jwt: bundles[place] },
            headers: round,
          });
        }
        const headers = { ...round, cookie: rival.mailed.cookie };
        const body = { token: rival.mailed.token };
        return call('POST', '/v2/email/link/verify', { token: rival.token, body, headers });
      });
      const outcomes = answers.map(told);
      expectFates(outcomes, { 200: 1 }, ['401 credential_invalid', '409 identity_owned']);
      const won = answers.findIndex(({ status }) => status === 200);
      const winner = won % 2 === 0 ? rivals[won / 2]?.id : idOf(phones[won % phones.length]);
      const { rows } = await raceDb().query(
        `SELECT u.adopted_by, e.poly_user_id AS owner, m.poly_user_id AS member
         FROM poly_users u, login_emails e, memberships m
         WHERE u.poly_user_id = $1 AND e.identity_id = $2 AND m.account_id = $3`,
        [user, identityId, accountId],
      );
      expect(rows).toEqual([{ adopted_by: winner, owner: winner, member: winner }]);
      await raceDb().query('DELETE FROM memberships WHERE account_id = $1', [accountId]);
      return outcomes;
    };
  },
};

const pairTokenUsed: Race = {
  name: 'pair-token-used',
  rule: 'a pair token lets one in, and the page is given one other in its place',
  statements: ['pair_tokens.spend', 'pair_tokens.renew'],
  roundsMax: 60,
  async prepare() {
    return async (callers) => {
      const { link_uuid, headers, page, pair_token } = await waitingPage();
      const [id, token] = [String(page.body['link_session_id']), String(page.body['check_token'])];
      const answers = await atOnce(callers, () =>
        untilAnswered('POST', begun, {
          body: { link_uuid, client: 'mobile', pair_token },
          headers,
        }),
      );
      const outcomes = answers.map(told);
      expectFates(outcomes, { 201: 1 }, ['410 pair_token_ended']);
      const renewed = await atOnce(callers, () =>
        untilAnswered('POST', `${begun}/${id}/pair-token`, { token, body: {} }),
      );
      const urls = new Set(renewed.map(({ body }) => String(body['pair_url'])));
      expect(urls.size).toBe(1);
      expect(urls).not.toContain(String(page.body['pair_url']));
      return outcomes;
    };
  },
};

export const personRaces: readonly Race[] = [
  personOrPhone,
  personLed,
  pairTokenUsed,
  stepUpVsAttach,
];
