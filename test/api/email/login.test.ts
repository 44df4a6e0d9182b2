import { afterAll, describe, expect, it } from 'vitest';
import { blindOf } from '../../../activities/identity/email/requests.ts';
import { readAddress } from '../../../domain/identity/email-address.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { askLogin, logIn, newAddress, tokenTo } from '../../support/people/mailbox.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own, baseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const verify = (body: unknown, cookie?: string): Promise<Answer> =>
  call('POST', '/v2/email/login/verify', { body, ...(cookie ? { headers: { cookie } } : {}) });
const fail = (email: string): never => {
  throw new Error(`${email} is no address`);
};
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

describe('an email login', () => {
  it('creates an email-only person for an unknown address, and finds it the next time', async () => {
    const address = newAddress();
    const first = await logIn(address);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      token_type: 'Bearer',
      auth_method: 'email',
      account_id: null,
      roles: [],
      poly_user_id: expect.stringMatching(/^pu_[0-9a-z]{26}$/),
      accounts: [],
    });
    const lifeMs = Date.parse(String(first.body['expires_at'])) - Date.now();
    expect(lifeMs).toBeGreaterThan(12 * 3600_000 - 60_000);
    expect(lifeMs).toBeLessThanOrEqual(12 * 3600_000);
    const other = address.replace('person', 'PERSON');
    const { cookie } = await askLogin({ email: other });
    // The email goes to the spelling that was proved, not to the one submitted now.
    const token = await tokenTo(address, 2);
    const second = await verify({ token, device_label: 'my phone' }, cookie);
    expect(second.status).toBe(200);
    expect(second.body['poly_user_id']).toBe(first.body['poly_user_id']);
    const by = { token: String(second.body['session_token']) };
    const list = await call('GET', '/v2/email/link', by);
    expect(list.body['items']).toMatchObject([{ last_device_label: 'my phone' }]);
    const { rows } = await db.query(
      `SELECT e.status, e.last_login_at IS NOT NULL AS used, s.device_label_sealed IS NOT NULL AS labeled,
         coalesce(position('my phone'::bytea IN s.device_label_sealed), 0) AS clear_at
       FROM login_emails e JOIN sessions s USING (identity_id)
       WHERE e.poly_user_id = $1 ORDER BY s.created_at`,
      [first.body['poly_user_id']],
    );
    expect(rows).toEqual([
      { status: 'ACTIVE', used: true, labeled: false, clear_at: 0 },
      { status: 'ACTIVE', used: true, labeled: true, clear_at: 0 },
    ]);
  });

  it.each([
    ['m\u0131ke', 'mike'],
    ['stra\u00dfe', 'strasse'],
    ['bo\u017f\u017f', 'boss'],
  ])('as %s is not a login as %s', async (mine, theirs) => {
    const own = newAddress();
    const [known, offered] = [theirs, mine].map((name) => own.replace('person', name));
    const first = await logIn(known ?? '');
    const second = await logIn(offered ?? '');
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body['poly_user_id']).not.toBe(first.body['poly_user_id']);
  });

  it('is sent to an invited address as spelled in the invitation, which it then proves', async () => {
    const address = newAddress();
    const invited = address.replace('person', 'Person');
    const body = { email: invited, roles: ['VIEWER'] };
    const path = `/v2/accounts/${own.account_id}/members`;
    expect((await call('POST', path, { token: own.api_key, body })).status).toBe(201);
    const { cookie } = await askLogin({ email: address });
    const session = await verify({ token: await tokenTo(invited) }, cookie);
    const token = String(session.body['session_token']);
    const { body: listed } = await call('GET', '/v2/email/link', { token });
    expect((listed['items'] as { email: string }[]).map(({ email }) => email)).toEqual([invited]);
    expect(session.body['roles']).toEqual([]);
  });

  it('links to the requested page, or to ours', async () => {
    const [ours, theirs] = [newAddress(), newAddress()];
    await askLogin({ email: ours });
    await askLogin({ email: theirs, return_to: `${baseUrl}/v2/some-page?x=1` });
    await Promise.all([tokenTo(ours), tokenTo(theirs)]);
    const { body } = await call('GET', '/outbox/messages?limit=200');
    const items = body['items'] as { recipient: string; text: string }[];
    const textTo = (address: string): string =>
      items.find(({ recipient }) => recipient === address)?.text ?? '';
    expect(textTo(ours)).toContain(`${baseUrl}/email/verify?locale=en#t=`);
    expect(textTo(theirs)).toContain(`${baseUrl}/v2/some-page?x=1#t=`);
  });

  it.each([
    ['another origin', { return_to: 'https://evil.example.test/' }],
    ['a user in it', { return_to: `${baseUrl.replace('//', '//user@')}/` }],
    ['a fragment', { return_to: `${baseUrl}/#t=1` }],
  ])('rejects a return_to with %s', async (_what, more) => {
    const { answer } = await askLogin({ email: newAddress(), ...more });
    expect([answer.status, (answer.body['detail'] as { type: string }[])[0]?.type]).toEqual([
      422,
      'forbidden_target',
    ]);
  });

  it('ignores credentials, valid or not', async () => {
    const calls = [
      ['POST', '/v2/email/login/request', { email: newAddress() }, 202, undefined],
      ['POST', '/v2/email/login/verify', { token: 'a'.repeat(43) }, 401, 'email_token_invalid'],
      ['GET', '/email/verify', undefined, 200, undefined],
    ] as const;
    for (const [method, path, body, status, code] of calls) {
      for (const token of ['nonsense', own.api_key]) {
        const answer = await call(method, path, { token, ...(body ? { body } : {}) });
        expect([path, ...outcome(answer)]).toEqual([path, status, code]);
      }
    }
  });

  it('returns 404 for an unknown app', async () => {
    const { answer } = await askLogin({ email: newAddress(), app_id: 'no-such-app' });
    expect(outcome(answer)).toEqual([404, 'not_found']);
  });
});

describe('the answer to a login request', () => {
  it('is the same for known, unknown, revoked and rate-limited addresses', async () => {
    const [known, revoked] = [newAddress(), newAddress()];
    await logIn(known);
    const { body } = await logIn(revoked);
    await db.query(
      `UPDATE login_emails SET status = 'REVOKED', revoked_at = now() WHERE poly_user_id = $1`,
      [body['poly_user_id']],
    );
    const limited = newAddress();
    for (let place = 0; place < 5; place += 1) await askLogin({ email: limited });
    const answers = await Promise.all(
      [known, newAddress(), revoked, limited].map(async (email) => askLogin({ email })),
    );
    const shown = answers.map(({ answer, cookie, code }) => [
      answer.status,
      answer.text,
      [...answer.headers.keys()].toSorted(),
      cookie.replace(/=.*/, ''),
      code.length,
    ]);
    expect(shown[0]).toEqual([
      202,
      '{"status":"accepted"}',
      expect.any(Array),
      'trustcheck-email',
      6,
    ]);
    expect(new Set(shown.map((one) => JSON.stringify(one))).size).toBe(1);
    await eventually('the revoked address is dropped', async () => {
      const { rows } = await db.query(
        `SELECT 1 FROM email_requests r JOIN login_emails e ON e.email_blind = r.address_blind
         WHERE e.poly_user_id = $1 AND r.state = 'dropped'`,
        [body['poly_user_id']],
      );
      return rows.length === 1;
    });
    await expect(tokenTo(limited, 3)).resolves.toBeTruthy();
    const { body: box } = await call('GET', '/outbox/messages?limit=200');
    const to = (address: string): number =>
      (box['items'] as { recipient: string }[]).filter(({ recipient }) => recipient === address)
        .length;
    expect([to(revoked), to(limited)]).toEqual([1, 3]);
  });

  it('comes with an email that strangers can neither invalidate nor exhaust', async () => {
    const email = newAddress();
    const ask = (from: string): Promise<Answer> =>
      call('POST', '/v2/email/login/request', {
        body: { email },
        headers: { 'x-forwarded-for': from },
      });
    const stranger = '198.51.100.77';
    for (let place = 0; place < 5; place += 1) await ask(stranger);
    await tokenTo(email, 3);
    const mine = await ask('203.0.113.77');
    const cookie = (mine.headers.get('set-cookie') ?? '').split(';')[0];
    const token = await tokenTo(email, 4);
    await ask('198.51.100.78');
    await tokenTo(email, 5);
    expect((await verify({ token }, cookie)).status).toBe(200);
  });

  it('is the same beyond the limit of a network, and no email is sent', async () => {
    const from = `198.18.${process.pid % 250}.7`;
    const key = `email.login:${from}`;
    // All but the last of the allowed requests are used.
    await db.query('INSERT INTO rate_limits (key, points, expire) VALUES ($1, 59, $2::bigint)', [
      key,
      Date.now() + 60_000,
    ]);
    const headers = { 'x-forwarded-for': from };
    const emails = [newAddress(), newAddress(), newAddress()];
    const answers: Answer[] = [];
    for (const email of emails) {
      answers.push(await call('POST', '/v2/email/login/request', { body: { email }, headers }));
    }
    const shown = answers.map((answer) => ({
      status: answer.status,
      text: answer.text,
      names: [...answer.headers.keys()].toSorted(),
      limit: answer.headers.get('ratelimit-limit'),
      code: (answer.headers.get('email-code') ?? '').length,
      cookie: (answer.headers.get('set-cookie') ?? '').length,
    }));
    expect(shown[0]).toMatchObject({ status: 202, text: '{"status":"accepted"}', code: 6 });
    expect(shown[1]).toEqual(shown[0]);
    expect(shown[2]).toEqual(shown[0]);
    await expect(tokenTo(emails[0] ?? '')).resolves.toBeTruthy();
    const { rows } = await db.query<{ state: string; is_taken: boolean }>(
      `SELECT state, taken_at IS NOT NULL AS is_taken FROM email_requests
       WHERE address_blind = ANY ($1) ORDER BY created_at`,
      [emails.map((email) => blindOf(ownSealer(db), readAddress(email) ?? fail(email)))],
    );
    expect(rows).toEqual([
      { state: 'sent', is_taken: true },
      { state: 'dropped', is_taken: true },
      { state: 'dropped', is_taken: true },
    ]);
    // Another network is not limited.
    const other = newAddress();
    await askLogin({ email: other });
    await expect(tokenTo(other)).resolves.toBeTruthy();
  });

  it('sets an HttpOnly cookie for this origin', async () => {
    const { answer } = await askLogin({ email: newAddress() });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^trustcheck-email=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    [{}],
    [{ email: 7 }],
    [{ email: 'a@b' }],
    [{ email: 'a@example.test\r\nBcc: b@example.test' }],
    [{ email: 'a@example.test,b@example.test' }],
    [{ email: `${'a'.repeat(400)}@example.test` }],
    [{ email: 'a@example.test', return_to: 'javascript:alert(1)' }],
    [{ email: 'a@example.test', return_to: 'nonsense' }],
    [{ email: 'a@example.test', locale: 'en\nBcc' }],
    [{ email: 'a@example.test', app_id: '' }],
  ])('is 422 for %j', async (body) => {
    expect((await askLogin(body)).answer.status).toBe(422);
  });
});
