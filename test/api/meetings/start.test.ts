import { afterAll, describe, expect, it } from 'vitest';
import { call, newLink } from '../../support/http/client.ts';
import {
  getMeeting,
  meetingOnce,
  newMeetingLink,
  play,
  start,
  started,
} from '../../support/people/meetings.ts';
import { newKey } from '../../support/people/samples.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign, baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

describe('meetings.start', () => {
  it('starts the meeting of a link for its host', async () => {
    const link = await newMeetingLink({ organization: 'An organization' });
    const { status, body } = await start(link, { display_name: 'Erika Mustermann' });
    expect(status).toBe(200);
    const joinUrl = `${baseUrl}/v2/meeting-by-link/${link}`;
    expect(body).toEqual({
      meeting_id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      platform: 'sandbox',
      status: 'live',
      host_url: joinUrl,
      join_url: joinUrl,
      participant_id: expect.stringMatching(/^pt_/),
      required_proofs: ['phone'],
      socket: { url: baseUrl, stream: `meeting:sandbox:${String(body['meeting_id'])}` },
    });
    const found = await getMeeting({ meeting_id: String(body['meeting_id']) });
    expect(found.body).toMatchObject({
      topic: 'A topic',
      organization: 'An organization',
      status: 'live',
      account_id: own.account_id,
      link_uuid: link,
      sandbox: true,
      participant_count: 0,
      participants: [{ display_name: 'Erika Mustermann', role: 'host', status: 'invited' }],
    });
  });

  it('leads every caller into the running meeting, and after its end into a new one', async () => {
    const link = await newMeetingLink();
    const waits = await started(link, { role: 'participant', display_name: 'A guest' });
    expect(waits.status).toBe('scheduled');
    const host = await started(link);
    expect([host.meeting_id, host.status]).toEqual([waits.meeting_id, 'live']);
    expect((await started(link)).participant_id).toBe(host.participant_id);
    expect((await play(host, { kind: 'ended' })).status).toBe(202);
    await meetingOnce(host, 'the end', ({ status }) => status === 'ended');
    const next = await started(link);
    expect(next.meeting_id).not.toBe(host.meeting_id);
    expect(next.status).toBe('live');
  });

  it('replays its answer for the same idempotency key', async () => {
    const link = await newMeetingLink();
    const ask = () =>
      call('POST', `/v2/start/${link}`, {
        token: own.api_key,
        body: { role: 'participant' },
        headers: { 'idempotency-key': `start-${link}` },
      });
    const [first, again] = [await ask(), await ask()];
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
  });

  it('creates a host per API key, which returns only to its own key', async () => {
    const link = await newMeetingLink();
    const first = await started(link, { display_name: 'The host' });
    const second = await newKey(['MEMBER']);
    const ask = async (): Promise<unknown> =>
      (await call('POST', `/v2/start/${link}`, { token: second, body: {} })).body['participant_id'];
    const other = await ask();
    expect(other).not.toBe(first.participant_id);
    expect([await ask(), (await started(link)).participant_id]).toEqual([
      other,
      first.participant_id,
    ]);
    const { body } = await getMeeting(first);
    expect(body['participants']).toMatchObject([
      { participant_id: first.participant_id, role: 'host', display_name: 'The host' },
      { participant_id: other, role: 'host', display_name: null },
    ]);
  });

  it('recognizes a person by their session', async () => {
    const link = await newMeetingLink();
    const ask = () =>
      call('POST', `/v2/start/${link}`, { token: own.admin.session_token, body: {} });
    const [first, again] = [await ask(), await ask()];
    expect(again.body['participant_id']).toBe(first.body['participant_id']);
    const { body } = await getMeeting({ meeting_id: String(first.body['meeting_id']) });
    expect(body['participants']).toMatchObject([{ poly_user_id: own.admin.poly_user_id }]);
  });

  it('makes a participant the host if the same member starts as host', async () => {
    const link = await newMeetingLink();
    const ask = (role: string) =>
      call('POST', `/v2/start/${link}`, { token: own.admin.session_token, body: { role } });
    const came = await ask('participant');
    expect(came.body).toMatchObject({ status: 'scheduled', host_url: null });
    const host = await ask('host');
    expect(host.body).toMatchObject({
      participant_id: came.body['participant_id'],
      status: 'live',
      host_url: expect.any(String),
    });
  });

  it.each(['conf-a', 'conf-b'])('is available at the older path of %s', async (platform) => {
    const link = await newMeetingLink();
    const path = `/v2/${platform}/start/${link}`;
    const old = await call('POST', path, { token: own.api_key, body: {} });
    expect(old.body).toEqual((await start(link)).body);
    const query = `${path}?app_id=${foreign.app_id}`;
    const elsewhere = await call('POST', query, { token: own.api_key, body: {} });
    expect([elsewhere.status, elsewhere.body['code']]).toEqual([404, 'not_found']);
  });

  it.each(['conf-a', 'conf-b'])('returns 409 for %s if it is not configured', async (platform) => {
    const codes = [];
    const named = await newMeetingLink({ platform });
    for (const prefix of ['', 'conf-a/', 'conf-b/']) {
      const path = `/v2/${prefix}start/${named}`;
      const refused = await call('POST', path, { token: own.api_key, body: {} });
      codes.push([refused.status, refused.body['code']]);
    }
    const asked = await start(await newMeetingLink({ platform: undefined }), { platform });
    codes.push([asked.status, asked.body['code']]);
    expect(codes).toEqual(Array.from({ length: 4 }, () => [409, 'platform_not_configured']));
  });

  it.each(['', 'conf-a/', 'conf-b/'])(
    'refuses the sandbox for a live link that is not a sandbox link (%s)',
    async (prefix) => {
      const ask = (link: string) =>
        call('POST', `/v2/${prefix}start/${link}`, {
          token: own.api_key,
          body: { platform: 'sandbox' },
        });
      for (const platform of ['conf-a', undefined]) {
        const refused = await ask(await newMeetingLink({ platform }));
        expect([refused.status, refused.body['code']]).toEqual([403, 'test_mode_required']);
      }
      expect((await ask(await newMeetingLink())).status).toBe(200);
      const tested = await newMeetingLink({ platform: 'conf-a' });
      await db.query('UPDATE links SET livemode = false WHERE link_uuid = $1', [tested]);
      expect((await ask(tested)).body['platform']).toBe('sandbox');
    },
  );

  it('returns 409 without a platform, and for another platform than that of the meeting', async () => {
    const nowhere = await start(await newLink({ link_type: 'meeting' }));
    expect(nowhere.body['code']).toBe('platform_not_configured');
    const link = await newMeetingLink();
    await started(link);
    const elsewhere = await start(link, { platform: 'conf-a' });
    expect([elsewhere.status, elsewhere.body['code']]).toEqual([409, 'invalid_state']);
  });

  it.each(['', 'conf-a/', 'conf-b/'])(
    'returns 409 for another link type, a paused link and a consumed link (%s)',
    async (prefix) => {
      const codeOf = async (link: string): Promise<unknown[]> => {
        const path = `/v2/${prefix}start/${link}`;
        const { status, body } = await call('POST', path, { token: own.api_key, body: {} });
        return [status, body['code']];
      };
      expect(await codeOf(await newLink())).toEqual([409, 'invalid_state']);
      const paused = await newMeetingLink();
      await call('PATCH', `/v2/${paused}`, { token: own.api_key, body: { paused: true } });
      expect(await codeOf(paused)).toEqual([409, 'link_not_active']);
      const once = await newMeetingLink({}, { single_use: true });
      const first = await started(once);
      await play(first, { kind: 'ended' });
      await meetingOnce(first, 'the end', ({ status }) => status === 'ended');
      expect(await codeOf(once)).toEqual([409, 'link_not_active']);
    },
  );

  it('returns 422 for malformed bodies', async () => {
    const link = await newMeetingLink();
    for (const body of [
      { role: 'king' },
      { role: ['host'] },
      { display_name: '' },
      { display_name: 'x'.repeat(121) },
      { display_name: 7 },
      { topic: 'x'.repeat(201) },
      { organization: null },
      { scheduled_at: 'tomorrow' },
      { scheduled_at: '9999-12-31T23:59:59Z' },
      { join_session_id: 'js_1' },
      { platform: 'sandbox\u0000' },
      'a text',
      [],
    ]) {
      expect((await start(link, body as never)).status, JSON.stringify(body)).toBe(422);
    }
    const nobody = await start(link, { join_session_id: `js_${'0'.repeat(26)}` });
    expect([nobody.status, nobody.body['code']]).toEqual([404, 'not_found']);
    const { body } = await start('no-such-link');
    expect(body['code']).toBe('not_found');
  });

  it('stores hostile texts unchanged', async () => {
    const link = await newMeetingLink();
    const texts = { topic: '<script>alert(1)</script>', organization: "'; DROP TABLE meetings --" };
    const { meeting_id } = await started(link, { ...texts, display_name: '\u202e%s${x}{{7*7}}' });
    expect((await getMeeting({ meeting_id })).body).toMatchObject({
      ...texts,
      participants: [{ display_name: '\u202e%s${x}{{7*7}}' }],
    });
  });
});
