import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { createClient } from '../../../client/index.ts';
import { call, done, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let link: string;
let check: string;
let checkToken: string;

beforeAll(async () => {
  account = await newAccount(`expand-${process.pid}-${Date.now()}`);
  const { api_key: token, app_id } = account;
  const body = { title: 'expanded', required_proofs: ['phone'] };
  const made = await done('a link', () => call('PUT', `/v2/link/${app_id}`, { token, body }));
  link = String(made.body['link_uuid']);
  const begun = await done('a check', () =>
    call('POST', '/v2/trust-checks', { token, body: { link_uuid: link, client: 'web' } }),
  );
  check = String(begun.body['link_session_id']);
  checkToken = String(begun.body['check_token']);
});
afterAll(() => db.end());

const get = (query: string, token = account.api_key): Promise<Answer> =>
  call('GET', `/v2/trust-checks/${check}?${query}`, { token });
const refusal = ({ status, body }: Answer): unknown[] => [
  status,
  body['code'],
  body['expand'],
  body['operation'],
];
async function keyWith(more: object): Promise<string> {
  const path = `/v2/accounts/${account.account_id}/api-keys`;
  const body = { name: 'a key', roles: ['ADMIN'], ...more };
  const made = await done('a key', () => call('POST', path, { token: account.api_key, body }));
  return String(made.body['api_key']);
}

describe('expand', () => {
  it('adds nothing by default', async () => {
    const { body } = await get('');
    for (const name of ['link', 'events']) expect(body).not.toHaveProperty(name);
    expect(body['affidavit']).not.toHaveProperty('url');
  });

  it('adds link, affidavit and events in one answer', async () => {
    const { status, body } = await get('expand[]=link&expand[]=affidavit&expand[]=events');
    expect(status).toBe(200);
    expect(body['link']).toMatchObject({ link_uuid: link, title: 'expanded' });
    expect(body['affidavit']).toMatchObject({ status: 'none', url: null, url_expires_at: null });
    const alone = await call('GET', `/v2/trust-checks/${check}/events`, {
      token: account.api_key,
    });
    expect(body['events']).toEqual(alone.body);
    expect((body['events'] as { items: unknown[] }).items.length).toBeGreaterThan(0);
    expect((await get('expand=link,events,affidavit')).body).toEqual(body);
    const client = createClient({ baseUrl, token: account.api_key });
    const read = await client.trustChecks.get({ id: check, expand: 'link' });
    expect(read.link?.link_uuid).toBe(link);
  });

  it('returns the URL of an affidavit that is available', async () => {
    await db.query(
      `INSERT INTO affidavits (affidavit_id, link_session_id, account_id, app_id, status,
         affidavit_key, sha256, pades_level, sealed_at, available_at, created_at)
       VALUES ('aff_expand_' || $1, $1, $2, $3, 'available', 'affidavits/x/v1.pdf', $4, 'B-LTA',
         now(), now(), now())`,
      [check, account.account_id, account.app_id, 'a'.repeat(64)],
    );
    const { body } = await get('expand=affidavit');
    const { url, url_expires_at } = body['affidavit'] as Record<string, string>;
    expect(url).toMatch(/^https?:\/\//);
    expect(Date.parse(String(url_expires_at))).toBeGreaterThan(Date.now() - 1000);
  });

  it('contains the first 100 events and the cursor of the next page', async () => {
    await db.query(
      `INSERT INTO events (event_id, stream, seq, account_id, account_seq, app_id, type, livemode,
         object_id, data, created_at)
       SELECT 'evt_' || $1 || n, 'trust-check:' || $1, 1000 + n, $2, 100000 + n, $3,
         'trust_check.opened', true, $1, '{"object":{}}', now() FROM generate_series(1, 120) n`,
      [check, account.account_id, account.app_id],
    );
    const { body } = await get('expand=events');
    const first = body['events'] as { items: unknown[]; next_after: string; has_more: boolean };
    expect([first.items.length, first.has_more]).toEqual([100, true]);
    const rest = await call('GET', `/v2/trust-checks/${check}/events?after=${first.next_after}`, {
      token: account.api_key,
    });
    const { items, has_more } = rest.body as { items: unknown[]; has_more: boolean };
    expect(items.length).toBeGreaterThan(0);
    expect(has_more).toBe(false);
  });

  it.each(['expand=all', 'expand[]=link&expand[]=app', 'expand=', 'expand[link]=1'])(
    'is refused for %s',
    async (query) => {
      expect((await get(query)).status).toBe(422);
    },
  );

  it('requires the role of each expanded operation', async () => {
    const { token } = await newCertUser(db, account.account_id, ['VIEWER']);
    expect((await get('expand=link,events', token)).status).toBe(200);
    expect(refusal(await get('expand=link,affidavit', token))).toEqual([
      403,
      'expand_refused',
      'affidavit',
      'logs.affidavit',
    ]);
    expect((await get('expand=events', checkToken)).status).toBe(200);
    expect(refusal(await get('expand=link', checkToken))).toEqual([
      403,
      'expand_refused',
      'link',
      'links.list',
    ]);
  });

  it('requires the scope of each expanded operation', async () => {
    const narrow = await keyWith({ scopes: ['trust_checks:read'] });
    expect((await get('expand=events', narrow)).status).toBe(200);
    for (const [name, scope] of [
      ['link', 'links:read'],
      ['affidavit', 'logs:read'],
    ]) {
      const { status, body } = await get(`expand=${name}`, narrow);
      expect([status, body['code'], body['scope']]).toEqual([403, 'insufficient_scope', scope]);
    }
    const wide = await keyWith({ scopes: ['trust_checks:read', 'links:read', 'logs:read'] });
    expect((await get('expand=link,affidavit', wide)).status).toBe(200);
  });
});
