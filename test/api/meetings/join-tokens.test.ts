import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/http/client.ts';
import {
  join,
  meetingOnce,
  newMeetingLink,
  play,
  started,
  tokenOf,
  verifiedGuest,
} from '../../support/people/meetings.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connect, endSockets, farewell, follow, subscribe } from '../events/connect.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let live: SecondApi;

beforeAll(async () => {
  live = await startSecondApi({}, {}, { recheckMs: 300 });
});
afterAll(async () => {
  await live.stop();
  await db.end();
});
endSockets();

const notFound = { ok: false, code: 'not_found' };
const revoke = (id: string) =>
  call('POST', `/v2/trust-checks/${id}/revoke`, { token: own.api_key });

describe('a join token on the stream of a meeting', () => {
  it('gives no access before the join session is ready', async () => {
    const link = await newMeetingLink();
    const host = await started(link);
    const made = await join(link);
    expect(made.body).toMatchObject({ status: 'created', socket: { room: null } });
    const socket = await connect(tokenOf(made));
    expect(await subscribe(socket, { stream: host.socket.stream })).toEqual(notFound);
  });

  it(
    'hides identities, and loses access when the check is revoked',
    { timeout: 60_000 },
    async () => {
      const link = await newMeetingLink();
      const host = await started(link);
      const { stream } = host.socket;
      const { token, check } = await verifiedGuest(link);
      const socket = await connect(token, { at: live.origin });
      const seen = follow(socket);
      const bye = farewell(socket);
      expect(await subscribe(socket, { stream })).toMatchObject({ ok: true });
      await play(host, { kind: 'joined' }, token);
      await meetingOnce(host, 'the guest', ({ verified_count: count }) => count === 1);
      const types = () => seen.map(({ type }) => type);
      await eventually('the guest', async () => types().includes('meeting.participant_joined'));
      const text = JSON.stringify(seen);
      expect(text).toContain('"participant_id"');
      expect(text).not.toContain(check.id);
      expect(text).not.toContain(`"poly_user_id":"`);
      const pulled = await call('GET', `/v2/events?stream=${stream}`, { token: own.api_key });
      expect(pulled.text).toContain(check.id);
      await revoke(check.id);
      await eventually('goodbye', async () => bye.code);
      expect(bye.code).toBe('revoked');
      const again = await connect(token);
      expect(await subscribe(again, { stream })).toEqual(notFound);
    },
  );

  it(
    'gives no access to a meeting that ended before the person joined',
    { timeout: 60_000 },
    async () => {
      const link = await newMeetingLink();
      const first = await started(link);
      await play(first, { kind: 'ended' });
      await meetingOnce(first, 'the end', ({ status }) => status === 'ended');
      const { token } = await verifiedGuest(link);
      const socket = await connect(token);
      expect(await subscribe(socket, { stream: first.socket.stream })).toEqual(notFound);
      const next = await started(link);
      const { stream } = next.socket;
      expect(await subscribe(socket, { stream })).toMatchObject({ ok: true });
    },
  );
});

it('a join session can be used for one meeting after another', { timeout: 60_000 }, async () => {
  const link = await newMeetingLink();
  const guest = await verifiedGuest(link);
  const ids = [];
  for (let round = 0; round < 3; round += 1) {
    const host = await started(link);
    const entered = await started(link, { join_session_id: guest.id });
    expect((await play(host, { kind: 'joined' }, guest.token)).status).toBe(202);
    await meetingOnce(host, 'the guest', ({ verified_count: count }) => count === 1);
    ids.push(entered.participant_id);
    await play(host, { kind: 'ended' });
    await meetingOnce(host, 'the end', ({ status }) => status === 'ended');
    // It leads neither into a meeting that is over nor from its URL to another one.
    const late = await play(host, { kind: 'joined' }, guest.token);
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
    const find = 'SELECT count(*)::int AS meetings FROM meetings WHERE link_uuid = $1';
    expect((await db.query(find, [link])).rows).toEqual([{ meetings: round + 1 }]);
  }
  expect(new Set(ids).size).toBe(3);
});

describe('a join session', () => {
  const state = (link: string, token: string) =>
    call('GET', `/v2/join/session?link_uuid=${link}`, { token });
  const begin = (link_uuid: string, join_token: string) =>
    call('POST', '/v2/trust-checks', { body: { link_uuid, client: 'web', join_token } });
  const checksOf = async (link: string): Promise<unknown[]> => {
    const find = 'SELECT link_session_id FROM trust_checks WHERE link_uuid = $1';
    return (await db.query(find, [link])).rows;
  };

  it('is denied after its person was removed', { timeout: 60_000 }, async () => {
    const link = await newMeetingLink();
    const host = await started(link);
    const { id, token } = await verifiedGuest(link);
    const { participant_id } = await started(link, { join_session_id: id });
    await play(host, { kind: 'joined', participant_id });
    await meetingOnce(host, 'the guest', ({ verified_count: count }) => count === 1);
    await play(host, { kind: 'removed', participant_id });
    const denied = await eventually('the removal', async () => {
      const { body } = await state(link, token);
      return body['status'] === 'denied' && body;
    });
    expect(denied).toMatchObject({ join_url: null, socket: { room: null } });
  });

  it('that expired unclaimed is not revived, and creates no check', async () => {
    const link = await newMeetingLink();
    const token = tokenOf(await join(link));
    await db.query('UPDATE join_sessions SET expires_at = now() WHERE link_uuid = $1', [link]);
    const refused = await begin(link, token);
    expect([refused.status, refused.body['code']]).toEqual([409, 'invalid_state']);
    expect((await state(link, token)).body['status']).toBe('expired');
    expect(await checksOf(link)).toEqual([]);
  });

  it('cannot begin a second check', async () => {
    const link = await newMeetingLink();
    const token = tokenOf(await join(link));
    expect((await begin(link, token)).status).toBe(201);
    const refused = await begin(link, token);
    expect([refused.status, refused.body['code']]).toEqual([409, 'invalid_state']);
    expect((await checksOf(link)).length).toBe(1);
  });
});
