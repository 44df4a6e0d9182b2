import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomIds } from '../../../db/ids.ts';
import { encode, type Members } from '../../bundles.ts';
import { call, type Answer } from '../../client.ts';
import { eventually, openTestDb } from '../../harness.ts';
import { newConfBMeeting } from '../../meetings.ts';
import { ownPlatform } from '../../own-platform.ts';
import { startSecondApi, type SecondApi } from '../../second-api.ts';
import {
  newSigningKey,
  signWith,
  startIssuer,
  type IssuerStandIn,
} from '../../stand-ins/issuer.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const issuer = 'https://bots.example.test';
const appId = 'our-bot';
const serviceUrl = 'https://service.example.test/emea/';
const key = newSigningKey('RS256', 'a-key');
const stranger = newSigningKey('RS256', 'a-key');
let keys: IssuerStandIn;
let api: SecondApi;

beforeAll(async () => {
  keys = await startIssuer({ clientId: 'unused', clientSecret: 'unused' });
  keys.keys = [key];
  api = await startSecondApi({
    CONF_B_BOT_APP_ID: appId,
    CONF_B_BOT_ISSUER: issuer,
    CONF_B_BOT_KEYS_URL: `${keys.issuer}/keys`,
  });
});
afterAll(() => Promise.all([api.stop(), keys.stop(), db.end()]));

function tokenOf(changes: Members = {}, header: Members = {}, by = key): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: appId, serviceurl: serviceUrl, nbf: now, exp: now + 600 };
  const head = { alg: 'RS256', typ: 'JWT', kid: 'a-key', ...header };
  return signWith(by, `${encode(head)}.${encode({ ...claims, ...changes })}`);
}

const post = (body: unknown, token?: string, raw?: string): Promise<Answer> =>
  call('POST', '/v2/conf-b/bot', {
    at: api.origin,
    ...(raw === undefined ? { body } : { raw }),
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
const outcome = ({ status, body }: Answer) => [status, body['code']];

const activity = (meetingId: string, name: string, value: unknown = {}) => ({
  type: 'event',
  id: randomIds.uuid(),
  name,
  timestamp: '2026-01-02T03:04:05.678Z',
  serviceUrl,
  value,
  channelData: { meeting: { id: meetingId } },
});
const get = (id: string) =>
  call('GET', `/v2/meeting/conf-b/${encodeURIComponent(id)}`, { token: own.api_key });

describe('meetings.botHook', () => {
  it('follows a meeting by what the platform tells, each message once', async () => {
    const { id, key: meetingKey } = await newConfBMeeting(db);
    const user = { id: '29:x', aadObjectId: `aad-${id}`, name: 'A guest' };
    const came = activity(id, 'application/vnd.platform.meetingParticipantJoin', {
      members: [{ user, meeting: { inMeeting: true } }],
    });
    const begun = activity(id, ' application/vnd.platform.MeetingStart');
    for (const each of [begun, came, came]) {
      const answer = await post(each, tokenOf());
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
    const live = await eventually('the guest', async () => {
      const { body } = await get(id);
      return body['participant_count'] === 1 && body;
    });
    expect(live).toMatchObject({ status: 'live', participants: [{ display_name: 'A guest' }] });
    const { rows } = await db.query('SELECT 1 FROM webhook_inbox WHERE meeting_key = $1', [
      meetingKey,
    ]);
    expect(rows).toHaveLength(2);
    const gone = activity(id, 'meetingParticipantLeave', { members: [{ user }] });
    await post(gone, tokenOf());
    await post(activity(id, 'meetingEnd'), tokenOf({ serviceurl: undefined, serviceUrl }));
    await eventually('the end', async () => (await get(id)).body['status'] === 'ended');
  });

  it('forgets what is about no meeting of ours', async () => {
    const others = [
      activity(Buffer.from('unknown').toString('base64'), 'meetingStart'),
      activity('not an id!', 'meetingStart'),
      { type: 'message', serviceUrl, text: 'status' },
      { type: 'conversationUpdate', serviceUrl, channelData: null },
    ];
    for (const each of others) expect((await post(each, tokenOf())).status).toBe(202);
  });

  it('believes no token but the platform’s for this very message', async () => {
    const { id, key: meetingKey } = await newConfBMeeting(db);
    const now = Math.floor(Date.now() / 1000);
    const wrong: Readonly<Record<string, string | undefined>> = {
      none: undefined,
      'no token': 'nonsense',
      'an API key': own.api_key,
      'of another issuer': tokenOf({ iss: 'https://evil.example.test' }),
      'for another app': tokenOf({ aud: 'another' }),
      'for more than ours': tokenOf({ aud: [appId, 'another'] }),
      'over for six minutes': tokenOf({ exp: now - 360 }),
      'without an end': tokenOf({ exp: undefined }),
      'to come': tokenOf({ nbf: now + 600 }),
      'of another service': tokenOf({ serviceurl: 'https://evil.example.test/' }),
      'of no service': tokenOf({ serviceurl: undefined }),
      'of two services': tokenOf({ serviceUrl }),
      'by another key': tokenOf({}, {}, stranger),
      'by an unknown key': tokenOf({}, { kid: 'another' }),
      'by no algorithm': tokenOf({}, { alg: 'none' }),
      'with a key of its own': tokenOf({}, { jwk: stranger.jwk }),
    };
    for (const [what, token] of Object.entries(wrong)) {
      const answer = await post(activity(id, 'meetingStart'), token);
      expect([what, ...outcome(answer)]).toEqual([what, 401, 'credential_invalid']);
    }
    const { rows } = await db.query('SELECT 1 FROM webhook_inbox WHERE meeting_key = $1', [
      meetingKey,
    ]);
    expect(rows).toEqual([]);
  });

  it('is 422 for what is no message, once its sender is known', async () => {
    for (const raw of ['null', '[]', '{}', '{', '""', '{"serviceUrl":1}']) {
      expect((await post(undefined, tokenOf(), raw)).status, raw).toBe(422);
      expect((await post(undefined, undefined, raw)).status, raw).toBe(401);
    }
  });

  it('is 503 while the keys cannot be had, and 409 where no bot is configured', async () => {
    const away = await startSecondApi({
      CONF_B_BOT_APP_ID: appId,
      CONF_B_BOT_ISSUER: issuer,
      CONF_B_BOT_KEYS_URL: 'http://127.0.0.1:9/keys',
    });
    const headers = { authorization: `Bearer ${tokenOf()}` };
    const body = activity('x', 'meetingStart');
    const answer = await call('POST', '/v2/conf-b/bot', { at: away.origin, body, headers });
    await away.stop();
    expect(outcome(answer)).toEqual([503, 'dependency_unavailable']);
    expect(outcome(await call('POST', '/v2/conf-b/bot', { body, headers }))).toEqual([
      409,
      'platform_not_configured',
    ]);
  });
});
