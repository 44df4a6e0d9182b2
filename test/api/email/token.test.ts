import { afterAll, describe, expect, it } from 'vitest';
import { call, type Answer } from '../../support/http/client.ts';
import { askLogin, newAddress, tokenTo } from '../../support/people/mailbox.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const verify = (body: unknown, cookie?: string): Promise<Answer> =>
  call('POST', '/v2/email/login/verify', { body, ...(cookie ? { headers: { cookie } } : {}) });
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const invalid = [401, 'email_token_invalid'];
const codeRequired = [401, 'email_code_required'];
const otherThan = (code: string): string => String((Number(code) + 1) % 1e6).padStart(6, '0');
/** Returns the states of the requests that were mailed to an address. */
async function statesOf(address: string): Promise<string[]> {
  const { rows } = await db.query<{ state: string }>(
    `SELECT r.state FROM email_requests r JOIN outbox_messages m
       ON m.idempotency_key = 'email/' || r.request_id
     WHERE m.recipient = $1 ORDER BY r.created_at`,
    [address],
  );
  return rows.map(({ state }) => state);
}

describe('an emailed token', () => {
  it('opens one session for fifty concurrent callers, in each of five rounds', async () => {
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
  });

  it('is not spent by GET requests or by opening a page', async () => {
    const address = newAddress();
    const { cookie } = await askLogin({ email: address });
    const token = await tokenTo(address);
    for (const path of ['/v2/email/login/verify', `/v2/email/login/verify?token=${token}`]) {
      expect((await call('GET', path, { headers: { cookie } })).status).toBe(405);
    }
    expect((await verify({ token }, cookie)).status).toBe(200);
  });

  it('requires the code in another browser, and five wrong codes invalidate it', async () => {
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

  it('is accepted in another browser with the code', async () => {
    const address = newAddress();
    const { code } = await askLogin({ email: address });
    const token = await tokenTo(address);
    expect(outcome(await verify({ token, code: otherThan(code) }))).toEqual(codeRequired);
    expect((await verify({ token, code })).status).toBe(200);
  });

  it('is valid only in the newest email', async () => {
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
  ])('that is %s gets the same answer', async (_what, change) => {
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
  ])('is rejected with 422 in %j', async (body) => {
    expect((await verify(body)).status).toBe(422);
  });

  it('is stored nowhere in plain text, and neither is the address', async () => {
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
