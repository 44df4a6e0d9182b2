import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calendarOAuthWorkflowId } from '../../../workflows/calendar-oauth/messages.ts';
import { newAccount } from '../../accounts.ts';
import {
  begin,
  comeBack,
  connect,
  decide,
  endOf,
  newPerson,
  startPath,
  tokenOf,
} from '../../calendar.ts';
import { call, type Answer } from '../../client.ts';
import { newEmailUser } from '../../email-users.ts';
import { eventually, openTestDb } from '../../harness.ts';
import { ownSealer } from '../../own-sealer.ts';
import { ownPlatform } from '../../own-platform.ts';
import { startSecondApi, type SecondApi } from '../../second-api.ts';
import { connectClient } from '../../temporal-client.ts';
import type { CalendarConnectionRow } from '../../../db/queries/calendar-connections.ts';
import { newKey } from '../samples.ts';

const { own, foreign, baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const routing = { intent: 'routing', account_id: String(own.account_id), return_to: '/done?x=1' };
const outcome = ({ status, body }: Answer) => [status, body['code']];
/** Whoever begins is counted: each test has a key of its own. */
const newAdminKey = () => newKey(['ADMIN']);
const ask = (query: Readonly<Record<string, string>>, token: string, at?: string) =>
  call('GET', startPath(query), { token, ...(at ? { at } : {}) });

/** One without a calendar provider, and one whose time is eleven minutes ahead. */
let bare: SecondApi;
let late: SecondApi;
beforeAll(async () => {
  const ahead = { clock: () => new Date(Date.now() + 11 * 60_000) };
  const { authorizeUrl } = await begin(own.api_key, routing);
  const settings = {
    CAL_ISSUER: new URL(authorizeUrl).origin,
    CAL_CLIENT_ID: 'trustcheck-calendar',
    CAL_CLIENT_SECRET: 'x',
  };
  [bare, late] = await Promise.all([startSecondApi(), startSecondApi(settings, ahead)]);
});
afterAll(async () => {
  await Promise.all([bare.stop(), late.stop(), db.end()]);
});

async function rowsOf(accountId: number | null): Promise<CalendarConnectionRow[]> {
  const { rows } = await db.query<CalendarConnectionRow>(
    'SELECT * FROM calendar_connections WHERE account_id IS NOT DISTINCT FROM $1',
    [accountId],
  );
  return rows;
}

describe('calendar.start', () => {
  it('asks for consent by PKCE and a cookie of this browser alone', async () => {
    const answer = await ask(routing, own.api_key);
    expect(answer.status).toBe(200);
    const url = new URL(String(answer.body['authorize_url']));
    const asked = Object.fromEntries(url.searchParams);
    expect(asked).toEqual({
      response_type: 'code',
      client_id: 'trustcheck-calendar',
      redirect_uri: `${baseUrl}/cal/oauth/callback`,
      scope: 'openid email offline_access',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
      include_granted_scopes: 'false',
    });
    const [value = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ');
    expect(value).toMatch(/^trustcheck-calendar=[\w-]{43}$/);
    expect(attributes).toEqual(['Path=/', 'Max-Age=600', 'HttpOnly', 'SameSite=Lax']);
    const inMs = Date.parse(String(answer.body['expires_at'])) - Date.now();
    expect(inMs).toBeGreaterThan(500_000);
    expect(inMs).toBeLessThanOrEqual(600_000);
    // What would end the flow lies nowhere as it is.
    const { rows } = await db.query('SELECT * FROM calendar_flows');
    const kept = JSON.stringify(rows);
    const secrets = [asked['state'], asked['nonce'], value.split('=')[1]];
    for (const secret of secrets) expect(kept).not.toContain(secret);
  });

  it.each([
    ['no intent', { account_id: '1' }],
    ['an unknown intent', { ...routing, intent: 'owner' }],
    ['no number', { ...routing, account_id: 'x' }],
    ['neither true nor false', { ...routing, shared: 'yes' }],
    ['a long return_to', { ...routing, return_to: `/${'x'.repeat(3000)}` }],
  ])('is 422 for %s', async (_, query) => {
    expect((await ask(query, own.api_key)).status).toBe(422);
  });

  it.each([
    'https://evil.example.com/',
    '//evil.example.com/',
    '/\\evil.example.com',
    '/%2f/evil.example.com',
    '/%5Cevil.example.com',
    'javascript:alert(1)',
    'done',
    '/a b',
    '/a\nb',
    `${baseUrl}@evil.example.com/`,
    `${baseUrl}.evil.example.com/`,
    `${baseUrl.replace('//', '//user:pass@')}/`,
    'data:text/html,x',
    'HTTPS:evil.example.com',
  ])('leads nobody to %j', async (return_to) => {
    const answer = await ask({ ...routing, return_to }, await newAdminKey());
    const fault = expect.objectContaining({
      loc: ['query', 'return_to'],
      type: 'forbidden_target',
    });
    expect([answer.status, answer.body['detail']]).toEqual([422, [fault]]);
  });

  it('takes an ADMIN for an address, a POLYADMIN for a shared one, a person for their own', async () => {
    const member = await newKey(['MEMBER']);
    const organizer = { ...routing, intent: 'organizer' };
    const refusals = [
      await ask(routing, member),
      await ask({ ...routing, shared: 'true' }, own.api_key),
      await ask({ ...routing, shared: 'true' }, own.admin.session_token),
      await ask(organizer, own.api_key),
      await ask(routing, foreign.api_key),
    ];
    expect(refusals.map(outcome)).toEqual([
      [403, 'role_required'],
      [403, 'role_required'],
      [403, 'role_required'],
      [400, 'session_required'],
      [404, 'not_found'],
    ]);
    expect((await ask(organizer, own.member.session_token)).status).toBe(200);
    // Without a number it is the account of the credential.
    expect((await ask({ intent: 'routing' }, own.api_key)).status).toBe(200);
    const nobody = await newEmailUser(db);
    expect(outcome(await ask({ intent: 'organizer' }, nobody.token))).toEqual([
      400,
      'account_required',
    ]);
  });

  it('is 409 without a provider, after all else', async () => {
    expect(outcome(await ask(routing, own.api_key, bare.origin))).toEqual([
      409,
      'platform_not_configured',
    ]);
    expect(outcome(await ask(routing, foreign.api_key, bare.origin))).toEqual([404, 'not_found']);
    const list = `/cal/routing-addresses?account_id=${own.account_id}`;
    expect(outcome(await call('GET', list, { token: own.api_key, at: bare.origin }))).toEqual([
      409,
      'platform_not_configured',
    ]);
  });

  it('is 503 while the provider is away, and begins nothing', async () => {
    const away = await startSecondApi({
      CAL_ISSUER: 'http://127.0.0.1:9',
      CAL_CLIENT_ID: 'x',
      CAL_CLIENT_SECRET: 'x',
    });
    const answer = await ask(routing, own.api_key, away.origin);
    await away.stop();
    expect(outcome(answer)).toEqual([503, 'dependency_unavailable']);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

describe('calendar.callback', () => {
  it('connects the calendar that was consented to, and tells so', async () => {
    const account = await newAccount('cal-connects');
    const query = { intent: 'routing', account_id: String(account.account_id), return_to: '/done' };
    const person = newPerson();
    const answer = await connect(account.api_key, query, person);
    expect(endOf(answer)).toEqual([302, 'connected', null]);
    expect(answer.headers.get('location')).toBe(`${baseUrl}/done?cal=connected`);
    expect(answer.headers.get('set-cookie')).toMatch(/^trustcheck-calendar=; Path=\/; Max-Age=0/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const [row, more] = await rowsOf(account.account_id);
    expect(more).toBeUndefined();
    if (!row) throw new Error('no connection');
    expect(row).toMatchObject({ status: 'connected', intent: 'routing', version: 1 });
    // Neither its token nor its address lies in the clear, and no code is left.
    const token = await tokenOf(ownSealer(db), row);
    for (const secret of [token, person]) {
      expect(JSON.stringify(row)).not.toContain(secret);
      expect(row.refresh_token_sealed?.includes(secret)).toBe(false);
    }
    const left = await db.query('SELECT 1 FROM calendar_answers WHERE flow_id = $1', [row.flow_id]);
    expect(left.rows).toEqual([]);
    const events = await call('GET', '/v2/events?types=calendar.connected', {
      token: account.api_key,
    });
    expect(events.body['items']).toMatchObject([
      {
        type: 'calendar.connected',
        account_id: account.account_id,
        object_id: row.connection_id,
        data: { object: { connection_id: row.connection_id, status: 'connected', sequence: 1 } },
      },
    ]);
    expect(events.text).not.toContain('@');
    const list = await call('GET', `/cal/routing-addresses?account_id=${account.account_id}`, {
      token: account.api_key,
    });
    expect(list.body).toMatchObject({
      items: [
        {
          connection_id: row.connection_id,
          account_id: account.account_id,
          shared: false,
          address: `${person}@calendar.example.test`,
          status: 'connected',
        },
      ],
      total: 1,
    });
    // The workflow of the flow has ended with it; that of the connection goes on.
    const client = await connectClient();
    const handle = client.workflow.getHandle(calendarOAuthWorkflowId(row.flow_id));
    expect(await handle.result()).toEqual({ status: 'connected', reason: null });
    await client.connection.close();
  });

  it('is a page where nobody waits', async () => {
    const account = await newAccount('cal-pages');
    const query = { intent: 'routing' };
    const done = await connect(account.api_key, query);
    expect([done.status, done.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(done.text).toContain('The calendar is connected');
    expect(done.headers.get('referrer-policy')).toBe('no-referrer');
    const denied = await connect(account.api_key, query, newPerson('denies'));
    expect(denied.text).toContain('Consent was not given');
  });

  it('is ended once, by the browser that began it', async () => {
    const person = newPerson();
    const key = await newAdminKey();
    const first = await begin(key, routing);
    const path = await decide(first.authorizeUrl, person);
    // Another browser, which has a cookie of a flow of its own.
    const other = await begin(key, routing);
    expect(endOf(await comeBack(path, other.cookie))).toEqual([302, 'nonce_mismatch', null]);
    // That has ended it, for everybody.
    expect(outcome(await comeBack(path, first.cookie))).toEqual([401, 'credential_invalid']);
    const cookieless = await begin(key, routing);
    const back = await decide(cookieless.authorizeUrl, person);
    expect(endOf(await comeBack(back))).toEqual([302, 'nonce_mismatch', null]);
    expect(outcome(await comeBack(back, cookieless.cookie))).toEqual([401, 'credential_invalid']);
    // Two at once: one of them gets it.
    const twice = await begin(key, routing);
    const again = await decide(twice.authorizeUrl, person);
    const ends = await Promise.all([1, 2, 3].map(() => comeBack(again, twice.cookie)));
    expect(ends.map(({ status }) => status).toSorted()).toEqual([302, 401, 401]);
    // And with the same code once more, in a flow that is good.
    const replay = await begin(key, routing);
    const code = new URLSearchParams(again.split('?')[1]).get('code') ?? '';
    const mixed = new URLSearchParams((await decide(replay.authorizeUrl, person)).split('?')[1]);
    mixed.set('code', code);
    const refused = await comeBack(`/cal/oauth/callback?${mixed.toString()}`, replay.cookie);
    expect(endOf(refused)).toEqual([302, 'denied', 'grant_refused']);
  });

  it.each([
    ['no state', ''],
    ['an empty one', '?state=&code=x'],
    ['an unknown one', `?state=${'x'.repeat(43)}&code=x`],
    ['an error alone', '?error=access_denied'],
  ])('is 401 for %s, as a page for a browser', async (_, query) => {
    const { cookie } = await begin(await newAdminKey(), routing);
    expect(outcome(await comeBack(`/cal/oauth/callback${query}`, cookie))).toEqual([
      401,
      'credential_invalid',
    ]);
    const at = `${baseUrl}/cal/oauth/callback${query}`;
    const page = await fetch(at, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      401,
      'text/html; charset=utf-8',
    ]);
  });

  it('is 422 for what is twice there, or too long', async () => {
    for (const query of [
      'state=a&state=b',
      `code=${'x'.repeat(5000)}`,
      `iss=${'x'.repeat(3000)}`,
    ]) {
      expect((await comeBack(`/cal/oauth/callback?${query}`)).status, query).toBe(422);
    }
  });

  it('says so where its time is over', async () => {
    const { authorizeUrl, cookie } = await begin(own.api_key, routing);
    const path = await decide(authorizeUrl, newPerson());
    expect(endOf(await comeBack(path, cookie, late.origin))).toEqual([302, 'expired', null]);
    expect((await comeBack(path, cookie)).status).toBe(401);
  });

  it('is 409 where the provider is not configured any more', async () => {
    const { authorizeUrl, cookie } = await begin(own.api_key, routing);
    const path = await decide(authorizeUrl, newPerson());
    expect(outcome(await comeBack(path, cookie, bare.origin))).toEqual([
      409,
      'platform_not_configured',
    ]);
  });

  it.each([
    ['consent_denied', ['denies'], {}],
    ['address_unverified', ['unverified'], {}],
    ['refresh_token_missing', ['tokenless'], {}],
    ['grant_refused', ['forged'], {}],
    ['grant_refused', ['otherwise'], {}],
    ['issuer_mismatch', [], { iss: 'https://evil.example.com' }],
    ['issuer_mismatch', ['denies'], { iss: 'https://evil.example.com' }],
    ['issuer_mismatch', [], { iss: null }],
    ['provider_error', [], { code: null }],
    ['provider_error', [], { code: '' }],
    ['provider_error', ['denies'], { error: '<script>alert(1)</script>' }],
    ['grant_refused', [], { code: 'made-up' }],
  ])('is denied as %s (%j, %j)', async (reason, words, changes) => {
    const { authorizeUrl, cookie } = await begin(await newAdminKey(), routing);
    const path = await decide(authorizeUrl, newPerson(...words));
    const query = new URLSearchParams(path.split('?')[1]);
    for (const [name, value] of Object.entries<string | null>(changes)) {
      if (value === null) query.delete(name);
      else query.set(name, value);
    }
    const answer = await comeBack(`/cal/oauth/callback?${query.toString()}`, cookie);
    expect(endOf(answer)).toEqual([302, 'denied', reason]);
    // Of what the provider has said nothing is told on.
    const told = `${baseUrl}/done?x=1&cal=denied&cal_reason=${reason}`;
    expect(answer.headers.get('location')).toBe(told);
  });

  it('asks again what its caller may do', async () => {
    const key = await newKey(['ADMIN']);
    const account = String(own.account_id);
    const user = await newEmailUser(db, { [own.account_id]: ['ADMIN'] });
    const losses = [
      [key, `UPDATE api_keys SET revoked_at = now() WHERE key_id = '${key.slice(0, 20)}'`],
      [
        user.token,
        `UPDATE memberships SET roles = '{MEMBER}'
         WHERE poly_user_id = '${user.polyUserId}'`,
      ],
    ] as const;
    for (const [token, loss] of losses) {
      const { authorizeUrl, cookie } = await begin(token, { ...routing, account_id: account });
      const path = await decide(authorizeUrl, newPerson());
      expect((await db.query(loss)).rowCount).toBe(1);
      expect(endOf(await comeBack(path, cookie))).toEqual([302, 'denied', 'role_required']);
    }
  });

  it('leaves a calendar where it is connected', async () => {
    const person = newPerson();
    const other = await newAccount('cal-other');
    expect(endOf(await connect(own.api_key, routing, person))).toEqual([302, 'connected', null]);
    const elsewhere = { ...routing, account_id: String(other.account_id) };
    expect(endOf(await connect(other.api_key, elsewhere, person))).toEqual([
      302,
      'denied',
      'connected_elsewhere',
    ]);
    // Of one's own it is the same again, with a token or without: the earlier one is kept.
    const before = (await rowsOf(own.account_id)).length;
    expect(endOf(await connect(own.api_key, routing, person))).toEqual([302, 'connected', null]);
    expect((await rowsOf(own.account_id)).length).toBe(before);
    // For another purpose it is another connection, of one person.
    const organizer = { ...routing, intent: 'organizer' };
    const { session_token: member } = own.member;
    const { session_token: admin } = own.admin;
    expect(endOf(await connect(member, organizer, person))).toEqual([302, 'connected', null]);
    expect(endOf(await connect(admin, organizer, person))).toEqual([
      302,
      'denied',
      'connected_elsewhere',
    ]);
  });

  it('is pending while the provider is slow, and ends by itself', async () => {
    const account = await newAccount('cal-slow');
    const query = { intent: 'routing', return_to: '/done' };
    const [busy, away] = await Promise.all([
      connect(account.api_key, query, newPerson('busy')),
      connect(account.api_key, query, newPerson('away')),
    ]);
    // One that was busy for a second may have been waited for.
    expect(['connected', 'pending']).toContain(endOf(busy)[1]);
    expect(endOf(away)).toEqual([302, 'pending', null]);
    await eventually('the connection', async () => {
      const rows = await rowsOf(account.account_id);
      return rows.length === 1;
    });
  });
});

describe('calendar.routingAddresses', () => {
  it('shows shared ones to a POLYADMIN alone, a page at a time', async () => {
    const account = await newAccount('cal-shared');
    const { token } = await newEmailUser(db, { [account.account_id]: ['POLYADMIN'] });
    const id = String(account.account_id);
    const person = newPerson();
    const shared = { intent: 'routing', shared: 'true', account_id: id, return_to: '/done' };
    expect(endOf(await connect(token, shared, person))).toEqual([302, 'connected', null]);
    const mine = { intent: 'routing', account_id: id, return_to: '/done' };
    expect(endOf(await connect(account.api_key, mine))).toEqual([302, 'connected', null]);
    const list = async (by: string, rest = '') =>
      call('GET', `/cal/routing-addresses?account_id=${id}${rest}`, { token: by });
    const whole = await list(token, '&page_size=100');
    const items = whole.body['items'] as { shared: boolean; address: string }[];
    expect(items[0]).toMatchObject({ shared: false, account_id: account.account_id });
    expect(items.filter(({ address }) => address.startsWith(person))).toMatchObject([
      { shared: true, account_id: null },
    ]);
    const own = await list(account.api_key);
    expect(own.body).toMatchObject({ total: 1, items: [{ shared: false }] });
    expect((await list(token, '&page_size=1')).body).toMatchObject({ page_size: 1, page: 1 });
    // What is nobody's is told to nobody.
    const events = await call('GET', '/v2/events?types=calendar.connected', {
      token: account.api_key,
    });
    expect(events.body['items']).toHaveLength(1);
    const query = '?page=0';
    expect((await call('GET', `/cal/routing-addresses${query}`, { token })).status).toBe(422);
  });
});
