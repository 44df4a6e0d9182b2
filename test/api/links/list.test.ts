import { beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { newKey, newPlatformAccount } from '../../support/people/samples.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign } = ownPlatform();
let account: Seed;
let token: string;
let at: string;
const ids: Record<string, string> = {};

interface Page {
  readonly items: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
  readonly page: number;
  readonly total: number;
}

async function make(name: string, type: string, body: Record<string, unknown> = {}) {
  const path = `/v2/link/type/${type}?app_id=${account.app_id}`;
  const made = await call('PUT', path, { token, body: { title: name, ...body } });
  expect(made.status).toBe(200);
  ids[name] = String(made.body['link_uuid']);
}

async function pageOf(path: string, query = ''): Promise<Page> {
  const { status, body } = await call('GET', `${path}?${query}`, { token });
  expect(status).toBe(200);
  return body as unknown as Page;
}
const titles = ({ items }: Page): unknown[] => items.map(({ title }) => title);
const found = async (search: string): Promise<unknown[]> =>
  titles(await pageOf(at, `search=${encodeURIComponent(search)}`));

beforeAll(async () => {
  account = await newAccount(`listed-${process.pid}`);
  token = account.api_key;
  at = `/v2/links/${account.account_id}/${account.app_id}`;
  await make('Übergabe 50%', 'trust_check', { reference_id: 'REF-one' });
  await make('a_b', 'trust_check');
  await make('axb', 'trust_check');
  await make('gone', 'trust_check');
  await make('for b', 'meeting', { meeting: { platform: 'conf-b' } });
  await make('for a', 'meeting', { meeting: { platform: 'conf-a' } });
  await make('anywhere', 'meeting');
  await make('come', 'invite');
  const gone = await call('DELETE', `/v2/${ids['gone']}`, { token });
  expect(gone.status).toBe(200);
});

describe('links.list', () => {
  it('returns the links of an app, newest first, without deleted ones', async () => {
    const page = await pageOf(at);
    const all = ['come', 'anywhere', 'for a', 'for b', 'axb', 'a_b', 'Übergabe 50%'];
    expect(titles(page)).toEqual(all);
    expect(page).toMatchObject({ page: 1, page_size: 25, total: 7, pages: 1, next_cursor: null });
    const raw = await call('GET', `/v2/raw/${ids['come']}`, { token });
    for (const [name, value] of Object.entries(page.items[0] ?? {})) {
      expect(raw.body[name], name).toEqual(value);
    }
    expect(page.items[0]).not.toHaveProperty('matching_params');
  });

  it('returns the same links by page and by cursor', async () => {
    const whole = titles(await pageOf(at));
    const paged = [];
    for (const page of [1, 2, 3, 4])
      paged.push(...titles(await pageOf(at, `page=${page}&page_size=2`)));
    expect(paged).toEqual(whole);
    let next: string | null = '';
    const read = [];
    const numbers = [];
    while (next !== null) {
      const page: Page = await pageOf(at, `page_size=3${next && `&cursor=${next}`}`);
      read.push(...titles(page));
      numbers.push(page.page);
      expect(page.total).toBe(7);
      next = page.next_cursor;
    }
    expect(read).toEqual(whole);
    expect(numbers).toEqual([1, 2, 3]);
    expect(await pageOf(at, 'page=9')).toMatchObject({ items: [], total: 7, next_cursor: null });
  });

  it('continues from a cursor even if links are added meanwhile', async () => {
    const path = `/v2/invite-links/${account.account_id}`;
    await make('second', 'invite');
    const first = await pageOf(path, 'page_size=1');
    expect(titles(first)).toEqual(['second']);
    await make('third', 'invite');
    const after = await pageOf(path, `page_size=1&cursor=${first.next_cursor ?? ''}`);
    expect([titles(after), after.next_cursor, after.total]).toEqual([['come'], null, 3]);
    for (const name of ['second', 'third']) await call('DELETE', `/v2/${ids[name]}`, { token });
  });

  it('searches whole words of title and reference and parts of the id, ignoring case', async () => {
    expect(await found('übergabe')).toEqual(['Übergabe 50%']);
    expect(await found('ubergabe')).toEqual(['Übergabe 50%']);
    expect(await found('ref-ONE')).toEqual(['Übergabe 50%']);
    // Words of both fields match in any order; each must be whole.
    expect(await found('one 50 ÜBERGABE')).toEqual(['Übergabe 50%']);
    expect(await found('uber')).toEqual([]);
    expect(await found('ref-one-two')).toEqual([]);
    expect(await found(` ${ids['axb']?.slice(3, 20).toUpperCase() ?? ''} `)).toEqual(['axb']);
    expect(await found('50%')).toEqual(['Übergabe 50%']);
    expect(await found('a_b')).toEqual(['a_b']);
    for (const nothing of ['%', '_', '\\', "' OR 1=1 --", 'no such link', ids['gone'] ?? '']) {
      expect(await found(nothing), nothing).toEqual([]);
    }
    expect(await found('   ')).toHaveLength(7);
    const some = await pageOf(at, 'search=for&page_size=1');
    expect(some).toMatchObject({ total: 2 });
    const rest = await pageOf(at, `search=for&page_size=1&cursor=${some.next_cursor ?? ''}`);
    expect([titles(some), titles(rest)]).toEqual([['for a'], ['for b']]);
  });

  it('searches the current title and the unchanged reference', async () => {
    const body = { title: 'Harbour' };
    const changed = await call('PATCH', `/v2/${ids['Übergabe 50%']}`, { token, body });
    expect(changed.status).toBe(200);
    expect(await found('harbour ref')).toEqual(['Harbour']);
    expect(await found('ubergabe')).toEqual([]);
  });

  it('searches only the first 32 words of a title', async () => {
    const words = Array.from({ length: 40 }, (_, place) => `w${place}`);
    await make(words.join(' '), 'invite');
    const path = `/v2/invite-links/${account.account_id}?search=`;
    for (const [search, total] of [
      ['w31', 1],
      ['w32', 0],
      [words.slice(0, 32).join('+'), 1],
      [words.slice(0, 33).join('+'), 0],
    ] as const) {
      expect((await call('GET', path + search, { token })).body['total'], search).toBe(total);
    }
    await call('DELETE', `/v2/${ids[words.join(' ')]}`, { token });
  });

  it('counts the length of a search in characters', async () => {
    const long = (length: number) => encodeURIComponent('\u{1f600}'.repeat(length));
    expect((await call('GET', `${at}?search=${long(200)}`, { token })).status).toBe(200);
    expect((await call('GET', `${at}?search=${long(201)}`, { token })).status).toBe(422);
  });

  it('rejects forged cursors', async () => {
    const forged = (value: unknown): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const wrong = [
      'x',
      '%F0',
      forged({}),
      forged([1e18, 'a', 2]),
      forged([1, "'", 2]),
      'a'.repeat(500),
    ];
    for (const cursor of [
      ...wrong,
      forged([-1, 'a', 2]),
      forged([1, 'a', 1]),
      forged([1, 'a', 1.5]),
      forged([0, 'a', 2]),
      forged([0, 'a', 2, null, 'another']),
    ]) {
      expect((await call('GET', `${at}?cursor=${cursor}`, { token })).status, cursor).toBe(422);
    }
  });

  it('returns the same 404 for other accounts and for apps of other accounts', async () => {
    const strangers = [
      [own.api_key, at],
      [token, `/v2/links/${own.account_id}/${own.app_id}`],
      [token, `/v2/links/${account.account_id}/${own.app_id}`],
      [token, `/v2/links/${account.account_id}/none`],
      [token, `/v2/links/2147483647/${account.app_id}`],
      [token, '/v2/invite-links/2147483647'],
    ] as const;
    const bodies = new Set<unknown>();
    for (const [as, path] of strangers) {
      const { status, body } = await call('GET', path, { token: as });
      expect([status, body['code']], path).toEqual([404, 'not_found']);
      bodies.add(body['title']);
    }
    expect(bodies.size).toBe(1);
    expect((await call('GET', at)).status).toBe(401);
    for (const nobody of ['nobody', '0', '-1', '2147483648', '1.5']) {
      expect((await call('GET', `/v2/invite-links/${nobody}`, { token })).status).toBe(422);
    }
  });

  it('requires the role VIEWER', async () => {
    const viewer = await newKey(['VIEWER']);
    const path = `/v2/links/${own.account_id}/${own.app_id}?page_size=1`;
    expect((await call('GET', path, { token: viewer })).status).toBe(200);
  });
});

describe('lists of meeting and invite links', () => {
  it('contain the links of their type of the calling account', async () => {
    const conference = await newPlatformAccount(account.account_id);
    expect(titles(await pageOf('/v2/listlinks'))).toEqual(['anywhere', 'for a', 'for b']);
    expect(titles(await pageOf(`/v2/listlinks/${conference}`))).toEqual(['for a']);
    expect(titles(await pageOf('/v2/list-conf-b-links'))).toEqual(['for b']);
    expect(titles(await pageOf(`/v2/invite-links/${account.account_id}`))).toEqual(['come']);
    expect(titles(await pageOf('/v2/listlinks', 'search=FOR'))).toEqual(['for a', 'for b']);
  });

  it('are empty for an account without such links, and 404 for a session without an account', async () => {
    for (const path of ['/v2/listlinks', '/v2/list-conf-b-links']) {
      const other = await call('GET', `${path}?search=${ids['for b'] ?? ''}`, {
        token: foreign.api_key,
      });
      expect([other.status, other.body['items']]).toEqual([200, []]);
      const { subject } = account;
      const nowhere = await call('GET', path, { token: subject.session_token });
      expect([nowhere.status, nowhere.body['code']]).toEqual([404, 'not_found']);
    }
  });

  it('do not reveal who has connected a conference account', async () => {
    const conference = await newPlatformAccount(own.account_id);
    const ask = (id: string): Promise<Answer> => call('GET', `/v2/listlinks/${id}`, { token });
    const [taken, unknown] = [await ask(conference), await ask('none')];
    expect([taken.status, unknown.status]).toEqual([404, 404]);
    expect(taken.body['title']).toBe(unknown.body['title']);
  });
});
