import { expect } from 'vitest';
import { isSessionLive } from '../../../../db/queries/credentials.ts';
import type { Device } from '../../../../simulator/device/device.ts';
import { enrolledPhone } from '../../../support/checks/phone.ts';
import { call } from '../../../support/http/client.ts';
import { goodBundle } from '../../../support/keys/bundles.ts';
import { newEmailUser } from '../../../support/people/email-users.ts';
import { newAddress as newMailbox } from '../../../support/people/mailbox.ts';
import { sidOf } from '../../../support/people/sid-of.ts';
import {
  bareAccount,
  certPerson,
  countRows,
  inTurn,
  keyOf,
  mailedToken,
  raceDb,
  rowOf,
} from '../../../support/races/ground.ts';
import { atOnce, expectFates, newAddress, told, type Race } from '../../../support/races/race.ts';

const idOf = (device: Device | undefined): string => device?.enrolled?.polyUserId ?? '';
const path = '/v2/session/step_up';

const stepUpRivals: Race = {
  name: 'step-up-rivals',
  rule: 'one of many people raises an email session and adopts who had it',
  statements: ['poly_users.lock', 'poly_users.adopt', 'sessions.live'],
  async prepare() {
    const { accountId } = await bareAccount();
    const phones = await Promise.all(Array.from({ length: 5 }, () => enrolledPhone()));
    return async (callers) => {
      const user = await newEmailUser(raceDb(), { [accountId]: ['MEMBER'] });
      const bundles = await atOnce(callers, (place) =>
        goodBundle(phones[place % phones.length] as Device),
      );
      const round = newAddress();
      const answers = await Promise.all(
        bundles.map((raw_jwt) =>
          call('POST', path, { token: user.token, body: { raw_jwt }, headers: round }),
        ),
      );
      const outcomes = answers.map(told);
      const won = answers.findIndex(({ status }) => status === 200);
      const winner = idOf(phones[won % phones.length]);
      const isOwn = (place: number): boolean => place % phones.length === won % phones.length;
      const own = outcomes.filter((_, place) => isOwn(place));
      const others = outcomes.filter((_, place) => !isOwn(place));
      const ended = '401 credential_invalid';
      // The winner’s other bundles reach an ended session.
      expectFates(own, { 200: 1, [ended]: own.length - 1 });
      // The other callers reach an adopted person, or an ended session if checked only then.
      expectFates(others, {}, ['409 identity_owned', ended]);
      const { rows } = await raceDb().query(
        `SELECT u.adopted_by, m.poly_user_id AS member FROM poly_users u, memberships m
         WHERE u.poly_user_id = $1 AND m.account_id = $2`,
        [user.polyUserId, accountId],
      );
      expect(rows).toEqual([{ adopted_by: winner, member: winner }]);
      await raceDb().query('DELETE FROM memberships WHERE account_id = $1', [accountId]);
      return outcomes;
    };
  },
};

const stepUpVsRevocation: Race = {
  name: 'step-up-vs-revocation',
  rule: 'a session ends with the address it came by, or is raised before; never after',
  statements: ['login_emails.revoke', 'poly_users.lock'],
  async prepare() {
    const phone = await enrolledPhone();
    return async (callers) => {
      const round = newAddress();
      const email = newMailbox();
      const mailed = await mailedToken(email, 'login');
      const { body } = await call('POST', '/v2/email/login/verify', {
        body: { token: mailed.token },
        headers: { ...round, cookie: mailed.cookie },
      });
      const [token, user] = [String(body['session_token']), String(body['poly_user_id'])];
      const blind = 'SELECT identity_id FROM login_emails WHERE poly_user_id = $1';
      const { identity_id: identity } = await rowOf<{ identity_id: number }>(blind, [user]);
      // With another address, this one is not the last and can be removed.
      await raceDb().query(
        `INSERT INTO login_emails (poly_user_id, email_sealed, email_blind, status)
         VALUES ($1, '\\x00', sha256($1::text::bytea), 'ACTIVE')`,
        [user],
      );
      const raw_jwt = await goodBundle(phone);
      const answers = await atOnce(callers, (place) =>
        place === 0
          ? call('POST', path, { token, body: { raw_jwt }, headers: round })
          : call('DELETE', `/v2/email/link/${identity}`, { token, headers: round }),
      );
      const outcomes = answers.map(told);
      const ended = '401 credential_invalid';
      expectFates(outcomes, {}, ['200', ended, '404 not_found', '503 dependency_unavailable']);
      const [raised, ...revocations] = outcomes;
      const { rows } = await raceDb().query<{ status: string; adopted_by: string | null }>(
        `SELECT e.status, u.adopted_by FROM login_emails e, poly_users u
         WHERE e.identity_id = $1 AND u.poly_user_id = $2`,
        [identity, user],
      );
      const isRevoked = revocations.includes('200');
      expect(rows).toEqual([
        {
          status: isRevoked ? 'REVOKED' : 'ACTIVE',
          adopted_by: raised === '200' ? idOf(phone) : null,
        },
      ]);
      if (raised !== '200') expect([raised, isRevoked]).toEqual([ended, true]);
      const live = 'SELECT 1 FROM sessions WHERE poly_user_id = $1 AND revoked_at IS NULL';
      expect(await countRows(live, [user])).toBe(0);
      return outcomes;
    };
  },
};

const switchVsRemoval: Race = {
  name: 'switch-vs-removal',
  rule: 'a token for an account is worth nothing once its member was removed',
  statements: ['memberships.remove', 'sessions.live'],
  async prepare() {
    const [here, there] = [await bareAccount(), await bareAccount()];
    return async (callers) => {
      const person = await certPerson(here.accountId, ['MEMBER']);
      await raceDb().query(
        `INSERT INTO memberships (poly_user_id, account_id, roles, created_at)
         VALUES ($1, $2, '{MEMBER}', now())`,
        [person.id, there.accountId],
      );
      const member = `/v2/accounts/${there.accountId}/members/${person.id}`;
      const middle = Math.floor(callers / 2);
      const answers = await atOnce(callers, (place) =>
        place === middle
          ? call('DELETE', member, { token: there.key })
          : call('POST', '/v2/session/switch_account', {
              token: person.token,
              body: { account_id: there.accountId },
            }),
      );
      const outcomes = answers.map(told);
      expect(outcomes[middle]).toBe('200');
      expectFates(outcomes, {}, ['200', '401 membership_required']);
      const minted = answers.flatMap(({ body }) => body['session_token'] ?? []).map(String);
      for (const token of minted) {
        const held = { sid: sidOf(token), accountId: there.accountId, roles: ['MEMBER'] } as const;
        expect(await isSessionLive(raceDb(), held, new Date())).toBe(false);
      }
      const [first] = minted;
      const used = first && (await call('GET', '/v2/devices', { token: first }));
      if (used) expect(told(used)).toBe('401 credential_invalid');
      return outcomes;
    };
  },
};

const lastAdmin: Race = {
  name: 'last-admin',
  rule: 'an ADMIN is left, whichever of many who lower and remove each other come first',
  statements: ['accounts.lock', 'memberships.lock', 'memberships.set_roles', 'memberships.remove'],
  async prepare() {
    const { accountId } = await bareAccount();
    return async (callers) => {
      await raceDb().query('DELETE FROM memberships WHERE account_id = $1', [accountId]);
      const admins = await inTurn(callers, () => certPerson(accountId, ['ADMIN']));
      const answers = await Promise.all(
        admins.map(({ token }, place) => {
          const next = admins[(place + 1) % callers]?.id ?? '';
          const target = `/v2/accounts/${accountId}/members/${next}`;
          return place % 2 === 0
            ? call('DELETE', target, { token })
            : call('PATCH', target, { token, body: { roles: ['VIEWER'] } });
        }),
      );
      const outcomes = answers.map(told);
      // The last call of the ring may meet a lone admin, who stays.
      expectFates(outcomes, {}, ['200', '401 credential_invalid', '409 last_admin']);
      const left = `SELECT 1 FROM memberships WHERE account_id = $1 AND 'ADMIN' = ANY (roles)`;
      const ended = outcomes.filter((one) => one === '200').length;
      expect(await countRows(left, [accountId])).toBe(callers - ended);
      expect(callers - ended).toBeGreaterThan(0);
      return outcomes;
    };
  },
};

const memberTwice: Race = {
  name: 'member-invited-twice',
  rule: 'somebody becomes a member once, with the roles of whoever came first',
  statements: ['memberships.add', 'invited_addresses.renew', 'invited_addresses.add'],
  async prepare() {
    const { accountId } = await bareAccount();
    const at = `/v2/accounts/${accountId}/members`;
    let rounds = 0;
    return async (callers) => {
      rounds += 1;
      const key = await keyOf(accountId, ['ADMIN']);
      const { id } = await certPerson(null);
      const whom = rounds % 2 === 0 ? { email: newMailbox() } : { poly_user_id: id };
      const answers = await atOnce(callers, (place) => {
        const roles = [place % 2 === 0 ? 'MEMBER' : 'REVIEWER'];
        return call('POST', at, { token: key, body: { ...whom, roles } });
      });
      const outcomes = answers.map(told);
      expectFates(outcomes, {}, ['201', '409 already_member']);
      const made = answers.filter(({ status }) => status === 201);
      const [first] = made;
      // Repeated requests for the same roles get the same answer.
      expect(new Set(made.map(({ text }) => text)).size).toBe(1);
      const roles = first?.body['roles'] as string[];
      expect(made.length).toBe(
        Array.from({ length: callers }, (_, place) => place % 2 === 0).filter(
          (isMember) => isMember === roles.includes('MEMBER'),
        ).length,
      );
      const { rows } = await raceDb().query(
        `SELECT m.roles, (SELECT count(*)::int FROM audit_rows r WHERE r.account_id = m.account_id
           AND r.object_id = m.poly_user_id AND r.action = 'member.added') AS noted
         FROM memberships m WHERE account_id = $1 AND poly_user_id = $2`,
        [accountId, first?.body['poly_user_id']],
      );
      expect(rows).toEqual([{ roles, noted: 1 }]);
      return outcomes;
    };
  },
};

const deviceRevoked: Race = {
  name: 'device-revoked',
  rule: 'a device is revoked once, at one instant, whoever says it how often; it gets in no more',
  statements: ['devices.revoke', 'certificates.revoke_device'],
  roundsMax: 60,
  prepare: async () => async (callers) => {
    const device = await enrolledPhone();
    const round = newAddress();
    const login = await call('POST', '/portal_login', {
      body: { raw_jwt: await goodBundle(device) },
      headers: round,
    });
    const token = String(login.body['session_token']);
    const at = `/v2/devices/${device.enrolled?.deviceId ?? ''}`;
    const answers = await atOnce(callers, () => call('DELETE', at, { token, headers: round }));
    const outcomes = answers.map(told);
    // The device revocation ends its session, so a call checked later is refused.
    expectFates(outcomes, {}, ['200', '401 credential_invalid']);
    const revoked = answers.filter(({ status }) => status === 200);
    expect(new Set(revoked.map(({ body }) => body['revoked_at'])).size).toBe(1);
    const late = await call('POST', '/portal_login', {
      body: { raw_jwt: await goodBundle(device) },
      headers: round,
    });
    expect(told(late)).toBe('401 credential_invalid');
    return outcomes;
  },
};

export const peopleRaces: readonly Race[] = [
  stepUpRivals,
  stepUpVsRevocation,
  switchVsRemoval,
  lastAdmin,
  memberTwice,
  deviceRevoked,
];
