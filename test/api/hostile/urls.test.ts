import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSession, type Seed } from '../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../db/ids.ts';
import { addUser } from '../../../db/queries/seeding.ts';
import { call, newLink, type Answer } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { eachOf } from '../authz/cells.ts';
import { atOnce, hostileUrls } from './lists.ts';

const { own, baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
/** Calls per minute that the rate limit allows one person. */
const callsOfPerson = 50;
const good = 'https://good.test';
let account: Seed;
let link: string;
let endpoint: string;
const sessions: string[] = [];

beforeAll(async () => {
  account = await newAccount(`urls-${randomIds.bytes(4).toString('hex')}`);
  link = await newLink();
  const made = await call('POST', `/v2/accounts/${account.account_id}/webhook-endpoints`, {
    token: account.api_key,
    body: { url: 'http://127.0.0.1:9/' },
  });
  endpoint = String(made.body['endpoint_id']);
  const deps = { db, keys: platformKeys(), ids: randomIds, baseUrl };
  for (let from = 0; from < hostileUrls.length + 20; from += callsOfPerson) {
    const person = randomIds.make('pu');
    await addUser(db, [person, 'cert', new Date()]);
    sessions.push(await newSession(deps, person, null, [], new Date()));
  }
});
afterAll(() => db.end());

interface Field {
  readonly method: string;
  readonly path: () => string;
  readonly token?: (place: number) => string;
  readonly body: (url: string) => unknown;
  /** The members of the body that contain the URL. */
  readonly members: readonly string[];
}

const byKey = (): string => account.api_key;
const at = (rest: string) => (): string => `/v2/accounts/${account.account_id}${rest}`;
const one = (
  member: string,
  method: string,
  path: () => string,
  token?: Field['token'],
  more: Record<string, unknown> = {},
): Field => ({
  method,
  path,
  ...(token ? { token } : {}),
  body: (url) => ({ ...more, [member]: url }),
  members: [member],
});

/** Returns the URL members of an app, all with the same URL. */
const ledBy = (url: string) => ({
  redirect_url: url,
  logo_url: url,
  tos_url: url,
  install_url: url,
  support_url: url,
  allowed_origins: [url],
});
const leads = Object.keys(ledBy(good));

/** Every field that takes a URL, by its operation. */
const fields: Readonly<Record<string, Field>> = {
  'redirect_url of a new link': one('redirect_url', 'PUT', () => `/v2/${account.app_id}`, byKey),
  'redirect_url of a link': one(
    'redirect_url',
    'PATCH',
    () => `/v2/${link}`,
    () => own.api_key,
  ),
  'what an app has': {
    method: 'PATCH',
    path: at(`/apps/unused`),
    token: byKey,
    body: ledBy,
    members: leads,
  },
  'what a new app has': {
    method: 'PUT',
    path: at(`/apps/hostile-app`),
    token: byKey,
    body: (url) => ({ name: 'An app', kind: 'portal', ...ledBy(url) }),
    members: leads,
  },
  'logo_url of an account': one('logo_url', 'PATCH', at(''), byKey),
  'url of a new webhook endpoint': one('url', 'POST', at('/webhook-endpoints'), byKey),
  'url of a webhook endpoint': one(
    'url',
    'PATCH',
    () => at(`/webhook-endpoints/${endpoint}`)(),
    byKey,
  ),
  'issuer of a provider': one('issuer', 'PUT', at('/sso-providers/hostile'), byKey, {
    kind: 'jwt',
    client_id: 'x',
    group_roles: {},
  }),
  'return_to of a check': {
    ...one('return_to', 'POST', () => '/v2/trust-checks'),
    body: (url) => ({ link_uuid: link, client: 'web', return_to: url }),
  },
  'return_to of a login': one('return_to', 'POST', () => '/v2/email/login/request', undefined, {
    email: 'urls@example.test',
  }),
  'return_to of a login email': one(
    'return_to',
    'POST',
    () => '/v2/email/link/request',
    (place) => sessions[Math.floor(place / callsOfPerson)] ?? '',
    { email: 'urls@example.test' },
  ),
};

function ask({ method, path, token, body }: Field, url: string, place: number): Promise<Answer> {
  return call(method, path(), {
    ...(token ? { token: token(place) } : {}),
    body: body(url),
    headers: { 'x-forwarded-for': `10.9.${place >> 8}.${place & 255}` },
  });
}

/** Returns the members of the body that an answer reports as faulty. */
function faulty({ status, body }: Answer): string[] {
  if (status !== 422) return [String(status)];
  const detail = body['detail'] as { loc: string[] }[];
  return [...new Set(detail.map(({ loc }) => loc[1] ?? 'the body'))].toSorted();
}

describe('hostile URLs', () => {
  it('the corpus has at least 150 distinct hostile URLs', () => {
    expect(hostileUrls.length).toBeGreaterThanOrEqual(150);
    expect(new Set(hostileUrls).size).toBe(hostileUrls.length);
  });

  it.each(Object.entries(fields))('are rejected by %s', async (_name, field) => {
    const taken: unknown[] = [];
    await eachOf([...hostileUrls.entries()], atOnce, async ([place, url]) => {
      const found = faulty(await ask(field, url, place));
      const wanted = field.members.toSorted();
      if (found.join() !== wanted.join()) taken.push([url, found]);
    });
    expect(taken).toEqual([]);
  });

  it('are rejected for their content: a valid URL in the same field is accepted', async () => {
    const app = at(`/apps/${account.app_id}`)();
    const origins = { allowed_origins: [good] };
    const { api_key: token } = account;
    expect((await call('PATCH', app, { token, body: origins })).status).toBe(200);
    const url = `${good}/done?a=b`;
    const { 'redirect_url of a new link': created, 'logo_url of an account': logo } = fields;
    for (const field of [created, logo]) {
      expect((await ask(field ?? fail(), url, 0)).status).toBe(200);
    }
  });

  // A parser of RFC 3986 and a browser find different hosts in some of these.
  it.each(['return_to of a check', 'return_to of a login', 'return_to of a login email'])(
    'that start like a known origin are rejected by %s',
    async (name) => {
      const { host, protocol } = new URL(baseUrl);
      const begun = [
        `${protocol}//${host}@evil.test/`,
        `${protocol}//${host}\\@evil.test/`,
        `${protocol}//${host}\\\\evil.test/`,
        `${protocol}//${host}.evil.test/`,
        `${protocol}//${host}%2eevil.test/`,
        `${protocol}//${host}%40evil.test/`,
        `${protocol}//${host}:1@evil.test/`,
        `${protocol}//${host}\t@evil.test/`,
        `${protocol}//evil.test#@${host}/`,
        `${protocol}//evil.test?${host}/`,
        `${protocol}//evil.test/${host}/`,
        `${protocol}//evil.test\\@${host}/`,
        `${protocol}//x:y@${host}/`,
        `${protocol}\\\\${host}/`,
        `${protocol}${host}/`,
      ];
      const field = fields[name] ?? fail();
      for (const [place, url] of begun.entries()) {
        expect([url, faulty(await ask(field, url, hostileUrls.length + place))]).toEqual([
          url,
          ['return_to'],
        ]);
      }
    },
  );
});

function fail(): never {
  throw new Error('no such field');
}
