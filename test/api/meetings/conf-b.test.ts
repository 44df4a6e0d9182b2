import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { clientStateOf } from '../../../activities/meetings/platforms/conf-b.ts';
import { derivedId } from '../../../db/ids.ts';
import { meetingWorkflowId } from '../../../workflows/meeting/messages.ts';
import { call, type Answer, type CallOptions } from '../../support/http/client.ts';
import { newConfBMeeting } from '../../support/people/meetings.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';

const { own, databaseUrl, dataDir } = ownPlatform();
const db = openTestDb(databaseUrl);
const secret = loadKeys(`${dataDir}/keys`).secret('conf-b-client-state');
let api: SecondApi;
/** One API without Temporal server, one without database. */
let alone: SecondApi;
let bare: SecondApi;

beforeAll(async () => {
  const on = { CONF_B_EVENTS: 'on' };
  [api, alone, bare] = await Promise.all([
    startSecondApi(on),
    startSecondApi({ ...on, TEMPORAL_ADDRESS: '127.0.0.1:9' }),
    startSecondApi({ ...on, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing' }),
  ]);
});
afterAll(async () => {
  await Promise.all([api.stop(), alone.stop(), bare.stop(), db.end()]);
});

const at = '/v2/conf-b/event';
const outcome = ({ status, body }: Answer) => [status, body['code']];
const post = (body: unknown, options: CallOptions = {}) =>
  call('POST', at, { at: api.origin, body, ...options });

async function newMeeting(): Promise<{ key: string; id: string; clientState: string }> {
  const { key, id } = await newConfBMeeting(db);
  return { key, id, clientState: clientStateOf(secret, key) };
}

const get = (id: string) =>
  call('GET', `/v2/meeting/conf-b/${encodeURIComponent(id)}`, { token: own.api_key });
const roster = (member: 'joined' | 'exited', name: string, id = name) => ({
  eventType: 'Microsoft.Communication.CallRosterUpdate',
  eventDateTime: '2026-01-02T03:04:05Z',
  [`activeParticipants@${member}`]: [
    { Id: 'x', Identity: { User: { Id: id, DisplayName: name } } },
  ],
});

describe('meetings.eventHook', () => {
  it('updates a meeting from the notifications of the platform, each once', async () => {
    const { id, clientState } = await newMeeting();
    const joined = { id: `n-${id}`, clientState, resourceData: roster('joined', 'A guest') };
    const value = [
      { clientState, resourceData: { eventType: ' microsoft.communication.callStarted' } },
      joined,
      joined,
    ];
    for (const each of [{ value }, { value }]) expect((await post(each)).status).toBe(202);
    const here = await eventually('the guest', async () => {
      const { body } = await get(id);
      return body['participant_count'] === 1 && body;
    });
    expect(here).toMatchObject({
      status: 'live',
      participants: [{ display_name: 'A guest', joined_at: '2026-01-02T03:04:05.000Z' }],
    });
    const gone = { clientState, resourceData: roster('exited', 'A guest') };
    const ended = {
      clientState,
      resourceData: { EventType: 'Microsoft.Communication.CallEnded' },
    };
    expect((await post({ value: [gone] })).status).toBe(202);
    await eventually('the leaving', async () => {
      const [guest] = (await get(id)).body['participants'] as { status: string }[];
      return guest?.status === 'left';
    });
    expect((await post({ value: [ended] })).status).toBe(202);
    await eventually('the end', async () => (await get(id)).body['status'] === 'ended');
  });

  it('stores nothing about a meeting that has ended', async () => {
    const { key, id, clientState } = await newMeeting();
    const tell = (resourceData: unknown) => post({ value: [{ clientState, resourceData }] });
    await tell({ eventType: 'Microsoft.Communication.CallStarted' });
    await tell({ eventType: 'Microsoft.Communication.CallEnded' });
    await eventually('the end', async () => (await get(id)).body['status'] === 'ended');
    const client = await connectClient();
    await client.workflow.getHandle(meetingWorkflowId('conf-b', key)).result();
    await client.connection.close();
    expect((await tell(roster('joined', 'A late guest'))).status).toBe(202);
    const kept = await eventually('the relay', async () => {
      const { rows } = await db.query<Record<string, unknown>>(
        `SELECT awaits_signal, taken_at IS NOT NULL AS is_taken, body_sealed FROM webhook_inbox
         WHERE meeting_key = $1 ORDER BY received_at`,
        [key],
      );
      return rows.every(({ awaits_signal }) => !awaits_signal) && rows;
    });
    const gone = { awaits_signal: false, body_sealed: null };
    expect(kept).toEqual([true, true, false].map((is_taken) => ({ ...gone, is_taken })));
  });

  it('gives the same answer for a forged clientState and stores nothing', async () => {
    const { key, clientState } = await newMeeting();
    const other = await newMeeting();
    const resourceData = { eventType: 'Microsoft.Communication.CallStarted' };
    const wrong = [
      undefined,
      null,
      '',
      key,
      `${clientState.slice(0, -2)}AA`,
      `${other.key}.${clientState.split('.')[1] ?? ''}`,
      `${clientState}.x`,
      { toString: 'x' },
      ['x'],
      clientStateOf(secret, derivedId('mt', 'no such meeting')),
    ];
    for (const each of wrong) {
      const answer = await post({ value: [{ clientState: each, resourceData }] });
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
    const { rows } = await db.query('SELECT 1 FROM webhook_inbox WHERE meeting_key = ANY ($1)', [
      [key, other.key],
    ]);
    expect(rows).toEqual([]);
  });

  it('accepts an empty batch and rejects malformed ones', async () => {
    for (const raw of ['', 'null']) {
      expect((await post(undefined, { raw })).status, raw).toBe(202);
    }
    expect((await post({ value: [] })).status).toBe(202);
    for (const raw of ['{', '[]', '{}', '1', '{"value":{}}', '{"value":[1]}', '"x"']) {
      expect((await post(undefined, { raw })).status, raw).toBe(422);
    }
    const many = { value: Array.from({ length: 1001 }, () => ({})) };
    expect((await post(many)).status).toBe(422);
    expect((await post(undefined, { raw: 'x'.repeat(256 * 1024 + 1) })).status).toBe(413);
  });

  it('ignores unknown and malformed notifications', async () => {
    const { id, clientState } = await newMeeting();
    const strange = [
      {},
      null,
      'x',
      { eventType: 7 },
      { eventType: 'Microsoft.Communication.CallRosterUpdate', 'activeParticipants@joined': 'x' },
      {
        eventType: 'Microsoft.Communication.CallRosterUpdate',
        'activeParticipants@joined': [null, 7, {}, { Identity: null }, { Id: '' }],
        eventDateTime: 'yesterday',
      },
    ];
    const value = strange.map((resourceData) => ({ clientState, resourceData }));
    expect((await post({ value })).status).toBe(202);
    const begun = { eventType: 'Microsoft.Communication.CallStarted' };
    await post({ value: [{ clientState, resourceData: begun }] });
    const live = await eventually('a live one', async () => {
      const { body } = await get(id);
      return body['status'] === 'live' && body;
    });
    expect(live['participants']).toEqual([]);
  });

  it('returns 202 without the Temporal server, and 503 without the database', async () => {
    const { id, clientState } = await newMeeting();
    const resourceData = { eventType: 'Microsoft.Communication.CallStarted' };
    const body = { value: [{ clientState, resourceData }] };
    expect((await post(body, { at: alone.origin })).status).toBe(202);
    await eventually('a live one', async () => (await get(id)).body['status'] === 'live');
    expect(outcome(await post(body, { at: bare.origin }))).toEqual([503, 'dependency_unavailable']);
  });
});

describe('the subscription handshake', () => {
  const ask = (method: string, query: string, options: CallOptions = {}) =>
    call(method, `${at}${query}`, { at: api.origin, ...options });

  it.each(['GET', 'POST'])('returns the validation token as plain text (%s)', async (method) => {
    const tokens: [string, string][] = [
      ['Validation%3a+Testing+client+request', 'Validation: Testing client request'],
      ['a%2Bb', 'a+b'],
      ['x'.repeat(1024), 'x'.repeat(1024)],
    ];
    for (const [spelled, token] of tokens) {
      const raw = method === 'POST' ? { raw: '', headers: { 'content-type': 'text/plain' } } : {};
      const answer = await ask(method, `?validationToken=${spelled}`, raw);
      expect([answer.status, answer.text]).toEqual([200, token]);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  it.each(['GET', 'POST'])('returns 422 for a malformed token (%s)', async (method) => {
    for (const query of [
      'validationToken=',
      'validationToken=%3Cscript%3Ealert(1)%3C/script%3E',
      'validationToken=a%0d%0ab',
      'validationToken=%00',
      'validationToken=%C3%A4',
      `validationToken=${'x'.repeat(3000)}`,
      'validationToken=a&validationToken=b',
    ]) {
      const answer = await ask(method, `?${query}`);
      expect(answer.status, query).toBe(422);
      expect(answer.text, query).not.toMatch(/<script|\r/);
    }
  });

  it.each([
    ['GET', 200],
    ['POST', 202],
  ] as const)('ignores parameters with other names (%s)', async (method, status) => {
    const answer = await ask(method, '?validationToken[]=a');
    expect([answer.status, answer.text]).toEqual([status, '']);
  });

  it.each(['GET', 'POST'])('is answered even if events are not configured (%s)', async (method) => {
    const answer = await call(method, `${at}?validationToken=a-token`);
    expect([answer.status, answer.text]).toEqual([200, 'a-token']);
  });

  it('without a token returns an empty text', async () => {
    const answer = await ask('GET', '');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});

describe('the other hooks of platform B', () => {
  it('return 200 for a loaded page without authentication', async () => {
    const loaded = await call('POST', '/v2/conf-b/loaded', { at: api.origin, raw: 'x' });
    expect([loaded.status, loaded.text]).toEqual([200, '']);
  });

  it('return 409 if the platform is not configured', async () => {
    const codes = [
      await call('POST', at, { body: null }),
      await call('POST', '/v2/conf-b/loaded'),
      await call('POST', '/v2/conf-b/bot', { body: { type: 'message' } }),
      await call('POST', '/v2/conf-b/redirect', { token: own.api_key, body: {} }),
      await call('POST', '/v2/conf-b/bot', { at: api.origin, body: { type: 'message' } }),
    ].map(outcome);
    expect(codes).toEqual(Array.from({ length: 5 }, () => [409, 'platform_not_configured']));
  });
});
