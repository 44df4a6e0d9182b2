import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskEmail } from '../../../api/apps/read/masked-emails.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { createDevice } from '../../../simulator/device/device.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { devTrust } from '../../support/checks/phone.ts';
import { call, newLink, newNumber, type Answer } from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, own, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
const mark = `${process.pid}-${Date.now()}`;
let account: Seed;
beforeAll(async () => {
  account = await newAccount(`users-${mark}`);
});
afterAll(() => db.end());

interface User {
  readonly poly_user_id: string;
  readonly [name: string]: unknown;
}
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const usersOf = ({ app_id, api_key }: Seed, query = ''): Promise<Answer> =>
  call('GET', `/v2/app/${app_id}/users?${query}`, { token: api_key });
const itemsOf = ({ body }: Answer): User[] => body['items'] as User[];
const idsOf = (answer: Answer): string[] => itemsOf(answer).map((user) => user.poly_user_id);

/** Inserts a device of the account's app that was last seen this many minutes ago. */
async function newDevice(
  polyUserId: string,
  platform: 'ios' | 'android',
  minutesAgo: number,
): Promise<void> {
  await db.query(
    `INSERT INTO devices (device_id, poly_user_id, app_id, platform, attested_key_id,
       public_key_spki, evidence_sealed, verdict, signing_kid, created_at, last_seen_at)
     VALUES ('dev_' || gen_random_uuid(), $1, $2, $3::device_platform, gen_random_uuid(), '', '',
       '{}', 'k', now() - interval '1 day', now() - $4 * interval '1 minute')`,
    [polyUserId, account.app_id, platform, minutesAgo],
  );
}

describe('the users of an app', () => {
  it('are the subjects of its checks, with the name that a check released', async () => {
    const trust = await devTrust();
    const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
    const named = await newLink({
      required_proofs: ['device', 'nfc_passport', 'phone'],
      requested_claims: ['full_name'],
    });
    const say = (): void => undefined;
    const check = { link: `${baseUrl}/v2/${named}`, number: newNumber(), trust, device, say };
    await phoneCheck(check);
    const id = device.enrolled?.polyUserId ?? '';
    const sealer = ownSealer(db);
    const blind = sealer.blind('login-email', `someone-${mark}@example.test`);
    const context = `login_emails|email|${blind.toString('hex')}`;
    const sealed = await sealer.seal('platform', context, `someone-${mark}@example.test`);
    await db.query(
      `INSERT INTO login_emails (poly_user_id, email_sealed, email_blind, status)
       VALUES ($1, $2, $3, 'ACTIVE')`,
      [id, sealed, blind],
    );
    const found = await usersOf(own, `search=${id.slice(3, 20).toUpperCase()}`);
    expect(itemsOf(found)).toEqual([
      {
        poly_user_id: id,
        display_name: expect.stringContaining('ERIKSSON'),
        email_masked: 's***@example.test',
        platform: 'ios',
        role: null,
        first_seen_at: expect.any(String),
        last_seen_at: expect.any(String),
        checks: { passed: 1, failed: 0 },
      },
    ]);
    // Searches names by word, and addresses as a whole in any spelling.
    for (const [text, isFound] of [
      ['eriksson', true],
      ['Anna Érik', true],
      ['riksson', false],
      [`Someone-${mark}@EXAMPLE.test`, true],
      [`someone-${mark}@example`, false],
      [`omeone-${mark}@example.test`, false],
      ['s***@example.test', false],
    ] as const) {
      const ids = idsOf(await usersOf(own, `page_size=100&search=${encodeURIComponent(text)}`));
      expect([text, ids.includes(id)]).toEqual([text, isFound]);
      expect(idsOf(await usersOf(foreign, `search=${encodeURIComponent(text)}`))).toEqual([]);
    }
    const digests = () =>
      db.query('SELECT names_blind FROM trust_checks WHERE poly_user_id = $1', [id]);
    expect((await digests()).rows[0].names_blind.length).toBeGreaterThan(10);
    await db.query(`UPDATE login_emails SET status = 'REVOKED' WHERE poly_user_id = $1`, [id]);
    const address = encodeURIComponent(`someone-${mark}@example.test`);
    expect(idsOf(await usersOf(own, `search=${address}`))).toEqual([]);
    // After the redaction of the check only the count remains.
    const { rows } = await db.query<{ link_session_id: string }>(
      'SELECT link_session_id FROM trust_checks WHERE poly_user_id = $1',
      [id],
    );
    const redact = `/v2/trust-checks/${rows[0]?.link_session_id ?? ''}/redact`;
    // A check cannot be redacted while its affidavit is being issued.
    await eventually(
      'it is redacted',
      async () => (await call('POST', redact, { token: own.api_key })).status === 200,
    );
    expect((await digests()).rows).toEqual([{ names_blind: [] }]);
    expect(idsOf(await usersOf(own, 'search=eriksson&page_size=100'))).not.toContain(id);
    const [user] = itemsOf(await usersOf(own, `search=${id}`));
    expect([user?.['display_name'], user?.['checks']]).toEqual([null, { passed: 1, failed: 0 }]);
    expect(idsOf(await usersOf(foreign, `search=${id}`))).toEqual([]);
  });

  it('can be filtered by page, platform and role', async () => {
    const people = [
      await newEmailUser(db, { [account.account_id]: ['VIEWER', 'REVIEWER'] }),
      await newEmailUser(db, { [foreign.account_id]: ['ADMIN'] }),
      await newEmailUser(db),
    ];
    const [first = '', second = '', third = ''] = people.map(({ polyUserId }) => polyUserId);
    await newDevice(first, 'ios', 30);
    await newDevice(first, 'android', 3);
    await newDevice(second, 'ios', 2);
    await newDevice(third, 'ios', 1);
    const all = await usersOf(account);
    expect(itemsOf(all).map((user) => [user.poly_user_id, user['platform'], user['role']])).toEqual(
      [
        [third, 'ios', null],
        [second, 'ios', null],
        [first, 'android', 'REVIEWER'],
      ],
    );
    expect(idsOf(await usersOf(account, 'platform=ios'))).toEqual([third, second]);
    expect(idsOf(await usersOf(account, 'role=REVIEWER'))).toEqual([first]);
    expect(idsOf(await usersOf(account, 'role=VIEWER'))).toEqual([]);
    const page = await usersOf(account, 'page=2&page_size=2');
    expect([idsOf(page), page.body['total'], page.body['pages']]).toEqual([[first], 3, 2]);
    const beyond = await usersOf(account, 'page=9');
    expect([idsOf(beyond), beyond.body['total']]).toEqual([[], 3]);
    expect(idsOf(await usersOf(account, `search=%20${second}%20`))).toEqual([second]);
    // A wildcard is an ordinary character, and a blank search matches everything.
    expect(idsOf(await usersOf(account, 'search=%25'))).toEqual([]);
    expect(idsOf(await usersOf(account, 'search=%20')).length).toBe(3);
  });

  it.each([
    'page=0',
    'page_size=0',
    'page_size=101',
    `search=${'x'.repeat(201)}`,
    'search=%00',
    'platform=web',
    'role=OWNER',
    'role=VIEWER&role=ADMIN',
  ])('are refused for %s', async (query) => {
    expect((await usersOf(account, query)).status).toBe(422);
  });

  it('can be searched by 200 characters of any length in bytes', async () => {
    const search = encodeURIComponent('😀'.repeat(200));
    expect((await usersOf(account, `search=${search}`)).status).toBe(200);
  });

  it('are visible only to their account', async () => {
    for (const what of ['users', 'status']) {
      for (const app of [foreign.app_id, 'no-such-app']) {
        const path = `/v2/app/${app}/${what}`;
        const refused = await call('GET', path, { token: account.api_key });
        expect(outcome(refused)).toEqual([404, 'not_found']);
      }
    }
  });

  it('have masked email addresses', () => {
    expect(maskEmail('alice@example.test')).toBe('a***@example.test');
    expect(maskEmail('a@example.test')).toBe('***@example.test');
    expect(maskEmail('😀😀@example.test')).toBe('😀***@example.test');
  });
});

describe('the status of an app', () => {
  it('counts usable links and the checks of the last 24 hours', async () => {
    const { app_id, account_id, api_key: token } = account;
    const put = async (body: Record<string, unknown>): Promise<string> => {
      const made = await call('PUT', `/v2/link/${app_id}`, { token, body });
      return String(made.body['link_uuid']);
    };
    const phone = { required_proofs: ['phone'] };
    const open = await put(phone);
    const tomorrow = new Date(Date.now() + 24 * 3600_000).toISOString();
    await put({ ...phone, not_before: tomorrow });
    const over = await put({ ...phone, expires_at: tomorrow });
    await db.query(`UPDATE links SET expires_at = now() - interval '1 s' WHERE link_uuid = $1`, [
      over,
    ]);
    const begin = { link_uuid: open, client: 'web' };
    for (let count = 0; count < 2; count += 1) {
      expect((await call('POST', '/v2/trust-checks', { body: begin })).status).toBe(201);
    }
    await db.query(
      `UPDATE trust_checks SET created_at = now() - interval '25 hours' WHERE link_session_id = (
         SELECT min(link_session_id) FROM trust_checks WHERE account_id = $1)`,
      [account_id],
    );
    const { body } = await call('GET', `/v2/app/${app_id}/status`, { token });
    expect(body).toEqual({
      app_id,
      status: 'active',
      kind: 'sdk',
      livemode: true,
      redirect_url: `${baseUrl}/success/by-app/${app_id}`,
      tos_version: '1',
      default_proofs: ['device', 'nfc_passport', 'phone'],
      platforms: { ios: true, android: true },
      links_active: 1,
      checks_last_24h: 1,
    });
  });
});
