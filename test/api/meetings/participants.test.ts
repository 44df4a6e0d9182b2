import { describe, expect, it } from 'vitest';
import { call } from '../../support/http/client.ts';
import {
  getMeeting,
  meetingOnce,
  newMeetingLink,
  play,
  start,
  started,
  testKey,
  type Started,
} from '../../support/people/meetings.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connect, endSockets, follow, subscribe } from '../events/connect.ts';

endSockets();
const { own, foreign } = ownPlatform();

const outcome = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body['code']];
const byLink = (link: string) => call('GET', `/v2/meeting-by-link/${link}`);

describe('a participant', () => {
  it('can join, leave and join again, and is counted once', async () => {
    const link = await newMeetingLink();
    const host = await started(link, { display_name: 'The host' });
    const guest = await started(link, { role: 'participant', display_name: 'A guest' });
    const { participant_id } = guest;
    const presence = async (kind: string, status: string) => {
      expect((await play(host, { kind, participant_id })).status).toBe(202);
      return meetingOnce(host, status, ({ participants }) =>
        (participants as { participant_id: string; status: string }[]).some(
          (each) => each.participant_id === participant_id && each.status === status,
        ),
      );
    };
    await presence('waiting', 'waiting');
    expect((await presence('joined', 'joined'))['participant_count']).toBe(1);
    expect((await byLink(link)).body).toEqual({
      participants: [
        {
          display_name: 'A guest',
          role: 'participant',
          status: 'joined',
          verification: 'unverified',
          attestation: null,
        },
      ],
    });
    await presence('left', 'left');
    expect((await byLink(link)).body).toEqual({ participants: [] });
    const again = await presence('joined', 'joined');
    expect([again['participant_count'], again['verified_count']]).toEqual([1, 0]);
  });

  it('cannot be simulated by a test key if the link is live', async () => {
    const host = await started(await newMeetingLink());
    const body = { kind: 'joined', display_name: 'A guest' };
    expect(outcome(await play(host, body, await testKey()))).toEqual([404, 'not_found']);
    expect((await getMeeting(host)).body['participants']).toHaveLength(1);
    for (const token of [own.api_key, own.admin.session_token]) {
      expect((await play(host, body, token)).status).toBe(202);
    }
  });

  it('is added as unknown if the platform admits a person without a join session', async () => {
    const host = await started(await newMeetingLink());
    await play(host, { kind: 'joined', display_name: 'Somebody else' });
    const { participants } = await meetingOnce(host, 'two', (body) => {
      return (body['participants'] as unknown[]).length === 2;
    });
    expect(participants).toMatchObject([
      { role: 'host', status: 'invited' },
      { role: 'participant', status: 'joined', display_name: 'Somebody else' },
    ]);
  });

  it('starts a scheduled meeting by joining', async () => {
    const link = await newMeetingLink();
    const guest = await started(link, { role: 'participant' });
    await play(guest, { kind: 'joined', participant_id: guest.participant_id });
    await meetingOnce(guest, 'a live one', ({ status }) => status === 'live');
  });

  it('leaves when the meeting ends, after which events are refused', async () => {
    const host = await started(await newMeetingLink());
    await play(host, { kind: 'joined', participant_id: host.participant_id });
    await play(host, { kind: 'ended' });
    const over = await meetingOnce(host, 'the end', ({ status }) => status === 'ended');
    expect(over).toMatchObject({
      end_reason: 'platform_ended',
      participants: [{ status: 'left' }],
    });
    expect(outcome(await play(host, { kind: 'ended' }))).toEqual([409, 'invalid_state']);
  });

  it('must be known and named: 404 or 422 otherwise', async () => {
    const host = await started(await newMeetingLink());
    const nobody = `pt_${'0'.repeat(26)}`;
    expect(outcome(await play(host, { kind: 'left', participant_id: nobody }))).toEqual([
      404,
      'not_found',
    ]);
    for (const body of [
      { kind: 'left' },
      { kind: 'removed' },
      { kind: 'vanished' },
      { kind: 'left', participant_id: "pt_' OR 1=1" },
      { kind: 'joined', display_name: 'x'.repeat(121) },
      { kind: ['joined'] },
      {},
    ]) {
      expect((await play(host, body)).status, JSON.stringify(body)).toBe(422);
    }
  });
});

describe('meetings.get', () => {
  const at = (id: string, platform = 'sandbox', token = own.api_key) =>
    call('GET', `/v2/meeting/${platform}/${id}`, { token });

  it('accepts the id in every encoding', async () => {
    const { meeting_id } = await started(await newMeetingLink());
    const bytes = Buffer.from(meeting_id, 'base64url');
    const plain = bytes.toString('base64');
    const once = encodeURIComponent(plain);
    for (const spelled of [meeting_id, once, encodeURIComponent(once), `${meeting_id}%3D%3D`]) {
      expect((await at(spelled)).body['meeting_id'], spelled).toBe(meeting_id);
    }
  });

  it('returns 404 for unknown ids and 422 for impossible ones', async () => {
    const { meeting_id } = await started(await newMeetingLink());
    const spare = `${meeting_id.slice(0, -1)}${meeting_id.endsWith('B') ? 'C' : 'B'}`;
    for (const id of ['AAAA', '%25%25', '%25zz', '____', '====', spare, 'A'.repeat(2000)]) {
      expect(outcome(await at(id)), id).toEqual([404, 'not_found']);
    }
    for (const id of ['%00', '..', "'", '%3Cscript%3E', 'ä', 'A'.repeat(2049)]) {
      expect([404, 422], id).toContain((await at(id)).status);
    }
    expect((await at(meeting_id, 'conf-a')).status).toBe(404);
    expect((await at(meeting_id, 'elsewhere')).status).toBe(422);
    expect((await at(meeting_id, 'sandbox', foreign.api_key)).status).toBe(404);
  });
});

describe('meetings.getByLink', () => {
  it('returns 404 for an unknown link, and no participants without a running meeting', async () => {
    expect(outcome(await byLink('no-such-link'))).toEqual([404, 'not_found']);
    expect((await byLink(await newMeetingLink())).body).toEqual({ participants: [] });
  });
});

describe('the stream of a meeting', () => {
  it('contains the events of a meeting without names', async () => {
    const link = await newMeetingLink({ topic: 'A confidential topic' });
    const host = await started(link, { display_name: 'Erika Mustermann' });
    const socket = await connect(own.api_key);
    const seen = follow(socket);
    const { stream } = host.socket;
    expect(await subscribe(socket, { stream })).toMatchObject({ ok: true, head: 2 });
    const { participant_id } = host;
    await play(host, { kind: 'joined', participant_id });
    await play(host, { kind: 'left', participant_id });
    await play(host, { kind: 'ended' });
    const types = await eventually('all events', async () => seen.length === 5 && seen);
    expect(types.map(({ type }) => type)).toEqual([
      'meeting.scheduled',
      'meeting.started',
      'meeting.participant_joined',
      'meeting.participant_left',
      'meeting.ended',
    ]);
    const pulled = await call('GET', `/v2/events?stream=${stream}`, { token: own.api_key });
    expect((pulled.body['items'] as unknown[]).length).toBe(5);
    expect(pulled.text).not.toMatch(/Mustermann|confidential/);
    const details = await call('POST', '/v2/logs/meeting/details', {
      token: own.api_key,
      body: { platform: 'sandbox', meeting_id: host.meeting_id },
    });
    expect(details.body).toMatchObject({
      topic: 'A confidential topic',
      participants: [{ display_name: 'Erika Mustermann' }],
      timeline: types.map(({ event_id, type }) => ({
        event_id,
        type,
        participant_id: /participant/.test(type) ? participant_id : null,
      })),
    });
  });

  it('is not found by another account', async () => {
    const { socket: told } = await started(await newMeetingLink());
    const socket = await connect(foreign.api_key);
    const { stream } = told;
    expect(await subscribe(socket, { stream })).toEqual({ ok: false, code: 'not_found' });
    const unknown = 'meeting:sandbox:AAAA';
    expect(await subscribe(socket, { stream: unknown })).toEqual({ ok: false, code: 'not_found' });
  });
});

describe('fifty concurrent starts', () => {
  it('start one meeting', { timeout: 60_000 }, async () => {
    const link = await newMeetingLink();
    const all = Array.from({ length: 50 }, () => start(link));
    const settled = await Promise.all(all);
    const answers = settled.filter(({ status }) => status === 200);
    // Some concurrent starts may get an answer to retry.
    const others = settled.filter(({ status }) => status !== 200);
    for (const { status, text } of others) expect([409, 503], text).toContain(status);
    const ids = new Set(answers.map(({ body }) => (body as unknown as Started).meeting_id));
    expect(ids.size).toBe(1);
    const [meeting_id = ''] = ids;
    // A program that starts the meeting again is the same host.
    const { body } = await getMeeting({ meeting_id });
    expect((body['participants'] as unknown[]).length).toBe(1);
  });

  it('as participants each join a running meeting separately', async () => {
    const link = await newMeetingLink();
    const host = await started(link);
    const all = Array.from({ length: 50 }, () => start(link, { role: 'participant' }));
    const answers = await Promise.all(all);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body['participant_id'])).size).toBe(50);
    expect(((await getMeeting(host)).body['participants'] as unknown[]).length).toBe(51);
  });
});
