import { afterAll, describe, expect, it } from 'vitest';
import { addMembership } from '../../../db/queries/seeding.ts';
import { call, type Answer } from '../../client.ts';
import { eventually, openTestDb } from '../../harness.ts';
import { askLogin, logIn, newAddress, tokenTo } from '../../mailbox.ts';
import { ownPlatform } from '../../own-platform.ts';

const { databaseUrl, own, foreign, baseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const verify = (body: unknown, cookie?: string): Promise<Answer> =>
  call('POST', '/v2/email/login/verify', { body, ...(cookie ? { headers: { cookie } } : {}) });
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const invalid = [401, 'email_token_invalid'];
const codeRequired = [401, 'email_code_required'];
const otherThan = (code: string): string => String((Number(code) + 1) % 1e6).padStart(6, '0');
/** What became of the requests that were mailed to an address. */
async function statesOf(address: string): Promise<string[]> {
  const { rows } = await db.query<{ state: string }>(
    `SELECT r.state FROM email_requests r JOIN outbox_messages m
       ON m.idempotency_key = 'email/' || r.request_id
     WHERE m.recipient = $1 ORDER BY r.created_at`,
    [address],
  );
  return rows.map(({ state }) => state);
}

describe('a login by mail', () => {
  it('makes an email-only person of an unknown address, the same one the next time', async () => {
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
    const token = await tokenTo(other);
    const second = await verify({ token, device_label: 'my phone' }, cookie);
    expect(second.status).toBe(200);
    expect(second.body['poly_user_id']).toBe(first.body['poly_user_id']);
    const { rows } = await db.query(
      `SELECT e.status, e.last_login_at IS NOT NULL AS used, s.device_label
       FROM login_emails e JOIN sessions s USING (identity_id)
       WHERE e.poly_user_id = $1 ORDER BY s.created_at`,
      [first.body['poly_user_id']],
    );
    expect(rows).toEqual([
      { status: 'ACTIVE', used: true, device_label: null },
      { status: 'ACTIVE', used: true, device_label: 'my phone' },
    ]);
  });

  it('is of the account of the app that asked, or the only one', async () => {
    const address = newAddress();
    const { body } = await logIn(address);
    const values = [body['poly_user_id'], own.account_id, ['MEMBER'], new Date()];
    await addMembership(db, values);
    const inOnly = await logIn(newAddress());
    expect(inOnly.body['account_id']).toBeNull();
    const { cookie } = await askLogin({ email: address });
    const only = await verify({ token: await tokenTo(address, 2) }, cookie);
    expect([only.body['account_id'], only.body['roles']]).toEqual([own.account_id, ['MEMBER']]);
    const asked = await askLogin({ email: address, app_id: foreign.app_id });
    const inForeign = await verify({ token: await tokenTo(address, 3) }, asked.cookie);
    expect(inForeign.body['account_id']).toBeNull();
  });

  it('leads to the page it was asked for from, or to ours', async () => {
    const [ours, theirs] = [newAddress(), newAddress()];
    await askLogin({ email: ours });
    await askLogin({ email: theirs, return_to: `${baseUrl}/some/page?x=1` });
    await Promise.all([tokenTo(ours), tokenTo(theirs)]);
    const { body } = await call('GET', '/outbox/messages?limit=200');
    const items = body['items'] as { recipient: string; text: string }[];
    const textTo = (address: string): string =>
      items.find(({ recipient }) => recipient === address)?.text ?? '';
    expect(textTo(ours)).toContain(`${baseUrl}/email/verify#t=`);
    expect(textTo(theirs)).toContain(`${baseUrl}/some/page?x=1#t=`);
  });

  it.each([
    ['another origin', { return_to: 'https://evil.example.test/' }],
    ['a user in it', { return_to: `${baseUrl.replace('//', '//user@')}/` }],
    ['a fragment', { return_to: `${baseUrl}/#t=1` }],
  ])('does not lead to %s', async (_what, more) => {
    const { answer } = await askLogin({ email: newAddress(), ...more });
    expect([answer.status, (answer.body['detail'] as { type: string }[])[0]?.type]).toEqual([
      422,
      'forbidden_target',
    ]);
  });

  it('is of no app there is not', async () => {
    const { answer } = await askLogin({ email: newAddress(), app_id: 'no-such-app' });
    expect(outcome(answer)).toEqual([404, 'not_found']);
  });
});

describe('the answer to a request', () => {
  it('is the same for an address that is known, unknown, revoked or limited', async () => {
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

  it('sets a cookie for this origin that no script reads', async () => {
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

describe('a mailed token', () => {
  it('opens one session for fifty who hand it in at once, each of five times', async () => {
    for (let round = 0; round < 5; round += 1) {
      const address = newAddress();
      const { cookie } = await askLogin({ email: address });
      const token = await tokenTo(address);
      const from = `198.51.100.${10 + round}`;
      const answers = await Promise.all(
        Array.from({ length: 50 }, () =>
          call('POST', '/v2/email/login/verify', {
            body: { token },
            headers: { cookie, 'x-forwarded-for': from },
          }),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 401)).toHaveLength(49);
    }
  }, 60_000);

  it('is not consumed by reading it, and not by a page that is opened', async () => {
    const address = newAddress();
    const { cookie } = await askLogin({ email: address });
    const token = await tokenTo(address);
    for (const path of ['/v2/email/login/verify', `/v2/email/login/verify?token=${token}`]) {
      expect((await call('GET', path, { headers: { cookie } })).status).toBe(404);
    }
    expect((await verify({ token }, cookie)).status).toBe(200);
  });

  it('wants the code from another browser, and five wrong ones end it', async () => {
    const address = newAddress();
    const { code } = await askLogin({ email: address });
    const token = await tokenTo(address);
    const other = (await askLogin({ email: newAddress() })).cookie;
    expect(outcome(await verify({ token }))).toEqual(codeRequired);
    expect(outcome(await verify({ token }, other))).toEqual(codeRequired);
    expect(outcome(await verify({ token }, `${other}; ${other}`))).toEqual(codeRequired);
    for (let tries = 0; tries < 5; tries += 1) {
      expect(outcome(await verify({ token, code: otherThan(code) }))).toEqual(codeRequired);
    }
    expect(outcome(await verify({ token, code }))).toEqual(invalid);
  });

  it('is taken from another browser with the code', async () => {
    const address = newAddress();
    const { code } = await askLogin({ email: address });
    const token = await tokenTo(address);
    expect(outcome(await verify({ token, code: otherThan(code) }))).toEqual(codeRequired);
    expect((await verify({ token, code })).status).toBe(200);
  });

  it('counts in its newest mail only', async () => {
    const address = newAddress();
    const first = await askLogin({ email: address });
    const old = await tokenTo(address);
    const second = await askLogin({ email: address });
    const newest = await tokenTo(address, 2);
    expect(newest).not.toBe(old);
    expect(outcome(await verify({ token: old }, first.cookie))).toEqual(invalid);
    expect((await verify({ token: newest }, second.cookie)).status).toBe(200);
    await eventually(
      'what was asked for has ended',
      async () => (await statesOf(address)).join() === 'superseded,consumed',
    );
  });

  it.each([
    ['unknown', async () => 'a'.repeat(43)],
    ['cut', async (token: string) => token.slice(0, -1)],
    [
      'expired',
      async (token: string) => {
        await db.query(
          `UPDATE email_requests SET expires_at = now()
           WHERE token_hash = sha256(convert_to($1, 'UTF8'))`,
          [token],
        );
        return token;
      },
    ],
  ])('that is %s is one answer', async (_what, change) => {
    const address = newAddress();
    const { cookie, code } = await askLogin({ email: address });
    const token = await change(await tokenTo(address));
    expect(outcome(await verify({ token, code }, cookie))).toEqual(invalid);
  });

  it.each([
    [{}],
    [{ token: '' }],
    [{ token: 1 }],
    [{ token: 'a', code: '12345' }],
    [{ token: 'a', code: 123456 }],
  ])('is 422 in %j', async (body) => {
    expect((await verify(body)).status).toBe(422);
  });

  it('lies nowhere, nor does the address', async () => {
    const address = newAddress();
    const { cookie } = await askLogin({ email: address });
    const token = await tokenTo(address);
    await verify({ token }, cookie);
    for (const table of ['email_requests', 'login_emails', 'sessions', 'poly_users', 'events']) {
      const { rows } = await db.query<{ row: string }>(
        `SELECT t::text AS row FROM ${table} t
         WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0`,
        [token, address],
      );
      expect(rows).toEqual([]);
    }
  });
});
