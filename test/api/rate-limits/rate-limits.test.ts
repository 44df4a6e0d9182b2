import { describe, expect, it } from 'vitest';
import { limitedFor } from '../../../api/rate-limits/limited.ts';
import {
  call,
  callingFrom,
  codeFor,
  newNumber,
  type Answer,
  type CallOptions,
} from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { testKey } from '../../support/people/meetings.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();
const path = '/v2/rate-limits';
interface Told {
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
  readonly window_seconds: number;
  readonly resets_at: string | null;
}
const limitsFor = async (token: string): Promise<Readonly<Record<string, Told>>> => {
  const { body } = await call('GET', path, { token });
  return Object.fromEntries((body['limits'] as Told[]).map((told) => [told.name, told]));
};

describe('rate-limits.get', () => {
  it('includes every limit that counts sessions and keys', () => {
    const counting = contracts.filter(
      ({ auth, limit }) =>
        limit?.by === 'caller' && (auth.includes('key') || auth.includes('session')),
    );
    const named = [...limitedFor('session'), ...limitedFor('api-key')].map(({ name }) => name);
    expect([...new Set(named)].toSorted()).toEqual(counting.map(({ id }) => id).toSorted());
    expect(counting.length).toBeGreaterThan(0);
  });

  it('returns the remaining calls as the RateLimit headers do', async () => {
    const account = await newAccount(`limits-${process.pid}-${Date.now()}`);
    const { app_id, api_key: token } = account;
    const before = await limitsFor(token);
    const fresh = { limit: 600, remaining: 600, window_seconds: 3600, resets_at: null };
    expect(before['links.send']).toEqual({ name: 'links.send', ...fresh });
    expect(Object.keys(before).toSorted()).toEqual([
      'calendar.start',
      'links.send',
      'links.ticket',
      'links.ticketOfLink',
      'meetings.connect',
      'meetings.redirect',
      'sms.day',
      'sms.hour',
    ]);
    const body = { send_to_email: 'limits@example.test', required_proofs: ['phone'] };
    const send = (): Promise<Answer> => call('POST', `/v2/link/send/${app_id}`, { token, body });
    await send();
    const second = await send();
    const after = await limitsFor(token);
    expect(String(after['links.send']?.remaining)).toBe(second.headers.get('ratelimit-remaining'));
    const resetsAt = Date.parse(after['links.send']?.resets_at ?? '');
    expect(resetsAt).toBeGreaterThan(Date.now());
    // The call itself counts against no limit.
    expect(await limitsFor(token)).toEqual(after);
    expect((await limitsFor(own.api_key))['sms.hour']?.limit).toBe(before['sms.hour']?.limit);
  });

  it('counts the codes of the account for every caller of it', async () => {
    const account = await newAccount(`codes-${process.pid}-${Date.now()}`);
    const { app_id, api_key: token } = account;
    const made = await call('PUT', `/v2/link/${app_id}`, {
      token,
      body: { required_proofs: ['phone'] },
    });
    const begin = { link_uuid: made.body['link_uuid'], client: 'web' };
    const { body } = await call('POST', '/v2/trust-checks', { body: begin });
    const step = (name: string, given: unknown) =>
      call('POST', `/v2/trust-checks/${String(body['link_session_id'])}/${name}`, {
        token: String(body['check_token']),
        body: given,
      });
    await step('open', {});
    await step('pair', {});
    await step('consent', { accepted: true, tos_version: '1', claims: [] });
    const number = newNumber();
    expect((await step('phone/code', { phone_number: number })).status).toBe(202);
    await codeFor(number);
    for (const as of [token, account.member.session_token]) {
      const { 'sms.hour': hour, 'sms.day': day } = await limitsFor(as);
      for (const told of [hour, day]) {
        expect((told?.limit ?? 0) - (told?.remaining ?? 0)).toBe(1);
        expect(told?.resets_at).not.toBeNull();
      }
    }
  });

  it('does not show a test key the codes of its account', async () => {
    const told = await limitsFor(await testKey());
    expect(Object.keys(told).filter((name) => name.startsWith('sms.'))).toEqual([]);
    expect(told['links.send']).toBeDefined();
  });

  it('counts tickets per caller, and per address for anonymous callers', async () => {
    const { app_id, api_key: token } = await newAccount(`tickets-${process.pid}-${Date.now()}`);
    const file = (options: CallOptions): Promise<Answer> =>
      call('POST', `/v2/ticket/${app_id}`, { body: {}, ...options });
    const left = (answer: Answer) => answer.headers.get('ratelimit-remaining');
    expect([
      left(await file({ token })),
      left(await file({})),
      left(await file({ token })),
    ]).toEqual(['19', '19', '18']);
    expect((await limitsFor(token))['links.ticket']).toMatchObject({ limit: 20, remaining: 18 });
    await callingFrom('10.200.1.9', async () => expect(left(await file({}))).toBe('19'));
  });

  it('returns fewer limits for a session without an account', async () => {
    const told = await limitsFor(own.subject.session_token);
    const named = limitedFor('session').map(({ name }) => name);
    expect(named).toEqual(expect.arrayContaining(['links.send', 'session.switchAccount']));
    expect(Object.keys(told)).toEqual(named);
    expect((await call('GET', path)).status).toBe(401);
  });
});
