import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { connectPlatformAccount } from '../../../db/queries/platform-accounts.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { encode, type Members } from '../../support/keys/bundles.ts';
import { newTenant } from '../../support/people/consents.ts';
import { newConfBMeeting } from '../../support/people/meetings.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import {
  newSigningKey,
  signWith,
  startIssuer,
  type IssuerStandIn,
  type SigningKey,
} from '../../support/stand-ins/oauth/issuer.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const issuer = 'https://bots.example.test';
const appId = 'our-bot';
const serviceUrl = 'https://service.example.test/emea/';
const channelId = 'meetings';
/** Returns a key of the issuer that is endorsed for these channels. */
const keyFor = (kid: string, ...endorsements: string[]): SigningKey => {
  const made = newSigningKey('RS256', kid);
  return { ...made, jwk: { ...made.jwk, endorsements } };
};
const key = keyFor('a-key', 'webchat', channelId);
const stranger = newSigningKey('RS256', 'a-key');
let keys: IssuerStandIn;
let settings: Record<string, string>;
let api: SecondApi;

beforeAll(async () => {
  keys = await startIssuer({ clientId: 'unused', clientSecret: 'unused' });
  keys.keys = [key];
  keys.metadata = { issuer, id_token_signing_alg_values_supported: ['RS256'] };
  settings = {
    CONF_B_BOT_APP_ID: appId,
    CONF_B_BOT_ISSUER: issuer,
    CONF_B_BOT_KEYS_URL: `${keys.issuer}/keys`,
    CONF_B_BOT_METADATA_URL: `${keys.issuer}/bot/.well-known/openidconfiguration`,
    CONF_B_BOT_CHANNEL: channelId,
    CONF_B_SERVICE_HOSTS: 'elsewhere.example.test, *.service.example.test,service.example.test',
  };
  api = await startSecondApi(settings);
});
afterAll(() => Promise.all([api.stop(), keys.stop(), db.end()]));

function tokenOf(changes: Members = {}, header: Members = {}, by = key): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: appId, serviceurl: serviceUrl, nbf: now, exp: now + 600 };
  const head = { alg: 'RS256', typ: 'JWT', kid: 'a-key', ...header };
  return signWith(by, `${encode(head)}.${encode({ ...claims, ...changes })}`);
}

const post = (body: unknown, token?: string, raw?: string, at = api.origin): Promise<Answer> =>
  call('POST', '/v2/conf-b/bot', {
    at,
    ...(raw === undefined ? { body } : { raw }),
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
const outcome = ({ status, body }: Answer) => [status, body['code']];

interface Meeting {
  readonly id: string;
  readonly tenant: string;
}
const activity = ({ id, tenant }: Meeting, name: string, value: unknown = {}) => ({
  type: 'event',
  channelId,
  id: randomIds.uuid(),
  name,
  timestamp: '2026-01-02T03:04:05.678Z',
  serviceUrl,
  value,
  conversation: { tenantId: tenant },
  channelData: { meeting: { id }, tenant: { id: tenant.toUpperCase() } },
});
/** Returns the number of stored messages about a meeting. */
const keptOf = async (meetingKey: string): Promise<number> => {
  const sql = 'SELECT 1 FROM webhook_inbox WHERE meeting_key = $1';
  return (await db.query(sql, [meetingKey])).rows.length;
};
const get = (id: string) =>
  call('GET', `/v2/meeting/conf-b/${encodeURIComponent(id)}`, { token: own.api_key });

describe('meetings.botHook', () => {
  it('updates a meeting from the messages of the platform, each once', async () => {
    const meeting = await newConfBMeeting(db);
    const { id, key: meetingKey } = meeting;
    const user = { id: '29:x', aadObjectId: `aad-${id}`, name: 'A guest' };
    const came = activity(meeting, 'application/vnd.platform.meetingParticipantJoin', {
      members: [{ user, meeting: { inMeeting: true } }],
    });
    const begun = activity(meeting, ' application/vnd.platform.MeetingStart');
    for (const each of [begun, came, came]) {
      const answer = await post(each, tokenOf());
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
    const live = await eventually('the guest', async () => {
      const { body } = await get(id);
      return body['participant_count'] === 1 && body;
    });
    expect(live).toMatchObject({ status: 'live', participants: [{ display_name: 'A guest' }] });
    expect(await keptOf(meetingKey)).toBe(2);
    const gone = activity(meeting, 'meetingParticipantLeave', { members: [{ user }] });
    await post(gone, tokenOf());
    await post(activity(meeting, 'meetingEnd'), tokenOf({ serviceurl: undefined, serviceUrl }));
    await eventually('the end', async () => (await get(id)).body['status'] === 'ended');
  });

  it('stores nothing about unknown meetings', async () => {
    const tenant = newTenant();
    const others = [
      activity({ id: Buffer.from('unknown').toString('base64'), tenant }, 'meetingStart'),
      activity({ id: 'not an id!', tenant }, 'meetingStart'),
      { type: 'message', channelId, serviceUrl, text: 'status' },
      { type: 'conversationUpdate', channelId, serviceUrl, channelData: null },
    ];
    for (const each of others) expect((await post(each, tokenOf())).status).toBe(202);
  });

  it('rejects every token but the platform’s for this message', async () => {
    const meeting = await newConfBMeeting(db);
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
      const answer = await post(activity(meeting, 'meetingStart'), token);
      expect([what, ...outcome(answer)]).toEqual([what, 401, 'credential_invalid']);
    }
    expect(await keptOf(meeting.key)).toBe(0);
  });

  it('rejects keys not endorsed for the channel, and other channels', async () => {
    const meeting = await newConfBMeeting(db);
    const came = activity(meeting, 'meetingStart');
    const without = newSigningKey('RS256', 'without');
    const unendorsed = [without, keyFor('empty'), keyFor('webchat', 'webchat')];
    const odd = { ...without, kid: 'odd', jwk: { ...without.jwk, kid: 'odd', endorsements: 'x' } };
    keys.keys = [key, ...unendorsed, odd];
    const fresh = await startSecondApi(settings);
    const tokens = [...unendorsed, odd].map((by) => tokenOf({}, { kid: by.kid }, by));
    for (const token of tokens) {
      const answer = await post(came, token, undefined, fresh.origin);
      expect(outcome(answer)).toEqual([401, 'credential_invalid']);
    }
    for (const other of ['webchat', 'Meetings', '', undefined]) {
      const answer = await post({ ...came, channelId: other }, tokenOf(), undefined, fresh.origin);
      expect([other, ...outcome(answer)]).toEqual([other, 401, 'credential_invalid']);
    }
    await fresh.stop();
    keys.keys = [key];
    expect(await keptOf(meeting.key)).toBe(0);
  });

  it('accepts only https services from the list', async () => {
    const meeting = await newConfBMeeting(db);
    const others = [
      'https://evil.example.test/emea/',
      'https://service.example.test.evil.test/',
      'https://evilservice.example.test/',
      'https://service.example.test@evil.test/',
      'https://service.example.test:8443/',
      'http://service.example.test/emea/',
      'service.example.test',
      '',
    ];
    for (const serviceurl of others) {
      const told = { ...activity(meeting, 'meetingStart'), serviceUrl: serviceurl };
      const answer = await post(told, tokenOf({ serviceurl }));
      expect([serviceurl, ...outcome(answer)]).toEqual([serviceurl, 401, 'credential_invalid']);
    }
    expect(await keptOf(meeting.key)).toBe(0);
    const below = 'https://emea.service.example.test/x/';
    const told = { ...activity(meeting, 'meetingStart'), serviceUrl: below };
    expect((await post(told, tokenOf({ serviceurl: below }))).status).toBe(202);
    expect(await keptOf(meeting.key)).toBe(1);
  });

  it('rejects algorithms that the metadata does not advertise', async () => {
    const meeting = await newConfBMeeting(db);
    const made = newSigningKey('ES256', 'a-curve');
    const curve = { ...made, jwk: { ...made.jwk, endorsements: [channelId] } };
    keys.keys = [key, curve];
    const without = { ...settings, CONF_B_BOT_METADATA_URL: '' };
    const advertised = await startSecondApi(settings);
    const silent = await startSecondApi(without);
    const token = tokenOf({}, { alg: 'ES256', kid: 'a-curve' }, curve);
    const pss = tokenOf({}, { alg: 'PS256' }, { ...key, alg: 'PS256' });
    const came = activity(meeting, 'meetingStart');
    for (const { origin } of [advertised, silent]) {
      for (const each of [token, pss]) {
        const answer = await post(came, each, undefined, origin);
        expect(outcome(answer)).toEqual([401, 'credential_invalid']);
      }
      expect((await post(came, tokenOf(), undefined, origin)).status).toBe(202);
    }
    keys.metadata = { issuer, id_token_signing_alg_values_supported: ['RS256', 'ES256'] };
    const both = await startSecondApi(settings);
    expect((await post(came, token, undefined, both.origin)).status).toBe(202);
    keys.metadata = { issuer: 'https://evil.example.test' };
    const misled = await startSecondApi(settings);
    expect((await post(came, tokenOf(), undefined, misled.origin)).status).toBe(503);
    keys.metadata = { issuer, id_token_signing_alg_values_supported: ['RS256'] };
    keys.keys = [key];
    await Promise.all([advertised, silent, both, misled].map((each) => each.stop()));
  });

  it('drops a message of a tenant that the meeting’s account has not connected', async () => {
    const meeting = await newConfBMeeting(db);
    const foreign = newTenant();
    await transaction(db, (tx) =>
      connectPlatformAccount(tx, {
        platform: 'conf-b',
        external_id: foreign,
        account_id: ownPlatform().foreign.account_id,
        connected_by: 'a test',
        connected_at: new Date(),
      }),
    );
    const own = activity(meeting, 'meetingStart');
    const channelData = (id: unknown) => ({ meeting: { id: meeting.id }, tenant: { id } });
    const others = [
      activity({ ...meeting, tenant: newTenant() }, 'meetingStart'),
      activity({ ...meeting, tenant: foreign }, 'meetingStart'),
      { ...own, conversation: { tenantId: foreign } },
      { ...own, channelData: channelData(foreign) },
      { ...own, channelData: channelData('no tenant') },
      { ...own, conversation: null, channelData: { meeting: { id: meeting.id } } },
    ];
    for (const each of others) expect((await post(each, tokenOf())).status).toBe(202);
    expect(await keptOf(meeting.key)).toBe(0);
    const { conversation: _alone, ...once } = own;
    expect((await post(once, tokenOf())).status).toBe(202);
    expect(await keptOf(meeting.key)).toBe(1);
  });

  it('answers 503 to a new key if the keys were just fetched for an unknown key id', async () => {
    const rotating = await startSecondApi(settings);
    const came = activity(await newConfBMeeting(db), 'meetingStart');
    const postThere = (token: string) => post(came, token, undefined, rotating.origin);
    expect((await postThere(tokenOf())).status).toBe(202);
    expect((await postThere(tokenOf({}, { kid: 'made-up' }))).status).toBe(401);
    const next = keyFor('rotated', channelId);
    keys.keys = [key, next];
    const early = await postThere(tokenOf({}, { kid: next.kid }, next));
    expect(outcome(early)).toEqual([503, 'dependency_unavailable']);
    expect(Number(early.headers.get('retry-after'))).toBeLessThanOrEqual(10);
    // The keys can be fetched again after ten seconds.
    await eventually('the new key counts', async () => {
      const { status } = await postThere(tokenOf({}, { kid: next.kid }, next));
      return status === 202;
    });
    keys.keys = [key];
    await rotating.stop();
  });

  it('returns 422 for an invalid message, after authentication', async () => {
    for (const raw of ['null', '[]', '{}', '{', '""', '{"serviceUrl":1}']) {
      expect((await post(undefined, tokenOf(), raw)).status, raw).toBe(422);
      expect((await post(undefined, undefined, raw)).status, raw).toBe(401);
    }
  });

  it('returns 503 while the keys are unavailable, and 409 without a configured bot', async () => {
    const nowhere = { CONF_B_BOT_KEYS_URL: 'http://127.0.0.1:9/keys' };
    const away = await startSecondApi({ ...settings, ...nowhere });
    const headers = { authorization: `Bearer ${tokenOf()}` };
    const body = activity({ id: 'x', tenant: newTenant() }, 'meetingStart');
    const answer = await call('POST', '/v2/conf-b/bot', { at: away.origin, body, headers });
    await away.stop();
    expect(outcome(answer)).toEqual([503, 'dependency_unavailable']);
    expect(outcome(await call('POST', '/v2/conf-b/bot', { body, headers }))).toEqual([
      409,
      'platform_not_configured',
    ]);
  });
});
