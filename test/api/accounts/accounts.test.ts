import { afterAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

let last = 0;
const fresh = (): Promise<Seed> => newAccount(`accounts-${process.pid}-${(last += 1)}`);
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const pathOf = ({ account_id }: Seed): string => `/v2/accounts/${account_id}`;
const update = (account: Seed, body: unknown, token = account.api_key): Promise<Answer> =>
  call('PATCH', pathOf(account), { token, body });
const listFor = async (token: string, query = ''): Promise<Record<string, unknown>> =>
  (await call('GET', `/v2/accounts?page_size=100${query}`, { token })).body;
const idsIn = (body: Record<string, unknown>): number[] =>
  (body['items'] as { account_id: number }[]).map(({ account_id }) => account_id);

describe('an account', () => {
  it('may have joiners between letters in its name, but no other invisible character', async () => {
    const account = await fresh();
    for (const name of ['می\u200cخواهم', 'क्\u200dष Ltd', 'ශ්\u200dරී 2']) {
      expect((await update(account, { name })).body['name']).toBe(name);
    }
    for (const name of [
      'a\u200d',
      '\u200ca',
      'a \u200cb',
      'a\u200c\u200db',
      '\u{1f469}\u200d\u{1f469}',
      'a\u202eb',
      'a\u00adb',
      'a\u0007b',
    ]) {
      expect((await update(account, { name })).status, JSON.stringify(name)).toBe(422);
    }
  });

  it('is readable by members and keys, and writable by its ADMINs', async () => {
    const account = await fresh();
    const before = await call('GET', pathOf(account), { token: account.member.session_token });
    expect(before.body).toEqual({
      account_id: account.account_id,
      name: 'Example account',
      logo_url: null,
      verified: true,
      image_retention_days: 7,
      face_provider: null,
      subject_reasons: 'plain',
      created_at: expect.any(String),
    });
    const change = { name: '  Example & Söhne ', logo_url: 'https://example.test/logo.svg' };
    const changed = await update(account, change);
    // The new name has not been reviewed by an operator.
    const told = { ...before.body, ...change, name: 'Example & Söhne', verified: false };
    expect(changed.body).toEqual(told);
    expect((await update(account, {})).body).toEqual(changed.body);
    expect((await update(account, { logo_url: null })).body['logo_url']).toBeNull();
    expect((await audited(account)).map(({ details }) => details)).toEqual([
      { from: { logo_url: 'https://example.test/logo.svg' }, to: { logo_url: null } },
      {
        from: { name: 'Example account', logo_url: null, verified: true },
        to: {
          name: 'Example & Söhne',
          logo_url: 'https://example.test/logo.svg',
          verified: false,
        },
      },
    ]);
    expect(outcome(await update(account, { name: 'x' }, account.member.session_token))).toEqual([
      403,
      'role_required',
    ]);
  });

  it('sets image retention from 0 to 30 days and audits each change', async () => {
    const account = await fresh();
    for (const days of [0, 30]) {
      const changed = await update(account, { image_retention_days: days });
      expect([changed.status, changed.body['image_retention_days']]).toEqual([200, days]);
      // An unchanged name keeps its verification.
      expect(changed.body['verified']).toBe(true);
    }
    expect((await update(account, { name: 'x' })).body['image_retention_days']).toBe(30);
    expect((await audited(account)).map(({ details }) => details).slice(1)).toEqual([
      { from: { image_retention_days: 0 }, to: { image_retention_days: 30 } },
      { from: { image_retention_days: 7 }, to: { image_retention_days: 0 } },
    ]);
    const body = { image_retention_days: 1 };
    expect(outcome(await update(account, body, account.member.session_token))).toEqual([
      403,
      'role_required',
    ]);
  });

  it('sets which reasons its subjects see and audits each change', async () => {
    const account = await fresh();
    const changed = await update(account, { subject_reasons: 'neutral' });
    expect([changed.status, changed.body['subject_reasons']]).toEqual([200, 'neutral']);
    expect((await update(account, { name: 'x' })).body['subject_reasons']).toBe('neutral');
    expect((await audited(account)).at(-1)?.details).toEqual({
      from: { subject_reasons: 'plain' },
      to: { subject_reasons: 'neutral' },
    });
  });

  it('is verified only by a POLYADMIN', async () => {
    const account = await fresh();
    for (const token of [account.api_key, account.admin.session_token]) {
      const refused = await update(account, { name: 'Verified Ltd', verified: true }, token);
      expect(outcome(refused)).toEqual([403, 'role_required']);
    }
    const { token } = await newCertUser(db, foreign.account_id, ['POLYADMIN']);
    const renamed = await update(account, { name: 'Looked at Ltd' }, token);
    expect(renamed.body).toMatchObject({ name: 'Looked at Ltd', verified: true });
    expect((await update(account, { name: 'Looked at Ltd' })).body['verified']).toBe(true);
    expect((await update(account, { verified: false }, token)).body['verified']).toBe(false);
    const [row] = await audited(account);
    expect(row?.details).toEqual({ from: { verified: true }, to: { verified: false } });
  });

  it.each([
    [{ name: '' }],
    [{ name: null }],
    [{ name: 'a\u0000' }],
    [{ name: 'a\u202e' }],
    [{ name: 'x'.repeat(121) }],
    [{ logo_url: 'javascript:alert(1)' }],
    [{ logo_url: 'https://user:pass@example.test/' }],
    [{ logo_url: `https://example.test/${'x'.repeat(2100)}` }],
    [{ verified: 'yes' }],
    [{ image_retention_days: -1 }],
    [{ image_retention_days: 31 }],
    [{ image_retention_days: 1.5 }],
    [{ image_retention_days: '7' }],
    [{ image_retention_days: null }],
    [{ face_provider: 'frames' }],
    [{ face_provider: '' }],
    [{ face_provider: ['http'] }],
    [{ subject_reasons: 'none' }],
    [{ subject_reasons: null }],
    ['name'],
  ])('rejects the change %j', async (body) => {
    expect((await update(own, body)).status).toBe(422);
  });

  it('returns 404 for another account and for one that does not exist', async () => {
    const paths = [pathOf(foreign), '/v2/accounts/2147483647'];
    for (const path of paths) {
      expect(outcome(await call('GET', path, { token: own.api_key }))).toEqual([404, 'not_found']);
      const body = { name: 'mine' };
      const changed = await call('PATCH', path, { token: own.admin.session_token, body });
      expect(outcome(changed)).toEqual([404, 'not_found']);
    }
    const { token } = await newCertUser(db, own.account_id, ['POLYADMIN']);
    for (const method of ['GET', 'PATCH']) {
      const body = method === 'PATCH' ? { body: { name: 'x' } } : {};
      const none = await call(method, '/v2/accounts/2147483647', { token, ...body });
      expect(outcome(none)).toEqual([404, 'not_found']);
    }
    expect((await call('GET', '/v2/accounts/one', { token })).status).toBe(422);
  });
});

describe('the accounts of a person', () => {
  it('are those with a membership, with its roles', async () => {
    const { token } = await newEmailUser(db, {
      [own.account_id]: ['MEMBER', 'VIEWER'],
      [foreign.account_id]: ['ADMIN'],
    });
    const body = await listFor(token);
    expect(body['items']).toEqual(
      [own, foreign]
        .toSorted((a, b) => a.account_id - b.account_id)
        .map(({ account_id }) =>
          expect.objectContaining({
            account_id,
            roles: account_id === own.account_id ? ['VIEWER', 'MEMBER'] : ['ADMIN'],
          }),
        ),
    );
    const nobody = await newEmailUser(db);
    expect(idsIn(await listFor(nobody.token))).toEqual([]);
  });

  it('are all accounts for a POLYADMIN, except closed ones', async () => {
    const account = await fresh();
    const { token } = await newEmailUser(db, { [account.account_id]: ['POLYADMIN'] });
    const body = await call('GET', '/v2/accounts?page_size=1', { token });
    const total = Number(body.body['total']);
    expect(total).toBeGreaterThan(2);
    const closed = await fresh();
    await db.query('UPDATE accounts SET disabled_at = now() WHERE account_id = $1', [
      closed.account_id,
    ]);
    const pages = await Promise.all(
      Array.from({ length: Math.ceil((total + 1) / 100) }, (_, place) =>
        listFor(token, `&page=${place + 1}`),
      ),
    );
    const ids = pages.flatMap(idsIn);
    expect(ids).toEqual(expect.arrayContaining([own.account_id, account.account_id]));
    expect(ids).not.toContain(closed.account_id);
  });
});
