import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSession, type Seed } from '../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../db/ids.ts';
import type { Role } from '../../../domain/names.ts';
import { asPhone, enrolledPhone, signedCall } from '../../support/checks/phone.ts';
import { call, newLink, type Answer } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { emailSession, newEmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let here: Seed;
let there: Seed;
beforeAll(async () => {
  const name = `replay-${process.pid}-${Date.now()}`;
  [here, there] = await Promise.all([newAccount(`${name}-a`), newAccount(`${name}-b`)]);
});
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const isReplayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true';
const put = (path: string, token: string, key: string, body: unknown = {}): Promise<Answer> =>
  call('PUT', path, { token, body, headers: { 'idempotency-key': key } });

/** Returns a member of the account `here` and a function that changes their roles. */
async function somebody(roles: readonly Role[]) {
  const { polyUserId, token } = await newCertUser(db, here.account_id, roles);
  const deps = { db, keys: platformKeys(), ids: randomIds, baseUrl };
  const become = async (now: readonly Role[]): Promise<string> => {
    await db.query(
      'UPDATE memberships SET roles = $3 WHERE poly_user_id = $1 AND account_id = $2',
      [polyUserId, here.account_id, now],
    );
    return newSession(deps, polyUserId, here.account_id, now, new Date());
  };
  return { polyUserId, token, become };
}

describe('a repeat under an Idempotency-Key', () => {
  const body = { name: 'once', roles: ['VIEWER'] };
  const create = (account: Seed, token: string, key: string, more = {}): Promise<Answer> =>
    call('POST', `/v2/accounts/${account.account_id}/api-keys`, {
      token,
      body: { ...body, ...more },
      headers: { 'idempotency-key': key },
    });

  it('is refused to a caller who lost the role, before the key is compared', async () => {
    const { token, become } = await somebody(['ADMIN']);
    const key = randomUUID();
    const first = await create(here, token, key);
    expect(first.status).toBe(201);
    const again = await create(here, token, key);
    expect([again.body, isReplayed(again)]).toEqual([first.body, true]);
    const lowered = await become(['MEMBER']);
    for (const more of [{}, { name: 'another' }]) {
      expect(outcome(await create(here, lowered, key, more))).toEqual([403, 'role_required']);
    }
    const raised = await become(['ADMIN']);
    expect((await create(here, raised, key)).body).toEqual(first.body);
  });

  it('returns 404 to a caller who lost access to the account', async () => {
    const { token, become } = await somebody(['POLYADMIN']);
    const key = randomUUID();
    const first = await create(there, token, key);
    expect(first.status).toBe(201);
    expect((await create(there, token, key)).body).toEqual(first.body);
    const lowered = await become(['ADMIN']);
    expect(outcome(await create(there, lowered, key))).toEqual([404, 'not_found']);
  });

  it('is a new request in another account', async () => {
    const roles = { [here.account_id]: ['MEMBER'], [there.account_id]: ['MEMBER'] } as const;
    const { polyUserId } = await newEmailUser(db, roles);
    const key = randomUUID();
    const made = new Set<unknown>();
    for (const { account_id } of [here, there]) {
      const token = await emailSession(db, polyUserId, { [account_id]: ['MEMBER'] });
      const link = await put('/v2/link/type/invite', token, key);
      expect([link.status, link.body['account_id']]).toEqual([200, account_id]);
      expect(isReplayed(link)).toBe(false);
      made.add(link.body['link_uuid']);
    }
    expect(made.size).toBe(2);
  });
});

describe('an Idempotency-Key without a credential', () => {
  const begin = (link: string, key: string, from?: string): Promise<Answer> =>
    call('POST', '/v2/trust-checks', {
      body: { link_uuid: link, client: 'web' },
      headers: { 'idempotency-key': key, ...(from ? { 'x-forwarded-for': from } : {}) },
    });

  it('is rejected if other callers at the same address could guess it', async () => {
    const link = await newLink();
    for (const key of ['1', 'retry-1', randomUUID().slice(0, 21)]) {
      const refused = await begin(link, key);
      expect(refused.status).toBe(422);
      expect(refused.body['detail']).toEqual([
        expect.objectContaining({
          loc: ['header', 'idempotency-key'],
          type: 'idempotency_key_invalid',
        }),
      ]);
    }
    const key = randomUUID().slice(0, 22);
    const first = await begin(link, key);
    expect(first.status).toBe(201);
    expect((await begin(link, key)).body['check_token']).toBe(first.body['check_token']);
    const other = await begin(link, randomUUID());
    expect(other.body['link_session_id']).not.toBe(first.body['link_session_id']);
  });

  it('replays the answer to a phone that changed its network', async () => {
    const link = await newLink({ single_use: true });
    const [key, other] = [randomUUID(), randomUUID()];
    const first = await begin(link, key, '192.0.2.1');
    expect([first.status, isReplayed(first)]).toEqual([201, false]);
    const again = await begin(link, key, '198.51.100.7');
    expect([again.status, isReplayed(again)]).toEqual([201, true]);
    expect(again.body['check_token']).toBe(first.body['check_token']);
    expect((await begin(link, other, '192.0.2.1')).status).toBe(409);
  });

  it('belongs to the signing phone besides the credential, so another phone gets no replay', async () => {
    const [one, other] = [await enrolledPhone(), await enrolledPhone()];
    const link = await newLink({ required_proofs: ['device'] });
    const { body } = await asPhone(one, () => begin(link, randomUUID()));
    const [id, token] = [String(body['link_session_id']), String(body['check_token'])];
    await call('POST', `/v2/trust-checks/${id}/open`, { token, body: {} });
    const headers = { 'idempotency-key': 'pair' };
    const path = `/v2/trust-checks/${id}/pair`;
    const options = { token, body: {}, headers };
    expect((await signedCall(one, 'POST', path, options)).status).toBe(200);
    const again = await signedCall(one, 'POST', path, options);
    expect([again.status, isReplayed(again)]).toEqual([200, true]);
    const late = await signedCall(other, 'POST', path, options);
    expect([late.status, late.body['code'], isReplayed(late)]).toEqual([
      401,
      'invalid_dpop_proof',
      false,
    ]);
  });

  it('may be short if a credential identifies the caller', async () => {
    const at = `/v2/link/${here.app_id}`;
    const first = await put(at, here.api_key, '1');
    expect(first.status).toBe(200);
    const again = await put(at, here.api_key, '1');
    expect([again.body, isReplayed(again)]).toEqual([first.body, true]);
  });
});
