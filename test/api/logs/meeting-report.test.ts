import { afterAll, describe, expect, it } from 'vitest';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { writeReportUrl } from '../../../activities/meetings/report/report-url.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { emailSession } from '../../support/people/email-users.ts';
import {
  getMeeting,
  meetingOnce,
  newMeetingLink,
  play,
  started,
} from '../../support/people/meetings.ts';
import { newKey } from '../../support/people/samples.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign, baseUrl, dataDir, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

async function overMeeting(): Promise<string> {
  const link = await newMeetingLink();
  const host = await started(link, { display_name: 'Erika Mustermann' });
  await play(host, { kind: 'joined', participant_id: host.participant_id });
  await play(host, { kind: 'ended' });
  await meetingOnce(host, 'the end', ({ status }) => status === 'ended');
  return host.meeting_id;
}

const ask = (meeting_id: string, token = own.api_key): Promise<Answer> =>
  call('POST', '/v2/reports/meeting', { token, body: { platform: 'sandbox', meeting_id } });
const pathOf = ({ body }: Answer): string => String(body['url']).slice(baseUrl.length);
const available = (meeting_id: string): Promise<Answer> =>
  eventually('the report', async () => {
    const answer = await ask(meeting_id);
    expect(answer.status).toBe(200);
    return answer.body['status'] === 'available' && answer;
  });
const outcome = ({ status, body }: Answer) => [status, body['code']];

describe('the report of a meeting', () => {
  it('is created after the meeting and can be downloaded by its URL', async () => {
    const meeting_id = await overMeeting();
    const first = await ask(meeting_id);
    const made = await available(meeting_id);
    expect(made.body['report_id']).toBe(first.body['report_id']);
    const redirect = await call('GET', pathOf(made));
    expect(redirect.status).toBe(302);
    const location = redirect.headers.get('location') ?? '';
    const file = await fetch(new URL(location, baseUrl));
    expect(file.headers.get('content-type')).toBe('application/pdf');
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const { body } = await getMeeting({ meeting_id });
    expect(body['status']).toBe('reported');
    const stream = `meeting:sandbox:${meeting_id}`;
    const { body: told } = await call('GET', `/v2/events?stream=${stream}`, { token: own.api_key });
    const types = (told['items'] as { type: string }[]).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['meeting.ended', 'meeting.report_ready']);
  });

  it('is created once for twenty concurrent requests', async () => {
    const meeting_id = await overMeeting();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(meeting_id)));
    const made = answers.filter(({ status }) => status === 200);
    const others = answers.filter(({ status }) => status !== 200);
    // Some concurrent requests may get an answer to retry.
    for (const { status, text } of others) expect([409, 503], text).toContain(status);
    const ids = made.map(({ body }) => body['report_id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('is 409 before the end, and 404 for a meeting of another account', async () => {
    const { meeting_id } = await started(await newMeetingLink());
    expect(outcome(await ask(meeting_id))).toEqual([409, 'invalid_state']);
    expect(outcome(await ask(meeting_id, foreign.api_key))).toEqual([404, 'not_found']);
    expect(outcome(await ask('AAAA'))).toEqual([404, 'not_found']);
    const body = { platform: 'sandbox', meeting_id: [meeting_id] };
    expect((await call('POST', '/v2/reports/meeting', { token: own.api_key, body })).status).toBe(
      422,
    );
  });

  it('is the same 404 for every forged URL, without a redirect', async () => {
    const made = await available(await overMeeting());
    const path = pathOf(made);
    const word = path.slice(path.lastIndexOf('/') + 1);
    const bodies = new Set<string>();
    const other = (text: string): string => Buffer.from(text).toString('base64url');
    for (const wrong of [
      other('https://example.test/'),
      other('//example.test'),
      other('reports/1/../../keys/master'),
      other(`reports/1/${'0'.repeat(26)}.pdf`),
      `${word.slice(0, -2)}AA`,
      `${word}%00`,
      '..%2f..%2fetc%2fpasswd',
      '%252e%252e',
      'https:%2f%2fexample.test',
      'x'.repeat(2048),
    ]) {
      const missed = await call('GET', `/v2/reports/meeting/${wrong}`);
      expect(outcome(missed), wrong).toEqual([404, 'not_found']);
      expect(missed.headers.get('location')).toBeNull();
      const { request_id: _, ...same } = missed.body;
      bodies.add(JSON.stringify(same));
    }
    expect(bodies.size).toBe(1);
  });

  it('with an expired URL requires an ADMIN or a participant', async () => {
    const link = await newMeetingLink();
    const token = own.member.session_token;
    const made = await call('POST', `/v2/start/${link}`, { token, body: {} });
    const meeting_id = String(made.body['meeting_id']);
    await play({ meeting_id }, { kind: 'ended' });
    await meetingOnce({ meeting_id }, 'the end', ({ status }) => status === 'ended');
    const path = pathOf(await available(meeting_id));
    const place = path.lastIndexOf('/') + 1;
    const [key = ''] = Buffer.from(path.slice(place), 'base64url').toString().split('?');
    const secret = loadKeys(`${dataDir}/keys`).secret('report-urls');
    const old = `${path.slice(0, place)}${writeReportUrl(secret, key, new Date())}`;
    const confined = (confinedTo: number): Promise<string> =>
      emailSession(db, own.member.poly_user_id, {}, { confinedTo });
    const statuses = await Promise.all(
      [
        own.api_key,
        own.admin.session_token,
        token,
        await newKey(['VIEWER']),
        foreign.api_key,
        own.subject.session_token,
        await confined(own.account_id),
        await confined(foreign.account_id),
      ].map(async (each) => (await call('GET', old, { token: each })).status),
    );
    expect(statuses).toEqual([302, 302, 302, 404, 404, 404, 302, 404]);
    expect(outcome(await call('GET', old))).toEqual([404, 'not_found']);
  });
});
