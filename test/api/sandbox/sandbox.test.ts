import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '../../../api/http/auth/credentials/api-key.ts';
import { newApiKey, type Seed } from '../../../cli/data-directory/seed.ts';
import { addApiKey } from '../../../db/queries/seeding.ts';
import type { Role } from '../../../domain/names.ts';
import { eventTypes } from '../../../workflows/events.ts';
import { beginSession, call, type Answer, type Session } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code'] ?? body['status']];
let account: Seed;
let token: string;

async function newTestKey(accountId: number, roles: readonly Role[] = ['MEMBER']) {
  const { id, key } = newApiKey('test');
  await addApiKey(db, [id, accountId, 'test', hashApiKey(key), roles, false, new Date()]);
  return key;
}
async function newLink(livemode = false): Promise<string> {
  const made = await call('PUT', `/v2/link/${account.app_id}`, {
    token,
    body: { required_proofs: ['phone'] },
  });
  const link = String(made.body['link_uuid']);
  if (livemode) await db.query('UPDATE links SET livemode = true WHERE link_uuid = $1', [link]);
  return link;
}
const post = (what: string, body: unknown, as = token, key?: string): Promise<Answer> =>
  call('POST', `/v2/sandbox/${what}`, {
    token: as,
    body,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  });
const advance = (link_session_id: string, seconds: unknown, as?: string, key?: string) =>
  post('advance', { link_session_id, seconds }, as, key);

beforeAll(async () => {
  account = await newAccount(`sandbox-${process.pid}`);
  await db.query('UPDATE apps SET livemode = false WHERE app_id = $1', [account.app_id]);
  token = await newTestKey(account.account_id);
});
afterAll(() => db.end());

describe('sandbox.advance', () => {
  it('abandons an idle session at its timeout and not earlier', async () => {
    const session = await beginSession(await newLink());
    await session.lead('open');
    expect(outcome(await advance(session.id, 1_700))).toEqual([200, 'opened']);
    // A step resets the idle time.
    await session.lead('pair');
    expect(outcome(await advance(session.id, 1_700))).toEqual([200, 'paired']);
    const over = await advance(session.id, 100);
    expect(over.body).toMatchObject({ status: 'abandoned', reason_code: 'idle_timeout' });
    expect(outcome(await advance(session.id, 1))).toEqual([409, 'invalid_state']);
    const { body } = await call('GET', `/v2/trust-checks/${session.id}/events`, { token });
    const items = body['items'] as { type: string; livemode: boolean }[];
    expect(items.at(-1)).toMatchObject({ type: 'trust_check.abandoned', livemode: false });
  });

  it('expires an unopened session after three days, and abandons an opened one when idle', async () => {
    const unopened = await beginSession(await newLink());
    expect(outcome(await advance(unopened.id, 72 * 3600 - 60))).toEqual([200, 'created']);
    await unopened.lead('open');
    expect(outcome(await advance(unopened.id, 60))).toEqual([200, 'opened']);
    const opened: Session[] = [unopened, await beginSession(await newLink())];
    const [, other] = opened;
    for (const { id } of opened) {
      const ended = await advance(id, 72 * 3600);
      const how = id === other?.id ? ['expired', 'deadline'] : ['abandoned', 'idle_timeout'];
      expect([ended.body['status'], ended.body['reason_code']]).toEqual(how);
    }
  });

  it('advances once per idempotency key', async () => {
    const session = await beginSession(await newLink());
    await session.lead('open');
    for (let time = 0; time < 3; time += 1) {
      const key = `once-${session.id}`;
      expect(outcome(await advance(session.id, 1_000, token, key))).toEqual([200, 'opened']);
    }
    const other = await advance(session.id, 1_001, token, `once-${session.id}`);
    expect(outcome(other)).toEqual([409, 'idempotency_mismatch']);
  });

  it('requires a test key and a test session', async () => {
    const { id } = await beginSession(await newLink());
    const live = await beginSession(await newLink(true));
    const viewer = await newTestKey(account.account_id, ['VIEWER']);
    const stranger = await newTestKey(own.account_id, ['ADMIN']);
    const refused = [
      [await advance(id, 60, account.api_key), 403, 'test_key_required'],
      [await advance(id, 60, account.admin.session_token), 403, 'test_key_required'],
      [await advance(live.id, 60), 404, 'not_found'],
      [await advance(id, 60, viewer), 403, 'role_required'],
      [await advance(id, 60, stranger), 404, 'not_found'],
      [await advance('tc_none', 60), 404, 'not_found'],
    ] as const;
    for (const [answer, status, code] of refused) expect(outcome(answer)).toEqual([status, code]);
    for (const seconds of [0, -1, 1.5, '60', 2_592_001, null]) {
      expect((await advance(id, seconds)).status, String(seconds)).toBe(422);
    }
  });
});

describe('sandbox.event', () => {
  const eventsOf = async (stream: string): Promise<Record<string, unknown>[]> => {
    const { body } = await call('GET', `/v2/events?limit=500&stream=${stream}`, { token });
    return body['items'] as Record<string, unknown>[];
  };

  const streamOf = (objectId: string): string => `sandbox:${account.account_id}:${objectId}`;

  it.each(eventTypes)('creates %s of a sample object', async (type) => {
    const made = await post('events', { type });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ type, livemode: false, account_id: account.account_id });
    expect(made.body['stream']).toBe(streamOf(String(made.body['object_id'])));
    const read = await call('GET', `/v2/events/${String(made.body['event_id'])}`, { token });
    expect(read.body).toEqual(made.body);
  });

  it('counts the events of a sample per account, starting at 1', async () => {
    const accounts = [
      await newAccount(`one-${process.pid}`),
      await newAccount(`two-${process.pid}`),
    ];
    const made = [];
    for (const { account_id } of [...accounts, ...accounts]) {
      const { body } = await post('events', { type: 'link.deleted' }, await newTestKey(account_id));
      made.push([body['stream'], body['sequence']]);
    }
    const [one, two] = accounts.map(({ account_id }) => `sandbox:${account_id}:link_sample`);
    expect(made).toEqual([
      [one, 1],
      [two, 1],
      [one, 2],
      [two, 2],
    ]);
  });

  it('uses the given object in the event’s state, outside the object’s own stream', async () => {
    const link = await newLink();
    const { id } = await beginSession(link);
    const stream = await eventsOf(`trust-check:${id}`);
    const passed = await post('events', { type: 'trust_check.passed', object_id: id });
    expect(passed.body).toMatchObject({
      app_id: account.app_id,
      object_id: id,
      stream: streamOf(id),
      data: { object: { link_session_id: id, link_uuid: link, status: 'passed' } },
    });
    expect(await eventsOf(`trust-check:${id}`)).toEqual(stream);
    expect(await eventsOf(streamOf(id))).toEqual([passed.body]);
    expect((await eventsOf(`account:${account.account_id}`)).at(-1)?.['event_id']).toBe(
      passed.body['event_id'],
    );
    const expired = await post('events', { type: 'link.expired', object_id: link });
    expect(expired.body).toMatchObject({
      data: { object: { link_uuid: link, status: 'expired' } },
    });
    expect((await call('GET', `/v2/raw/${link}`, { token })).body['status']).toBe('active');
  });

  it('is delivered to matching webhooks, once per idempotency key', async () => {
    const path = `/v2/accounts/${account.account_id}/webhook-endpoints`;
    const admin = { token: account.api_key };
    const body = { url: 'http://127.0.0.1:9/', types: ['affidavit.available'], livemode: false };
    const endpoint = await call('POST', path, { ...admin, body });
    const events = [];
    for (let time = 0; time < 3; time += 1) {
      events.push(await post('events', { type: 'affidavit.available' }, token, 'one-event'));
    }
    const [event] = events;
    expect(new Set(events.map(({ body: { event_id } }) => event_id)).size).toBe(1);
    const at = `${path}/${String(endpoint.body['endpoint_id'])}`;
    const deliveries = await call('GET', `${at}/deliveries`, admin);
    expect(deliveries.body['items']).toEqual([
      expect.objectContaining({ event_id: event?.body['event_id'] }),
    ]);
    await call('DELETE', at, admin);
  });

  it('requires a test key and test objects', async () => {
    const type = 'link.created';
    const object_id = await newLink();
    const { id: session } = await beginSession(object_id);
    const live = await newLink(true);
    const deleted = await newLink();
    await call('DELETE', `/v2/${deleted}`, { token });
    const stranger = await newTestKey(own.account_id, ['ADMIN']);
    const viewer = await newTestKey(account.account_id, ['VIEWER']);
    const refused = [
      [await post('events', { type }, account.api_key), 403, 'test_key_required'],
      [await post('events', { type }, account.admin.session_token), 403, 'test_key_required'],
      [await post('events', { type }, account.subject.session_token), 403, 'test_key_required'],
      [await post('events', { type, object_id: live }), 404, 'not_found'],
      [await post('events', { type }, viewer), 403, 'role_required'],
      [await post('events', { type, object_id }, stranger), 404, 'not_found'],
      [await post('events', { type, object_id: deleted }), 404, 'not_found'],
      [await post('events', { type, object_id: session }), 404, 'not_found'],
      [await post('events', { type: 'proof.updated', object_id }), 404, 'not_found'],
      [await post('events', { type: 'identity.merged', object_id }), 404, 'not_found'],
    ] as const;
    for (const [answer, status, code] of refused) expect(outcome(answer)).toEqual([status, code]);
    for (const body of [{}, { type: 'link.gone' }, { type: '' }, { type, object_id: '' }]) {
      expect((await post('events', body)).status).toBe(422);
    }
    const none = { type: 'link.created', object_id };
    const [one, two] = [
      await post('events', none, token, 'k'),
      await post('events', { type }, token, 'k'),
    ];
    expect([one.status, ...outcome(two)]).toEqual([201, 409, 'idempotency_mismatch']);
  });
});
