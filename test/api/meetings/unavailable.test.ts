import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, withAffidavit, type Answer } from '../../support/http/client.ts';
import {
  getMeeting,
  meetingOnce,
  newMeetingLink,
  play,
  start,
  started,
  verifiedGuest,
} from '../../support/people/meetings.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';

const { own, databaseUrl } = ownPlatform();
const { api_key: token } = own;
let api: SecondApi;

beforeAll(async () => {
  // Nothing listens on port 9 (discard) of this machine.
  api = await startSecondApi({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
});
afterAll(() => api.stop());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const away = [503, 'dependency_unavailable'];

describe.concurrent('without the Temporal server', () => {
  it.each(['', 'conf-a/', 'conf-b/'])(
    'a meeting can be started later with the same request (%s)',
    async (prefix) => {
      const link = await newMeetingLink();
      const path = `/v2/${prefix}start/${link}`;
      const key = { 'idempotency-key': `away-${link}` };
      const refused = await call('POST', path, { at: api.origin, token, body: {}, headers: key });
      expect(outcome(refused)).toEqual(away);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const again = await start(link);
      expect([again.status, again.body['status']]).toEqual([200, 'live']);
    },
  );

  it('events of a platform are accepted and reach their meeting afterwards', async () => {
    const host = await started(await newMeetingLink());
    const path = `/v2/sandbox/meetings/${host.meeting_id}/events`;
    const body = { kind: 'joined', participant_id: host.participant_id };
    const taken = await call('POST', path, { at: api.origin, token, body });
    expect(taken.status).toBe(202);
    await meetingOnce(host, 'the host', ({ participant_count: count }) => count === 1);
  });

  it('a report is recorded and created when it is requested again', async () => {
    const host = await started(await newMeetingLink());
    await play(host, { kind: 'ended' });
    await meetingOnce(host, 'the end', ({ status }) => status === 'ended');
    const body = { platform: 'sandbox', meeting_id: host.meeting_id };
    const ask = (at?: string) =>
      call('POST', '/v2/reports/meeting', { token, body, ...(at ? { at } : {}) });
    expect(outcome(await ask(api.origin))).toEqual(away);
    await meetingOnce(host, 'the report', ({ status }) => {
      void ask();
      return status === 'reported';
    });
  });
});

it('a meeting with only its row written is started by a relay', async () => {
  const link = await newMeetingLink();
  const refused = await call('POST', `/v2/start/${link}`, { at: api.origin, token, body: {} });
  expect(outcome(refused)).toEqual(away);
  const db = openTestDb(databaseUrl);
  const find = `SELECT awaits_start FROM meetings WHERE link_uuid = $1`;
  try {
    await expect
      .poll(async () => (await db.query(find, [link])).rows, { timeout: 30_000, interval: 500 })
      .toEqual([{ awaits_start: false }]);
  } finally {
    await db.end();
  }
});

it('a participant with only the row written is verified by a retry', async () => {
  const link = await newMeetingLink();
  const host = await started(link);
  const guest = await verifiedGuest(link);
  const path = `/v2/sandbox/meetings/${host.meeting_id}/events`;
  const body = { kind: 'joined' };
  const refused = await call('POST', path, { at: api.origin, token: guest.token, body });
  expect(outcome(refused)).toEqual(away);
  expect((await play(host, body, guest.token)).status).toBe(202);
  await meetingOnce(host, 'the guest', ({ verified_count: count }) => count === 1);
});

it('a participant with only the row written can be revoked and redacted', async () => {
  const link = await newMeetingLink();
  const host = await started(link);
  const guest = await verifiedGuest(link, 'Erika Mustermann');
  const body = { join_session_id: guest.id };
  const refused = await call('POST', `/v2/start/${link}`, { at: api.origin, token, body });
  expect(outcome(refused)).toEqual(away);
  await withAffidavit(guest.check);
  const at = `/v2/trust-checks/${guest.check.id}`;
  expect((await call('POST', `${at}/revoke`, { token })).status).toBe(200);
  expect((await getMeeting(host)).body['participants']).toMatchObject([
    { role: 'host' },
    { verification: 'failed', display_name: 'Erika Mustermann' },
  ]);
  await play(host, { kind: 'ended' });
  await meetingOnce(host, 'the end', ({ status }) => status === 'ended');
  await redactUnverified(host.meeting_id, at);
});

/** Redacts the check as if the participant's row did not reference it yet. */
async function redactUnverified(meetingId: string, at: string): Promise<void> {
  const db = openTestDb(databaseUrl);
  const mine = `meeting_key = (SELECT meeting_key FROM meetings WHERE meeting_id = $1)`;
  const values = [Buffer.from(meetingId, 'base64url')];
  try {
    await db.query(`UPDATE meeting_participants SET link_session_id = NULL WHERE ${mine}`, values);
    expect((await call('POST', `${at}/redact`, { token })).status).toBe(200);
    const left = `SELECT user_name_sealed, names_blind, (SELECT count(*)::int
        FROM meeting_participants p WHERE p.meeting_key = m.meeting_key
        AND display_name_sealed IS NOT NULL) AS names FROM meetings m WHERE ${mine}`;
    expect((await db.query(left, values)).rows).toEqual([
      { user_name_sealed: null, names_blind: [], names: 0 },
    ]);
  } finally {
    await db.end();
  }
}
