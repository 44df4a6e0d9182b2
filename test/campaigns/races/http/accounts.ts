import { expect } from 'vitest';
import { randomIds } from '../../../../db/ids.ts';
import { call, type Answer } from '../../../support/http/client.ts';
import * as sso from '../../../support/people/sso.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import {
  bareAccount,
  countRows,
  keyOf,
  newName,
  raceDb,
  rowOf,
} from '../../../support/races/ground.ts';
import { atOnce, expectFates, told, type Race } from '../../../support/races/race.ts';

type Account = Awaited<ReturnType<typeof bareAccount>>;

/**
 * Provides one account per caller, all of which request one name. A winner leaves, because the
 * objects of an account are limited and a frequent winner would reach the limit.
 */
function manyAccounts() {
  const made: Account[] = [];
  const meet = async (count: number): Promise<readonly Account[]> => {
    while (made.length < count) made.push(await bareAccount());
    return made.slice(0, count);
  };
  const leave = (accountId: number): void => {
    const place = made.findIndex((account) => account.accountId === accountId);
    made.splice(place, 1);
  };
  return { meet, leave };
}

const only = (answers: readonly Answer[], status: number): Answer | undefined =>
  answers.find((answer) => answer.status === status);

const appId: Race = {
  name: 'app-id',
  rule: 'an app id is one account’s',
  statements: ['apps.insert'],
  async prepare() {
    const accounts = manyAccounts();
    return async (callers) => {
      const id = newName('raced');
      const rivals = await accounts.meet(callers);
      const answers = await Promise.all(
        rivals.map(({ accountId, key: token }) => {
          const body = { name: 'An app', kind: 'portal' };
          return call('PUT', `/v2/accounts/${accountId}/apps/${id}`, { token, body });
        }),
      );
      const outcomes = answers.map(told);
      expectFates(outcomes, { 201: 1, '409 app_id_taken': callers - 1 });
      const { account_id } = await rowOf<{ account_id: number }>(
        'SELECT account_id FROM apps WHERE app_id = $1',
        [id],
      );
      expect(only(answers, 201)?.body['account_id']).toBe(account_id);
      accounts.leave(account_id);
      // The losers wrote no audit row either.
      expect(await countRows('SELECT 1 FROM audit_rows WHERE object_id = $1', [id])).toBe(1);
      return outcomes;
    };
  },
};

const providerName: Race = {
  name: 'sso-provider-name',
  rule: 'a provider’s name is one account’s, and so it is removed once',
  statements: ['sso_providers.put', 'sso_providers.lock', 'sso_providers.remove'],
  async prepare() {
    const accounts = manyAccounts();
    return async (callers) => {
      const name = newName('idp');
      const rivals = await accounts.meet(callers);
      const body = {
        kind: 'jwt',
        issuer: 'http://127.0.0.1:9',
        client_id: 'trustcheck',
        group_roles: {},
        role_ceiling: 'MEMBER',
      };
      const at = (accountId: number): string => `/v2/accounts/${accountId}/sso-providers/${name}`;
      const put = await Promise.all(
        rivals.map(({ accountId, key: token }) => call('PUT', at(accountId), { token, body })),
      );
      expectFates(put.map(told), { 201: 1, '409 provider_taken': callers - 1 });
      const owner = rivals[put.findIndex(({ status }) => status === 201)] ?? rivals[0];
      if (!owner) return [];
      const removed = await atOnce(callers, () =>
        call('DELETE', at(owner.accountId), { token: owner.key }),
      );
      expectFates(removed.map(told), { 200: 1, '404 not_found': callers - 1 });
      const noted = 'SELECT 1 FROM audit_rows WHERE object_id = $1';
      expect(await countRows(noted, [name])).toBe(2);
      expect(await countRows('SELECT 1 FROM sso_providers WHERE provider = $1', [name])).toBe(0);
      return [...put, ...removed].map(told);
    };
  },
};

const subject: Race = {
  name: 'sso-subject',
  rule: 'a subject of a provider is one person, and one member, from the first sign-in on',
  statements: ['sso_subjects.bind', 'memberships.add'],
  async prepare(atEnd) {
    const { idp, account, polyadmin } = await sso.startSignIn(raceDb(), newName('subject'));
    atEnd(() => sso.endSignIn(idp));
    const provider = await sso.putProvider(
      sso.newProvider(newName('sso')),
      { issuer: idp.issuer.issuer },
      polyadmin,
    );
    return async (callers) => {
      const sub = randomIds.make('sub');
      const tokens = Array.from({ length: callers }, () => sso.accessToken(idp, { sub }));
      const answers = await Promise.all(tokens.map((token) => sso.exchange(provider, token)));
      const outcomes = answers.map(told);
      expectFates(outcomes, { 200: callers });
      const [id, another] = [...new Set(answers.map((answer) => sso.claimsOf(answer)['sub']))];
      expect(another).toBeUndefined();
      const bound = 'SELECT 1 FROM sso_subjects WHERE account_id = $1 AND poly_user_id = $2';
      const noted = 'SELECT 1 FROM audit_rows WHERE account_id = $1 AND object_id = $2';
      expect(await countRows(bound, [account.account_id, id])).toBe(1);
      // Two rows: the binding and the membership.
      expect(await countRows(noted, [account.account_id, id])).toBe(2);
      return outcomes;
    };
  },
};

const keyRevoked: Race = {
  name: 'api-key-revoked',
  rule: 'a key is revoked once, at one instant, and is good for nothing from the answer on',
  statements: ['api_keys.revoke', 'accounts.lock'],
  async prepare() {
    const { accountId, key: admin } = await bareAccount();
    return async (callers) => {
      const token = await keyOf(accountId, ['ADMIN']);
      const id = token.slice(0, token.lastIndexOf('_'));
      const at = `/v2/accounts/${accountId}/api-keys/${id}`;
      const list = `/v2/accounts/${accountId}/api-keys`;
      const answers = await atOnce(callers, async (place) => {
        if (place % 2 === 0) return call('GET', list, { token });
        const revoked = await call('DELETE', at, { token: place % 4 === 1 ? admin : token });
        // A caller that received the revocation cannot use the key any more.
        if (revoked.status === 200) expect((await call('GET', list, { token })).status).toBe(401);
        return revoked;
      });
      const outcomes = answers.map(told);
      expectFates(outcomes, {}, ['200', '401 credential_invalid']);
      const ends = answers.filter((_, place) => place % 2 === 1);
      const at200 = ends.flatMap(({ body }) => body['revoked_at'] ?? []);
      expect(new Set(at200).size).toBe(1);
      // A revocation by another key is never refused.
      expect(at200.length).toBeGreaterThanOrEqual(Math.floor((callers + 2) / 4));
      const noted = `SELECT 1 FROM audit_rows WHERE object_id = $1 AND action = 'api_key.revoked'`;
      expect(await countRows(noted, [id])).toBe(1);
      return outcomes;
    };
  },
};

const keyRotated: Race = {
  name: 'api-key-rotated',
  rule: 'a key is rotated once, to one new key, and by nobody after it has ended',
  statements: ['api_keys.replace'],
  async prepare() {
    const { accountId, key: admin } = await bareAccount();
    return async (callers) => {
      const token = await keyOf(accountId, ['VIEWER']);
      const id = token.slice(0, token.lastIndexOf('_'));
      const at = `/v2/accounts/${accountId}/api-keys/${id}`;
      const answers = await atOnce(callers, (place) =>
        place % 5 === 4
          ? call('DELETE', at, { token: admin })
          : call('POST', `${at}/rotate`, { token: admin, body: {} }),
      );
      const outcomes = answers.map(told);
      expectFates(outcomes, {}, ['200', '201', '409 key_rotated', '409 key_ended']);
      const made = answers.filter(({ status }) => status === 201);
      expect(made.length).toBeLessThanOrEqual(1);
      const { replaced_by } = await rowOf<{ replaced_by: string | null }>(
        'SELECT replaced_by FROM api_keys WHERE key_id = $1',
        [id],
      );
      expect(replaced_by).toBe(made[0]?.body['key_id'] ?? null);
      const noted = `SELECT 1 FROM audit_rows WHERE object_id = $1 AND action = 'api_key.rotated'`;
      expect(await countRows(noted, [id])).toBe(made.length);
      return outcomes;
    };
  },
};

const idempotencyKey: Race = {
  name: 'idempotency-key',
  rule: 'what is asked for under one key is done once, and told alike to all who hear of it',
  statements: ['idempotency.claim', 'api_keys.insert'],
  async prepare() {
    const { accountId, key: token } = await bareAccount();
    const path = `/v2/accounts/${accountId}/api-keys`;
    return async (callers) => {
      const headers = { 'idempotency-key': newName('once') };
      const [wanted, other] = [newName('key'), newName('other')];
      const answers = await atOnce(callers, (place) => {
        const body = { name: place % 10 === 9 ? other : wanted, roles: ['VIEWER'] };
        return call('POST', path, { token, headers, body });
      });
      const outcomes = answers.map(told);
      expectFates(outcomes, {}, ['201', '409 idempotency_in_progress', '409 idempotency_mismatch']);
      const made = answers.filter(({ status }) => status === 201);
      expect(new Set(made.map(({ text }) => text)).size).toBe(1);
      const first = made.filter((answer) => !answer.headers.get('idempotent-replayed'));
      expect(first).toHaveLength(1);
      const keys = 'SELECT name FROM api_keys WHERE account_id = $1 AND name = ANY ($2)';
      expect(await countRows(keys, [accountId, [wanted, other]])).toBe(1);
      return outcomes;
    };
  },
};

const endpointUrl = 'http://127.0.0.1:9/';

const secretRotated: Race = {
  name: 'webhook-secret',
  rule: 'each rotation starts from the secret before it: the last two are kept, and no other',
  statements: ['webhook_endpoints.rotate'],
  async prepare() {
    const { own } = ownPlatform();
    const { accountId, key: token } = await bareAccount();
    expect(accountId).not.toBe(own.account_id);
    const at = `/v2/accounts/${accountId}/webhook-endpoints`;
    const body = { url: endpointUrl, types: ['meeting.ended'] };
    const made = await call('POST', at, { token, body });
    const id = String(made.body['endpoint_id']);
    const kept = () =>
      rowOf<{ current: Buffer; previous: Buffer | null }>(
        `SELECT secret_sealed AS current, previous_secret_sealed AS previous
         FROM webhook_endpoints WHERE endpoint_id = $1`,
        [id],
      );
    return async (callers) => {
      const before = await kept();
      const answers = await atOnce(callers, () =>
        call('POST', `${at}/${id}/rotate-secret`, { token, body: {} }),
      );
      const outcomes = answers.map(told);
      expectFates(outcomes, { 200: callers });
      expect(new Set(answers.map((answer) => answer.body['secret'])).size).toBe(callers);
      const after = await kept();
      const isAlone = callers === 1;
      expect(after.current.equals(before.current)).toBe(false);
      expect(after.previous?.equals(before.current)).toBe(isAlone);
      expect(after.previous?.equals(after.current)).toBe(false);
      return outcomes;
    };
  },
};

const endpointRemoved: Race = {
  name: 'webhook-endpoint-removed',
  rule: 'an endpoint is removed once, and no change brings it back',
  statements: ['webhook_endpoints.lock', 'webhook_endpoints.remove', 'webhook_endpoints.update'],
  async prepare() {
    const { accountId, key: token } = await bareAccount();
    const at = `/v2/accounts/${accountId}/webhook-endpoints`;
    return async (callers) => {
      const body = { url: endpointUrl, types: ['meeting.ended'] };
      const made = await call('POST', at, { token, body });
      const id = String(made.body['endpoint_id']);
      const answers = await atOnce(callers, (place) =>
        place % 2 === 0
          ? call('DELETE', `${at}/${id}`, { token })
          : call('PATCH', `${at}/${id}`, { token, body: { status: 'enabled' } }),
      );
      const removals = answers.filter((_, place) => place % 2 === 0).map(told);
      expectFates(removals, { 200: 1, '404 not_found': removals.length - 1 });
      const changes = answers.filter((_, place) => place % 2 === 1).map(told);
      expectFates(changes, {}, ['200', '404 not_found']);
      const status = 'SELECT status FROM webhook_endpoints WHERE endpoint_id = $1';
      expect(await rowOf(status, [id])).toEqual({ status: 'removed' });
      return [...removals, ...changes];
    };
  },
};

export const accountRaces: readonly Race[] = [
  appId,
  providerName,
  subject,
  keyRevoked,
  keyRotated,
  idempotencyKey,
  secretRotated,
  endpointRemoved,
];
