import { afterAll, expect, it } from 'vitest';
import { call, collecting, done, pass, withAffidavit } from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import {
  getMeeting,
  meetingOnce,
  newMeetingLink,
  play,
  started,
} from '../../support/people/meetings.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { currentTransaction, placesOf } from '../trust-checks/submit/places.ts';

const { own, databaseUrl, baseUrl } = ownPlatform();
const { api_key: token } = own;
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

it(
  'a participant’s name is removed from the meeting when the check is redacted',
  { timeout: 60_000 },
  async () => {
    const name = `Guest ${process.pid} ${Date.now()}`;
    const since = await currentTransaction(db);
    const link = await newMeetingLink();
    const host = await started(link, { display_name: 'The host' });
    const made = await done('the join session', () =>
      call('POST', '/v2/join/session', { body: { link_uuid: link, display_name: name } }),
    );
    const joinToken = String(made.body['join_token']);
    const check = await collecting(link, 'web', undefined, { join_token: joinToken });
    await pass(check);
    await play(host, { kind: 'joined' }, joinToken);
    await meetingOnce(host, 'the guest', ({ verified_count }) => verified_count === 1);
    await play(host, { kind: 'ended' });
    await meetingOnce(host, 'the end', ({ status }) => status === 'ended');
    const body = { platform: 'sandbox', meeting_id: host.meeting_id };
    const report = () =>
      eventually('the report', async () => {
        const answer = await call('POST', '/v2/reports/meeting', { token, body });
        return answer.body['status'] === 'available' && answer;
      });
    const first = await report();
    const path = String(first.body['url']).slice(baseUrl.length);
    expect((await call('GET', path)).status).toBe(302);
    await withAffidavit(check);
    const about = { id: check.id, link, accountId: own.account_id, since };
    const places = () => placesOf({ db, sealer: ownSealer(db) }, [name], about);
    expect(await places()).toEqual([
      `join_sessions.display_name_sealed: ${name}`,
      `meeting_participants.display_name_sealed: ${name}`,
      `meetings.user_name_sealed: ${name}`,
    ]);

    const redacted = await call('POST', `/v2/trust-checks/${check.id}/redact`, { token });
    expect(redacted.status).toBe(200);
    expect(await places()).toEqual([]);
    expect((await call('GET', path)).status).toBe(404);
    expect((await getMeeting(host)).body['participants']).toMatchObject([
      { display_name: 'The host' },
      { display_name: null, verification: 'verified' },
    ]);
    const { rows } = await db.query('SELECT names_blind FROM meetings WHERE link_uuid = $1', [
      link,
    ]);
    expect(rows).toEqual([{ names_blind: [] }]);
    const anew = await report();
    // It has an id and key of its own, so a running first report publishes nothing.
    expect(anew.body['report_id']).not.toBe(first.body['report_id']);
    const again = String(anew.body['url']).slice(baseUrl.length);
    expect(again.split('/').at(-1)).not.toBe(path.split('/').at(-1));
    expect((await call('GET', again)).status).toBe(302);
  },
);
