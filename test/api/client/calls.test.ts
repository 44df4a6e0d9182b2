import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ConnectionError,
  createClient,
  type AnswerFacts,
  type ApiError,
  type Client,
  type ClientOptions,
} from '../../../client/index.ts';
import { browserOf } from '../../support/http/browser-keys.ts';
import { beginSession, newLink } from '../../support/http/client.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi } from '../../support/platform/second-api.ts';
import { openGate, type Act } from '../../support/stand-ins/gate.ts';

const { baseUrl, own } = ownPlatform();
const { app_id, account_id } = own;
const nowMs = Date.UTC(2026, 0, 1);
const gate = await openGate(baseUrl);
let waits: number[] = [];
let answers: AnswerFacts[] = [];

afterAll(() => gate.stop());
beforeEach(() => {
  [waits, answers] = [[], []];
});

it.each(['nonsense', '', 'ftp://example.test', '//example.test'])(
  'a client is not created for the base URL %j',
  (base) => {
    expect(() => createClient({ baseUrl: base })).toThrow(TypeError);
  },
);

/** Returns a client behind the gate. Its waits are recorded and take no time. */
function clientBehind(more: Partial<ClientOptions> = {}): Client {
  return createClient({
    baseUrl: gate.url,
    token: own.api_key,
    onAnswer: (facts) => void answers.push(facts),
    ...more,
    deps: {
      nowMs: () => nowMs,
      random: () => 0.5,
      wait: async (ms) => void waits.push(ms),
      ...more.deps,
    },
  });
}

type Fault = Error & Partial<Omit<ApiError, 'name'> & Omit<ConnectionError, 'name'>>;

/** Returns the fault of a call; throws if the call succeeds. */
async function faultOf(call: Promise<unknown>): Promise<Fault> {
  const fault = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (fault instanceof Error) return fault;
  throw new Error('the call succeeded');
}

/** Returns the calls that passed the gate during `work`. */
async function callsOf(work: () => Promise<unknown>) {
  const before = gate.calls.length;
  await work();
  return gate.calls.slice(before);
}

const create = (client: Client, reference: string) =>
  client.links.create({ app_id, body: { required_proofs: ['phone'], reference_id: reference } });

async function linksNamed(reference: string): Promise<number> {
  const client = createClient({ baseUrl, token: own.api_key });
  return (await client.links.list({ account_id, app_id, search: reference })).total;
}

const inProgress = JSON.stringify({ code: 'idempotency_in_progress', detail: 'still' });
const json = { 'content-type': 'application/problem+json' };

describe('a call that is refused temporarily', () => {
  // Each wait includes half of the random backoff: 250 ms, 500 ms, and so on.
  it.each<[string, Act, number]>([
    ['429 with seconds', { status: 429, headers: { 'retry-after': '3' } }, 3_125],
    ['503 with seconds', { status: 503, headers: { 'retry-after': '20' } }, 20_125],
    [
      '503 with a date',
      { status: 503, headers: { 'retry-after': new Date(nowMs + 5_000).toUTCString() } },
      5_125,
    ],
    [
      '503 with a date that is over',
      { status: 503, headers: { 'retry-after': new Date(nowMs - 5_000).toUTCString() } },
      125,
    ],
    ['503 with nothing', { status: 503 }, 125],
    ['502 of a proxy whose API was killed', { status: 502 }, 125],
    ['504 of a proxy whose API is silent', { status: 504 }, 125],
    ['503 with nonsense', { status: 503, headers: { 'retry-after': '-7' } }, 125],
    [
      '409 while its first attempt runs',
      { status: 409, headers: { ...json, 'retry-after': '1' }, body: inProgress },
      1_125,
    ],
  ])('by %s is repeated under the same idempotency key', async (what, act, waitMs) => {
    const reference = `refused-${process.pid}-${what.replaceAll(' ', '-')}`;
    gate.next(act, { status: 503 });
    const calls = await callsOf(() => create(clientBehind(), reference));
    expect(waits).toEqual([waitMs, 250]);
    const keys = calls.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(answers.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(await linksNamed(reference)).toBe(1);
  });

  it('fails after the configured number of repeats', async () => {
    gate.next({ status: 503 }, { status: 503 }, { status: 503 });
    const client = clientBehind({ retries: { repeatsMax: 2 } });
    const calls = await callsOf(async () => {
      const fault = await faultOf(client.accounts.get({ account_id }));
      expect([fault.name, fault.status, fault.code]).toEqual(['ApiError', 503, 'unknown_answer']);
    });
    expect([calls.length, waits]).toEqual([3, [125, 250]]);
  });

  it('does not wait longer than the maximum, or at all if it may not be repeated', async () => {
    gate.next({ status: 503, headers: { 'retry-after': '21' } }, { status: 503 }, { status: 429 });
    const late = await faultOf(clientBehind().accounts.get({ account_id }));
    expect([late.retryAfterMs, waits]).toEqual([21_000, []]);
    const link_uuid = await newLink();
    const change = { app_id, link_uuid, body: { title: 'Another' } };
    // An update has no idempotency key, so a repeat could apply it twice.
    const calls = await callsOf(() => faultOf(clientBehind().links.update(change)));
    expect([calls.length, waits]).toEqual([1, []]);
    const once = await faultOf(create(clientBehind({ retries: { repeatsMax: 0 } }), 'none'));
    expect([once.status, waits]).toEqual([429, []]);
  });

  it.each([
    [{ repeatsMax: Infinity }],
    [{ repeatsMax: -1 }],
    [{ repeatsMax: 1.5 }],
    [{ waitMsMax: Infinity }],
    [{ baseMs: Number.NaN }],
  ])('rejects a retry policy without bounds: %o', async (retries) => {
    const call = clientBehind({ retries }).accounts.get({ account_id });
    await expect(call).rejects.toThrow(RangeError);
  });

  it('by a rate limit of the service fails with the time until its reset', async () => {
    const session = await beginSession(await newLink());
    for (let sent = 0; sent < 20; sent += 1) await session.step('phone/code', {});
    const { token } = session;
    const browserKey = browserOf(token);
    if (!browserKey) throw new Error('the token is bound to no browser');
    const client = clientBehind({ baseUrl, token, browserKey });
    const body = { phone_number: '+4915112345678' };
    const fault = await faultOf(client.trustChecks.sendCode({ id: session.id, body }));
    expect([fault.status, fault.code]).toEqual([429, 'rate_limited']);
    expect(fault.retryAfterMs).toBeGreaterThan(20_000);
    expect([answers.length, waits]).toEqual([1, []]);
  });

  it('by a service without its database is repeated only under a key', async () => {
    const session = await beginSession(await newLink());
    const api = await startSecondApi({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing' });
    try {
      const client = clientBehind({
        baseUrl: api.origin,
        token: own.api_key,
        retries: { repeatsMax: 1 },
      });
      const away = { name: 'ApiError', status: 503, code: 'dependency_unavailable' };
      expect(await faultOf(client.trustChecks.revoke({ id: session.id }))).toMatchObject(away);
      expect(waits).toEqual([]);
      const fault = await faultOf(client.trustChecks.cancel({ id: session.id, body: {} }));
      expect(fault).toMatchObject(away);
      expect(fault.retryAfterMs).toBeGreaterThan(0);
      expect(waits).toEqual([(fault.retryAfterMs ?? 0) + 125]);
    } finally {
      await api.stop();
    }
    expect((await session.get()).body['status']).toBe('created');
  });
});

describe('a call without an answer', () => {
  it.each(['refuse', 'lose', 'cut'] as const)('takes effect once after %s', async (act) => {
    const reference = `lost-${process.pid}-${act}`;
    gate.next(act);
    const link = await create(clientBehind(), reference);
    const replayed = answers.at(-1)?.headers.get('idempotent-replayed') ?? null;
    expect([replayed, waits]).toEqual([act === 'refuse' ? null : 'true', [125]]);
    expect(await linksNamed(reference)).toBe(1);
    const read = await clientBehind().links.raw({ link_uuid: link.link_uuid });
    expect(read.reference_id).toBe(reference);
  });

  it('is not repeated if the repeat could take effect twice', async () => {
    const link_uuid = await newLink();
    gate.next('lose');
    const update = { app_id, link_uuid, body: { title: 'Once' } };
    const calls = await callsOf(async () => {
      const fault = await faultOf(clientBehind().links.update(update));
      expect(fault).toBeInstanceOf(ConnectionError);
      expect([fault.attempts, fault.message]).toEqual([1, 'no answer after 1 attempt']);
    });
    expect(calls).toHaveLength(1);
  });

  it('times out and reports the cause', async () => {
    const silent = await openGate(baseUrl);
    silent.next('hang');
    const behind = clientBehind({ baseUrl: silent.url, timeoutMs: 30, retries: { repeatsMax: 0 } });
    const fault = await faultOf(behind.accounts.get({ account_id }));
    await silent.stop();
    expect(fault).toBeInstanceOf(ConnectionError);
    expect(fault.cause).toMatchObject({ name: 'TimeoutError' });
    const nobody = clientBehind({ baseUrl: 'http://127.0.0.1:9' });
    const refused = await faultOf(nobody.accounts.get({ account_id }));
    expect([refused.name, refused.attempts]).toEqual(['ConnectionError', 5]);
    expect(waits).toEqual([125, 250, 500, 1_000]);
  });

  it.each<[string, Act]>([
    ['waits for an answer', 'hang'],
    ['waits to ask again', { status: 503, headers: { 'retry-after': '19' } }],
  ])('can be aborted by its caller while it %s', async (_what, act) => {
    const busy = await openGate(baseUrl);
    const stop = new AbortController();
    const reason = new Error('the reader left');
    const client = createClient({
      baseUrl: busy.url,
      token: own.api_key,
      onAnswer: () => stop.abort(reason),
    });
    busy.next(act);
    const fault = faultOf(client.accounts.get({ account_id }, { signal: stop.signal }));
    await eventually('the call', async () => busy.calls.length === 1);
    if (act === 'hang') stop.abort(reason);
    expect(await fault).toBe(reason);
    const never = client.accounts.get({ account_id }, { signal: stop.signal });
    expect(await faultOf(never)).toBe(reason);
    expect(busy.calls).toHaveLength(1);
    await busy.stop();
  });
});
