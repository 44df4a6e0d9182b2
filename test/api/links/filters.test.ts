import { beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { createClient } from '../../../client/index.ts';
import { call, done, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();
let account: Seed;
let at: string;
const checks: Record<string, string> = {};
const created: Record<string, string> = {};

const inAnHour = new Date(Date.now() + 3600_000).toISOString();
const bodies = {
  plain: {},
  later: { not_before: inAnHour },
  paused: {},
  order: { metadata: { order: '17', 'shop.id': 'a b' }, reference_id: 'ref-1' },
  prescreen: { link_type: 'prescreen', metadata: { order: '18' } },
} as const;

beforeAll(async () => {
  account = await newAccount(`filters-${process.pid}-${Date.now()}`);
  const { api_key: token, app_id, account_id } = account;
  at = `/v2/links/${account_id}/${app_id}`;
  for (const [title, body] of Object.entries(bodies)) {
    const made = await done('a link', () =>
      call('PUT', `/v2/link/${app_id}`, {
        token,
        body: { title, required_proofs: ['phone'], ...body },
      }),
    );
    created[title] = String(made.body['created_at']);
    const link_uuid = String(made.body['link_uuid']);
    if (title !== 'later') {
      const begun = await done('a check', () =>
        call('POST', '/v2/trust-checks', { token, body: { link_uuid, client: 'web' } }),
      );
      checks[title] = String(begun.body['link_session_id']);
    }
    if (title === 'paused')
      await call('PATCH', `/v2/${link_uuid}`, { token, body: { paused: true } });
  }
  await done('a cancellation', () =>
    call('POST', `/v2/trust-checks/${checks['plain']}/cancel`, { token, body: {} }),
  );
});

const get = (path: string): Promise<Answer> => call('GET', path, { token: account.api_key });
const itemsOf = ({ body }: Answer) => body['items'] as Record<string, unknown>[];
async function titles(query: string): Promise<unknown[]> {
  const answer = await done(query, () => get(`${at}?${query}`));
  expect(answer.body['total']).toBe(itemsOf(answer).length);
  return itemsOf(answer).map(({ title }) => title);
}
async function begun(query: string): Promise<unknown[]> {
  const answer = await done(query, () => get(`/v2/trust-checks?${query}`));
  const names = new Map(Object.entries(checks).map(([name, id]) => [id, name]));
  return itemsOf(answer).map(({ link_session_id: id }) => names.get(String(id)));
}

describe('a list of links', () => {
  it('can be filtered by the fields of a link', async () => {
    expect(await titles('status=active')).toEqual(['prescreen', 'order', 'plain']);
    expect(await titles('status=scheduled')).toEqual(['later']);
    expect(await titles('status=paused')).toEqual(['paused']);
    expect(await titles('status=expired')).toEqual([]);
    expect(await titles('link_type=prescreen')).toEqual(['prescreen']);
    expect(await titles('reference_id=ref-1')).toEqual(['order']);
    expect(await titles('reference_id=ref')).toEqual([]);
    expect(await titles('metadata[order]=17')).toEqual(['order']);
    expect(await titles('metadata[order]=17&metadata[shop.id]=a%20b')).toEqual(['order']);
    expect(await titles('metadata[order]=17&metadata[shop.id]=b')).toEqual([]);
    expect(await titles('status=active&link_type=prescreen&search=PRESCREEN')).toEqual([
      'prescreen',
    ]);
  });

  it('can be filtered by time, excluding the given instants', async () => {
    const [after, before] = [created['plain'], created['prescreen']];
    const between = `created_after=${after}&created_before=${before}`;
    expect(await titles(between)).toEqual(['order', 'paused', 'later']);
    expect(await titles(`created_before=${after}`)).toEqual([]);
  });

  it('can be sorted in both directions', async () => {
    const names = Object.keys(bodies);
    expect(await titles('sort=created_at')).toEqual(names);
    expect(await titles('sort=-created_at')).toEqual(names.toReversed());
  });

  it.each(['sort=created_at', 'status=active', 'sort=created_at&link_type=trust_check'])(
    'with %s is continued only by a cursor of the same query',
    async (query) => {
      const all = await titles(query);
      const shown: unknown[] = [];
      let cursor = '';
      do {
        const page = await done('a page', () => get(`${at}?${query}&page_size=1${cursor}`));
        shown.push(...itemsOf(page).map(({ title }) => title));
        const { next_cursor: next } = page.body as { next_cursor: string | null };
        cursor = next === null ? '' : `&cursor=${next}`;
        if (cursor === '') continue;
        for (const other of ['', 'status=paused', `${query}&reference_id=x`]) {
          const { status, body } = await get(`${at}?${other}${cursor}`);
          expect([status, body['detail']]).toMatchObject([422, [{ loc: ['query', 'cursor'] }]]);
        }
      } while (cursor !== '');
      expect(shown).toEqual(all);
    },
  );

  it.each([
    'status=gone',
    'status=deleted',
    'link_type=x',
    'sort=title',
    'created_after=yesterday',
    'metadata=17',
    'metadata[a%20b]=1',
    'metadata[__proto__]=1',
    'metadata[constructor]=1',
    'metadata[order]=17&metadata[order]=18',
    'metadata[order][x]=17',
    'metadat[order]=17',
    'status[]=active&status=paused',
  ])('is refused for %s', async (query) => {
    expect((await get(`${at}?${query}`)).status).toBe(422);
  });
});

describe('a list of trust checks', () => {
  it('can be filtered by status, type, ids, link metadata and time', async () => {
    expect(await begun('status=canceled')).toEqual(['plain']);
    expect(await begun('link_type=prescreen')).toEqual(['prescreen']);
    expect(await begun('reference_id=ref-1')).toEqual(['order']);
    expect(await begun('metadata[order]=18')).toEqual(['prescreen']);
    expect(await begun('metadata[order]=19')).toEqual([]);
    expect(await begun(`created_after=${created['prescreen']}`)).toEqual(['prescreen']);
    expect(await begun(`created_before=${created['paused']}`)).toEqual(['plain']);
  });

  it('can be sorted in both directions and continued by cursors', async () => {
    const names = ['plain', 'paused', 'order', 'prescreen'];
    expect(await begun('sort=created_at')).toEqual(names);
    expect(await begun('')).toEqual(names.toReversed());
    const client = createClient({ baseUrl, token: account.api_key });
    const shown: string[] = [];
    for await (const check of client.trustChecks.list.each({ sort: 'created_at', page_size: 1 })) {
      shown.push(check.link_session_id);
    }
    expect(shown).toEqual(names.map((name) => checks[name]));
    const page = await client.trustChecks.list({ page_size: 1, metadata: { order: '17' } });
    expect(page.items.map(({ link_session_id }) => link_session_id)).toEqual([checks['order']]);
    const [first] = itemsOf(await get('/v2/trust-checks?page_size=1'));
    expect(first).toBeDefined();
    const { body } = await get('/v2/trust-checks?page_size=1');
    const refused = await get(
      `/v2/trust-checks?status=passed&cursor=${String(body['next_cursor'])}`,
    );
    expect(refused.status).toBe(422);
  });
});
