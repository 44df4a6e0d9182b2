import { afterAll, describe, expect, it } from 'vitest';
import { addMembership } from '../../../db/queries/seeding.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { askLink, askLogin, logIn, newAddress, tokenTo } from '../../support/people/mailbox.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

interface Person {
  readonly polyUserId: string;
  readonly token: string;
}
/** Returns a person with a certified device who is a member of the account. */
async function certPerson(): Promise<Person> {
  const device = await enrolledPhone();
  const polyUserId = device.enrolled?.polyUserId ?? '';
  await addMembership(db, [polyUserId, own.account_id, ['MEMBER'], new Date()]);
  const { body } = await portalLogin(await goodBundle(device));
  return { polyUserId, token: String(body['session_token']) };
}
const verify = (person: Person, body: unknown, cookie = ''): Promise<Answer> =>
  call('POST', '/v2/email/link/verify', { token: person.token, body, headers: { cookie } });
/** Requests a token for an address and submits the emailed token. */
async function attach(person: Person, address: string, mail = 1): Promise<Answer> {
  const { answer, cookie } = await askLink(person.token, { email: address });
  expect([answer.status, answer.body]).toEqual([202, { status: 'accepted' }]);
  return verify(person, { token: await tokenTo(address, mail) }, cookie);
}
const list = async ({ token }: Person): Promise<Record<string, unknown>[]> =>
  (await call('GET', '/v2/email/link', { token })).body['items'] as Record<string, unknown>[];
const revoke = ({ token }: { token: string }, id: unknown): Promise<Answer> =>
  call('DELETE', `/v2/email/link/${String(id)}`, { token });
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
async function eventsOf(polyUserId: string): Promise<unknown[]> {
  const { rows } = await db.query<{ type: string; object: unknown }>(
    `SELECT type, data->'object' AS object FROM events WHERE object_id = $1 ORDER BY account_seq`,
    [polyUserId],
  );
  return rows.map(({ type, object }) => [type, object]);
}

describe('an attached address', () => {
  it('signs its owner in if it was unknown before', async () => {
    const person = await certPerson();
    const address = newAddress();
    const { status, body } = await attach(person, address);
    expect([status, body]).toEqual([
      200,
      {
        identity_id: expect.any(Number),
        email: address,
        status: 'ACTIVE',
        poly_user_id: person.polyUserId,
      },
    ]);
    const linked = { identity_id: body['identity_id'], poly_user_id: person.polyUserId };
    expect(await eventsOf(person.polyUserId)).toEqual([['identity.email_linked', linked]]);
    const { cookie } = await askLogin({ email: address });
    const session = await call('POST', '/v2/email/login/verify', {
      body: { token: await tokenTo(address, 2) },
      headers: { cookie },
    });
    expect(session.body).toMatchObject({
      poly_user_id: person.polyUserId,
      auth_method: 'email',
      account_id: own.account_id,
      roles: ['MEMBER'],
    });
  });

  it('merges the email-only person who had it, with all their data', async () => {
    const address = newAddress();
    const { body: other } = await logIn(address);
    const otherId = String(other['poly_user_id']);
    const second = newAddress();
    await db.query(
      `INSERT INTO login_emails (poly_user_id, email_sealed, email_blind, status)
       SELECT poly_user_id, email_sealed, sha256(email_blind), 'ACTIVE' FROM login_emails
       WHERE poly_user_id = $1`,
      [otherId],
    );
    expect(second).not.toBe(address);
    const person = await certPerson();
    const { status, body } = await attach(person, address, 2);
    expect([status, body['poly_user_id'], body['merged_poly_user_id']]).toEqual([
      200,
      person.polyUserId,
      otherId,
    ]);
    const { rows } = await db.query<{ poly_user_id: string }>(
      'SELECT DISTINCT poly_user_id FROM login_emails WHERE poly_user_id = ANY ($1)',
      [[otherId, person.polyUserId]],
    );
    expect(rows).toEqual([{ poly_user_id: person.polyUserId }]);
    const session = await call('GET', '/v2/email/link', { token: String(other['session_token']) });
    expect(session.status).toBe(401);
    const types = (await eventsOf(person.polyUserId)).map((event) => (event as string[])[0]);
    expect(types).toEqual(['identity.merged', 'identity.email_linked']);
  });

  it('cannot be attached by another person with a device, even if it is revoked', async () => {
    const [owner, other] = [await certPerson(), await certPerson()];
    const address = newAddress();
    const { body } = await attach(owner, address);
    expect(outcome(await attach(other, address, 2))).toEqual([409, 'identity_owned']);
    await revoke(owner, body['identity_id']);
    expect(outcome(await attach(other, address, 3))).toEqual([409, 'identity_owned']);
    expect(await list(other)).toEqual([]);
    const again = await attach(owner, address, 4);
    expect([again.status, again.body['status'], again.body['identity_id']]).toEqual([
      200,
      'ACTIVE',
      body['identity_id'],
    ]);
  });

  it('belongs to the first of two people who attach it concurrently', async () => {
    const people = await Promise.all([certPerson(), certPerson()]);
    const address = newAddress();
    const asked = [];
    for (const [place, person] of people.entries()) {
      const { cookie } = await askLink(person.token, { email: address });
      asked.push({ person, cookie, token: await tokenTo(address, place + 1) });
    }
    const answers = await Promise.all(
      asked.map(async ({ person, cookie, token }) => verify(person, { token }, cookie)),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses[0]).toBe(200);
    expect([409, 503]).toContain(statuses[1]);
    const { rows } = await db.query('SELECT 1 FROM login_emails WHERE poly_user_id = ANY ($1)', [
      people.map(({ polyUserId }) => polyUserId),
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe('a token to attach an address', () => {
  it('works only for the person who requested it, and not as a login', async () => {
    const [person, other] = [await certPerson(), await certPerson()];
    const address = newAddress();
    const { cookie, code } = await askLink(person.token, { email: address });
    const token = await tokenTo(address);
    expect(outcome(await verify(other, { token, code }, cookie))).toEqual([
      401,
      'email_token_invalid',
    ]);
    const login = await call('POST', '/v2/email/login/verify', {
      body: { token, code },
      headers: { cookie },
    });
    expect(outcome(login)).toEqual([401, 'email_token_invalid']);
    expect((await verify(person, { token }, cookie)).status).toBe(200);
    expect(outcome(await verify(person, { token }, cookie))).toEqual([401, 'email_token_invalid']);
  });

  it('cannot be a login token', async () => {
    const person = await certPerson();
    const address = newAddress();
    const { cookie, code } = await askLogin({ email: address });
    const token = await tokenTo(address);
    expect(outcome(await verify(person, { token, code }, cookie))).toEqual([
      401,
      'email_token_invalid',
    ]);
  });

  it('requires the code in another browser', async () => {
    const person = await certPerson();
    const address = newAddress();
    const { code } = await askLink(person.token, { email: address });
    const token = await tokenTo(address);
    expect(outcome(await verify(person, { token }))).toEqual([401, 'email_code_required']);
    expect((await verify(person, { token, code })).status).toBe(200);
  });

  it('is sent only for our own pages and origins of the app', async () => {
    const person = await certPerson();
    const ask = async (more: Record<string, unknown>): Promise<Answer> =>
      (await askLink(person.token, { email: newAddress(), ...more })).answer;
    const elsewhere = await ask({ return_to: 'https://evil.example.test/' });
    expect([elsewhere.status, (elsewhere.body['detail'] as { type: string }[])[0]?.type]).toEqual([
      422,
      'forbidden_target',
    ]);
    expect(outcome(await ask({ app_id: 'no-such-app' }))).toEqual([404, 'not_found']);
  });

  it('requires a session by certified device', async () => {
    const { body } = await logIn(newAddress());
    const token = String(body['session_token']);
    const { answer } = await askLink(token, { email: newAddress() });
    expect(outcome(answer)).toEqual([403, 'assurance_required']);
    const refused = await verify({ polyUserId: '', token }, { token: 'a'.repeat(43) });
    expect(outcome(refused)).toEqual([403, 'assurance_required']);
  });
});

describe('the login emails of a person', () => {
  it('are listed, with the oldest active one as primary', async () => {
    const person = await certPerson();
    const addresses = [newAddress(), newAddress(), newAddress()];
    for (const address of addresses) await attach(person, address);
    const [first] = await list(person);
    await revoke(person, first?.['identity_id']);
    const rows = await list(person);
    expect(rows.map((row) => [row['email'], row['status'], row['is_primary']])).toEqual([
      [addresses[0], 'REVOKED', false],
      [addresses[1], 'ACTIVE', true],
      [addresses[2], 'ACTIVE', false],
    ]);
    expect(rows[0]).toMatchObject({
      poly_user_id: person.polyUserId,
      verified_at: expect.stringMatching(/Z$/),
      last_login_at: null,
      revoked_at: expect.stringMatching(/Z$/),
    });
  });

  it('are revoked softly, which ends logins and sessions by that address', async () => {
    const person = await certPerson();
    const address = newAddress();
    const { body } = await attach(person, address);
    const { cookie } = await askLogin({ email: address });
    const login = await call('POST', '/v2/email/login/verify', {
      body: { token: await tokenTo(address, 2) },
      headers: { cookie },
    });
    const session = { token: String(login.body['session_token']) };
    const revoked = await revoke(person, body['identity_id']);
    expect([revoked.status, revoked.body['status']]).toEqual([200, 'REVOKED']);
    expect((await call('GET', '/v2/email/link', session)).status).toBe(401);
    const again = await revoke(person, body['identity_id']);
    expect([again.status, again.body['revoked_at']]).toEqual([200, revoked.body['revoked_at']]);
    const types = (await eventsOf(person.polyUserId)).map((event) => (event as string[])[0]);
    expect(types).toEqual(['identity.email_linked', 'identity.email_revoked']);
  });

  it('are paged, and pages agree on the primary one', async () => {
    const person = await certPerson();
    for (let count = 0; count < 3; count += 1) await attach(person, newAddress());
    const page = async (query: string) =>
      (await call('GET', `/v2/email/link?${query}`, { token: person.token })).body;
    const [first, second] = [await page('page_size=2'), await page('page=2&page_size=2')];
    expect(first).toMatchObject({ page: 1, page_size: 2, total: 3, pages: 2 });
    const shown = [first, second].flatMap(({ items }) => items as { is_primary: boolean }[]);
    expect(shown.map(({ is_primary: isPrimary }) => isPrimary)).toEqual([true, false, false]);
    expect(await page('page=9')).toEqual({ items: [], page: 9, page_size: 25, total: 3, pages: 1 });
    const wrong = await call('GET', '/v2/email/link?page_size=101', { token: person.token });
    expect(wrong.status).toBe(422);
  });

  it('of another person are like unknown ones', async () => {
    const [owner, other] = [await certPerson(), await certPerson()];
    const { body } = await attach(owner, newAddress());
    for (const id of [body['identity_id'], 2_000_000_000]) {
      expect(outcome(await revoke(other, id))).toEqual([404, 'not_found']);
    }
    expect((await list(owner))[0]?.['status']).toBe('ACTIVE');
  });

  it('keep the last address of a person without a device', async () => {
    const { body } = await logIn(newAddress());
    const token = String(body['session_token']);
    const [only] = (await call('GET', '/v2/email/link', { token })).body['items'] as {
      identity_id: number;
    }[];
    expect(outcome(await revoke({ token }, only?.identity_id))).toEqual([409, 'last_login_email']);
  });

  it.each(['0', '-1', 'one', '1.5', '99999999999', '2147483648', '1%00'])(
    'do not exist with the id %s',
    async (id) => {
      const { body } = await logIn(newAddress());
      const { status } = await revoke({ token: String(body['session_token']) }, id);
      expect([404, 422]).toContain(status);
    },
  );
});
