import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import type { CalendarConnectionRow } from '../../../db/queries/calendar-connections.ts';
import { calendarOAuthWorkflowId } from '../../../workflows/calendar-oauth/messages.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import {
  begin,
  comeBack,
  connect,
  decide,
  endOf,
  newPerson,
  tokenOf,
} from '../../support/people/calendar.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { newKey } from '../../support/people/samples.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';
import { calendarSettings } from '../../support/stand-ins/oauth/calendar-provider.ts';

const { own, baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const routing = { intent: 'routing', account_id: String(own.account_id), return_to: '/done?x=1' };
const outcome = ({ status, body }: Answer) => [status, body['code']];
/** Starts are rate-limited per caller, so each test has a key of its own. */
const newAdminKey = () => newKey(['ADMIN']);

/**
 * APIs without a calendar provider, with a clock eleven minutes ahead, and with a short timeout.
 */
let bare: SecondApi;
let late: SecondApi;
let hasty: SecondApi;
beforeAll(async () => {
  const ahead = { clock: () => new Date(Date.now() + 11 * 60_000) };
  const { authorizeUrl } = await begin(own.api_key, routing);
  const settings = calendarSettings({ url: new URL(authorizeUrl).origin });
  [bare, late, hasty] = await Promise.all([
    startSecondApi(),
    startSecondApi(settings, ahead),
    startSecondApi({ ...settings, TEMPORAL_CALL_SECONDS: '1' }),
  ]);
});
afterAll(() => Promise.all([bare, late, hasty].map((api) => api.stop()).concat(db.end())));

/** The audit row of a calendar after consent. */
const connectedBy = ({ api_key }: Seed, { connection_id }: CalendarConnectionRow) => ({
  action: 'calendar.connected',
  actor: api_key.slice(0, 20),
  object_id: connection_id,
  details: { to: { intent: 'routing' } },
});

async function rowsOf(accountId: number | null): Promise<CalendarConnectionRow[]> {
  const { rows } = await db.query<CalendarConnectionRow>(
    'SELECT * FROM calendar_connections WHERE account_id IS NOT DISTINCT FROM $1',
    [accountId],
  );
  return rows;
}

describe('calendar.callback', () => {
  it('connects the calendar and records it in events and audit log', async () => {
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
    // Token and address are stored encrypted, and the code is deleted.
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
    expect(await audited(account)).toMatchObject([connectedBy(account, row)]);
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
    // The workflow of the flow has ended; that of the connection is still running.
    const client = await connectClient();
    const handle = client.workflow.getHandle(calendarOAuthWorkflowId(row.flow_id));
    expect(await handle.result()).toEqual({ status: 'connected', reason: null });
    await client.connection.close();
  });

  it('can be completed once, by the browser that began the flow', async () => {
    const person = newPerson();
    const key = await newAdminKey();
    const first = await begin(key, routing);
    const path = await decide(first.authorizeUrl, person);
    // Another browser with the cookie of a flow of its own.
    const other = await begin(key, routing);
    expect(endOf(await comeBack(path, other.cookie))).toEqual([302, 'nonce_mismatch', null]);
    // The mismatch ended the flow for every browser.
    expect(outcome(await comeBack(path, first.cookie))).toEqual([401, 'credential_invalid']);
    const cookieless = await begin(key, routing);
    const back = await decide(cookieless.authorizeUrl, person);
    expect(endOf(await comeBack(back))).toEqual([302, 'nonce_mismatch', null]);
    expect(outcome(await comeBack(back, cookieless.cookie))).toEqual([401, 'credential_invalid']);
    // Of concurrent callbacks one succeeds.
    const twice = await begin(key, routing);
    const again = await decide(twice.authorizeUrl, person);
    const ends = await Promise.all([1, 2, 3].map(() => comeBack(again, twice.cookie)));
    expect(ends.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 401, 401]);
    // The same code is refused again in another valid flow.
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
  ])('returns 401 for %s, as a page for browsers', async (_, query) => {
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

  it('returns 422 for repeated and overlong parameters', async () => {
    for (const query of [
      'state=a&state=b',
      `code=${'x'.repeat(5000)}`,
      `iss=${'x'.repeat(3000)}`,
    ]) {
      expect((await comeBack(`/cal/oauth/callback?${query}`)).status, query).toBe(422);
    }
  });

  it('redirects with `expired` after the flow has expired', async () => {
    const { authorizeUrl, cookie } = await begin(own.api_key, routing);
    const path = await decide(authorizeUrl, newPerson());
    expect(endOf(await comeBack(path, cookie, late.origin))).toEqual([302, 'expired', null]);
    expect((await comeBack(path, cookie)).status).toBe(401);
  });

  it('returns 409 after the provider was removed from the settings', async () => {
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
    // The redirect contains nothing of the provider's answer.
    const told = `${baseUrl}/done?x=1&cal=denied&cal_reason=${reason}`;
    expect(answer.headers.get('location')).toBe(told);
  });

  it('checks the caller’s permissions again', async () => {
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

  it('does not move a calendar that another account has connected', async () => {
    const person = newPerson();
    const other = await newAccount('cal-other');
    expect(endOf(await connect(own.api_key, routing, person))).toEqual([302, 'connected', null]);
    const elsewhere = { ...routing, account_id: String(other.account_id) };
    expect(endOf(await connect(other.api_key, elsewhere, person))).toEqual([
      302,
      'denied',
      'connected_elsewhere',
    ]);
    // Connecting one's own calendar again keeps the earlier connection.
    const before = (await rowsOf(own.account_id)).length;
    expect(endOf(await connect(own.api_key, routing, person))).toEqual([302, 'connected', null]);
    expect((await rowsOf(own.account_id)).length).toBe(before);
    // A connection for another purpose belongs to one person.
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

  it('redirects with `pending` while the provider is slow, and the flow completes later', async () => {
    const account = await newAccount('cal-slow');
    const query = { intent: 'routing', return_to: '/done' };
    const [busy, away] = await Promise.all([
      connect(account.api_key, query, newPerson('busy')),
      connect(account.api_key, query, newPerson('away'), hasty.origin),
    ]);
    expect(endOf(busy)).toEqual([302, 'connected', null]);
    expect(endOf(away)).toEqual([302, 'pending', null]);
    await eventually('the connection', async () => {
      const rows = await rowsOf(account.account_id);
      return rows.length === 1;
    });
  });
});
