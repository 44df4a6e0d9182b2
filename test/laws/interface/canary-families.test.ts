import { describe, expect, it } from 'vitest';
import { randomIds } from '../../../db/ids.ts';
import {
  beginSession,
  call as send,
  newLink,
  type CallOptions,
} from '../../support/http/client.ts';
import { logIn, tokenTo } from '../../support/people/mailbox.ts';
import { newMeetingLink, play, start, started } from '../../support/people/meetings.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { begin, placesSince } from '../database/places.ts';

const { own } = ownPlatform();
const token = own.api_key;
const at = `/v2/accounts/${own.account_id}`;

/** Error answers, with the request that each belongs to. */
const refusals: (readonly [path: string, text: string])[] = [];

/** Sends a request, and keeps its answer if it is an error. */
async function call(method: string, path: string, options: CallOptions = {}) {
  const answer = await send(method, path, options);
  if (answer.status >= 400) refusals.push([`${method} ${path.split('?')[0] ?? ''}`, answer.text]);
  return answer;
}
/** A unique mark of letters that no address or token encoding changes. */
const newMark = (): string => `canary${randomIds.bytes(12).toString('hex')}`;
const marks = (count: number): string[] => Array.from({ length: count }, newMark);
const post = (path: string, body: unknown, as?: string) =>
  call('POST', path, { body, ...(as ? { token: as } : {}) });
const jwtOf = (mark: string): string => {
  const encode = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'ES256', kid: mark })}.${encode({ sub: mark })}.${encode(mark)}`;
};

/** For each family, the private data that people and programs send. */
const families: Readonly<Record<string, () => Promise<string[]>>> = {
  'login address': async () => {
    const [address = '', wrong = '', label = '', attached = ''] = marks(4);
    const signedIn = await logIn(`${address}@example.test`);
    const mailed = await tokenTo(`${address}@example.test`);
    await post('/v2/email/login/request', { email: `${wrong} @@ example` });
    await post('/v2/email/login/verify', { token: wrong, device_label: label });
    await post('/v2/email/login/verify', { token: mailed });
    const session = String(signedIn.body['session_token']);
    await post('/v2/email/link/request', { email: `${attached}@example.test` }, session);
    return [address, wrong, label, attached, mailed, session];
  },
  'invited address': async () => {
    const [address = '', role = '', person = ''] = marks(3);
    const email = `${address}@example.test`;
    expect((await post(`${at}/members`, { email, roles: ['VIEWER'] }, token)).status).toBe(201);
    await post(`${at}/members`, { email, roles: [role] }, token);
    await post(`${at}/members`, { email, roles: ['MEMBER'], nickname: person }, token);
    return [address, role, person];
  },
  'names in a meeting': async () => {
    const [host = '', guest = '', late = '', topic = '', bad = ''] = marks(5);
    const link = await newMeetingLink({ topic });
    const meeting = await started(link, { display_name: host });
    await started(link, { role: 'participant', display_name: guest });
    await play(meeting, { kind: 'joined', display_name: late });
    await start(link, { role: bad, display_name: bad });
    await call('POST', `/v2/start/${link}`, { token, body: { role: bad, display_name: host } });
    await post('/v2/join/session', { link_uuid: link, display_name: bad, nonce: bad });
    return [host, guest, late, bad, topic];
  },
  ticket: async () => {
    const [subject = '', description = '', contact = '', version = '', bad = ''] = marks(5);
    const contact_email = `${contact}@example.test`;
    const body = { subject, description, contact_email, context: { app_version: version } };
    expect((await post(`/v2/ticket/${own.app_id}`, body)).status).toBe(200);
    await post(`/v2/ticket/${own.app_id}`, { ...body, severity: bad, contact_email: bad });
    return [subject, description, contact, version, bad];
  },
  'token of a sign-in provider': async () => {
    const [opaque = '', inJwt = '', provider = ''] = marks(3);
    const grant_type = 'sso_exchange';
    for (const access_token of [opaque, jwtOf(inJwt)]) {
      await post('/api/v1/auth/token', { grant_type, provider, access_token });
      await post('/api/v1/auth/token', { grant_type, provider: 'none', access_token });
    }
    return [opaque, inJwt, jwtOf(inJwt)];
  },
  'bundle of an invitation': async () => {
    const [inJwt = '', unknown = '', bad = ''] = marks(3);
    const made = await post('/create_invite_exchange_token', { raw_jwt: jwtOf(inJwt) });
    const given = String(made.body['token']);
    expect((await post('/exchange_invite_token', { token: given })).body['raw_jwt']).toBe(
      jwtOf(inJwt),
    );
    await post('/exchange_invite_token', { token: given });
    await post('/exchange_invite_token', { token: unknown });
    await post('/create_invite_exchange_token', { raw_jwt: bad });
    await post('/portal_login', { raw_jwt: jwtOf(inJwt) });
    return [inJwt, jwtOf(inJwt), given, unknown, bad];
  },
  'code of a calendar': async () => {
    const [code = '', state = '', cookie = '', back = ''] = marks(4);
    const headers = { cookie: `trustcheck-calendar=${cookie}` };
    await call('GET', `/cal/oauth/callback?code=${code}&state=${state}`, { headers });
    const asked = `intent=routing&account_id=${own.account_id}&return_to=https://${back}.test/`;
    await call('GET', `/cal/oauth/start?${asked}`, { token });
    return [code, state, cookie, back];
  },
  link: async () => {
    const [
      title = '',
      reference = '',
      address = '',
      name = '',
      expected = '',
      custom = '',
      bad = '',
    ] = marks(7);
    await newLink({
      title,
      reference_id: reference,
      matching_params: { full_name: expected, custom: { department: custom } },
    });
    const sent = { send_to_email: `${address}@example.test`, recipient_name: name };
    const made = await post(`/v2/link/send/${own.app_id}`, sent, token);
    expect(made.status).toBe(200);
    await post(`/v2/link/send/${own.app_id}`, { ...sent, send_to_email: bad }, token);
    await call('PUT', `/v2/${own.app_id}`, { token, body: { title: bad, link_type: bad } });
    return [address, name, expected, custom, bad, title, reference];
  },
  'secret of a webhook endpoint': async () => {
    const [path = '', bad = ''] = marks(2);
    const url = `http://127.0.0.1:9/${path}`;
    const made = await post(`${at}/webhook-endpoints`, { url, types: ['meeting.ended'] }, token);
    const secret = String(made.body['secret']);
    const id = String(made.body['endpoint_id']);
    expect(secret.length).toBeGreaterThan(20);
    const anew = await post(`${at}/webhook-endpoints/${id}/rotate-secret`, {}, token);
    await post(`${at}/webhook-endpoints/${id}/test`, { type: 'link.created' }, token);
    await post(`${at}/webhook-endpoints`, { url: `ftp://${bad}@x`, types: [bad] }, token);
    await call('DELETE', `${at}/webhook-endpoints/${id}`, { token });
    return [secret, String(anew.body['secret']), bad];
  },
  'API key': async () => {
    const [unknown = '', nobody = ''] = marks(2);
    const made = await post(`${at}/api-keys`, { name: 'planted', roles: ['VIEWER'] }, token);
    const key = String(made.body['api_key']);
    expect(key).toMatch(/^tk_/);
    await call('GET', '/v2/events?limit=1', { token: key });
    await call('GET', '/v2/accounts/999999/audit', { token: key });
    for (const wrong of [`${key}0`, unknown, jwtOf(nobody)]) {
      await call('GET', '/v2/events?limit=1', { token: wrong });
      await call('GET', '/v2/events?limit=1', { headers: { 'x-api-key': wrong } });
    }
    return [key, unknown, nobody];
  },
  'words of a check': async () => {
    const [reason = '', code = '', place = ''] = marks(3);
    const session = await beginSession(await newLink());
    await session.step('phone/code', { phone_number: place });
    await session.step('proofs/phone', { code });
    await session.step('cancel', { reason });
    return [reason, code, place, session.token];
  },
};

/** With the twelve marks of canary.test.ts there are two hundred. */
const rounds = 4;

describe('secrets planted in every family', () => {
  it('appear in no history, log, metric, event or error answer', async () => {
    const began = begin();
    const planted: [family: string, secret: string][] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, plant] of Object.entries(families)) {
        for (const secret of await plant()) planted.push([name, secret]);
      }
    }
    expect(planted.length).toBeGreaterThanOrEqual(188);
    expect(planted.filter(([, secret]) => secret.length < 20)).toEqual([]);
    expect(refusals.length).toBeGreaterThan(20 * rounds);
    const places = [...(await placesSince(began)), ...refusals];
    const found = places.flatMap(([place, text]) =>
      planted.flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${place}`] : [])),
    );
    expect([...new Set(found)]).toEqual([]);
    // The searched events include those of these requests: they name the app.
    const events = places.find(([place]) => place === 'events')?.[1] ?? '';
    expect(events).toContain(own.app_id);
    // Histories of tests that run in parallel are searched as well.
  }, 240_000);
});
