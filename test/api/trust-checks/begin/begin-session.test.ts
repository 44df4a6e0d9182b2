import { afterAll, describe, expect, it } from 'vitest';
import type { Device } from '../../../../simulator/device/device.ts';
import { asPhone, enrolledPhone, signedCall } from '../../../support/checks/phone.ts';
import { call, newLink, type Answer, type CallOptions } from '../../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../../support/keys/bundles.ts';
import { newMeetingLink } from '../../../support/people/meetings.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, foreign, baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());
const path = '/v2/trust-checks';
const begin = (link_uuid: string, options: CallOptions = {}): Promise<Answer> =>
  call('POST', path, { body: { link_uuid, client: 'web' }, ...options });
const beginBy = (device: Device, link_uuid: string, token?: string): Promise<Answer> =>
  signedCall(device, 'POST', path, {
    body: { link_uuid, client: 'mobile' },
    ...(token === undefined ? {} : { token }),
  });
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const stepOf = (begun: Answer, name: string, body: unknown = {}): Promise<Answer> =>
  call('POST', `${path}/${String(begun.body['link_session_id'])}/${name}`, {
    token: String(begun.body['check_token']),
    body,
  });

describe('a caller with a login session who begins a check', () => {
  it('is its subject from the first event on and may read its evidence', async () => {
    const { poly_user_id, session_token: token } = foreign.member;
    const begun = await begin(await newLink(), { token });
    expect([begun.status, begun.body['poly_user_id']]).toEqual([201, poly_user_id]);
    await stepOf(begun, 'open');
    await stepOf(begun, 'pair');
    const consent = { accepted: true, tos_version: '1', claims: [] };
    expect((await stepOf(begun, 'consent', consent)).body).toMatchObject({
      status: 'collecting',
      poly_user_id,
    });
    await stepOf(begun, 'cancel');
    const id = String(begun.body['link_session_id']);
    const events = await call('GET', `${path}/${id}/events`, { token: own.api_key });
    const items = events.body['items'] as { data: { object: Record<string, unknown> } }[];
    expect(items.map(({ data }) => data.object['poly_user_id'])).toEqual(
      ['created', 'opened', 'paired', 'consented', 'canceled'].map(() => poly_user_id),
    );
    expect((await call('GET', `${path}/${id}/evidence`, { token })).status).toBe(200);
    const another = own.member.session_token;
    expect((await call('GET', `${path}/${id}/evidence`, { token: another })).status).toBe(403);
  });

  it('must present exactly one valid credential', async () => {
    const link = await newLink();
    const good = own.member.session_token;
    const [head, claims, signature = ''] = good.split('.');
    const forged = `${head}.${claims}.${signature.slice(0, -4)}AAAA`;
    const check = String((await begin(await newLink())).body['check_token']);
    const meeting = await newMeetingLink();
    const joined = await call('POST', '/v2/join/session', { body: { link_uuid: meeting } });
    for (const token of [forged, check, String(joined.body['join_token'])]) {
      expect(outcome(await begin(link, { token }))).toEqual([401, 'credential_invalid']);
    }
    const nonsense = await begin(link, { token: 'nonsense' });
    expect(outcome(nonsense)).toEqual([401, 'credential_malformed']);
    const both = { token: good, headers: { 'x-api-key': own.api_key } };
    expect(outcome(await begin(link, both))).toEqual([400, 'credential_ambiguous']);
    for (const options of [{ token: own.api_key }, {}]) {
      const begun = await begin(link, options);
      expect([begun.status, begun.body['poly_user_id']]).toEqual([201, null]);
    }
  });

  it('has exclusive use of the check of a single-use link', async () => {
    const link = await newLink({ single_use: true });
    const [one, other] = [own.member, own.admin];
    const ask = () => begin(link, { token: one.session_token });
    const [first, twin] = await Promise.all([ask(), ask()]);
    for (const answer of [first, twin, await ask()]) {
      expect([answer.status, answer.body['poly_user_id']]).toEqual([201, one.poly_user_id]);
      expect(answer.body['link_session_id']).toBe(first.body['link_session_id']);
    }
    for (const options of [{ token: other.session_token }, { token: own.api_key }, {}]) {
      expect(outcome(await begin(link, options))).toEqual([409, 'already_begun']);
    }
    await stepOf(first, 'open');
    await stepOf(first, 'pair');
    const later = await ask();
    expect([later.status, later.body['link_session_id']]).toEqual([
      201,
      first.body['link_session_id'],
    ]);
  });

  it('becomes the subject of another client’s check only with its resume token', async () => {
    const link = await newLink({ single_use: true });
    const page = await begin(link);
    const token = own.member.session_token;
    expect(outcome(await begin(link, { token }))).toEqual([409, 'already_begun']);
    const body = { link_uuid: link, client: 'web', resume_token: page.body['resume_token'] };
    const joined = await call('POST', path, { token, body });
    expect(joined.body).toMatchObject({
      link_session_id: page.body['link_session_id'],
      poly_user_id: own.member.poly_user_id,
    });
    const other = await call('POST', path, { token: own.admin.session_token, body });
    expect(outcome(other)).toEqual([409, 'invalid_state']);
  });

  it('does not share the check with others who present its pair token', async () => {
    const link = await newLink();
    const { session_token: token } = own.member;
    const page = await begin(link, { token });
    const pair_token = String(page.body['pair_url']).split('#p=')[1];
    const return_to = `${baseUrl}/success/by-app/${own.app_id}`;
    for (const client of ['web', 'mobile']) {
      for (const more of [{}, { token: own.api_key }, { token: own.admin.session_token }]) {
        const answer = await call('POST', path, {
          body: { link_uuid: link, client, pair_token, return_to },
          ...more,
        });
        expect(outcome(answer)).toEqual([409, 'invalid_state']);
      }
    }
    const stranger = await enrolledPhone();
    const body = { link_uuid: link, client: 'mobile', pair_token, return_to };
    const joined = await signedCall(stranger, 'POST', path, { body });
    expect(outcome(joined)).toEqual([409, 'invalid_state']);
    const { rows } = await db.query('SELECT return_to FROM trust_checks WHERE link_uuid = $1', [
      link,
    ]);
    expect(rows).toEqual([{ return_to: null }]);
    const mine = await call('POST', path, {
      token,
      body: { link_uuid: link, client: 'web', pair_token },
    });
    expect([mine.status, mine.body['link_session_id']]).toEqual([
      201,
      page.body['link_session_id'],
    ]);
  });

  it('prevents the phone of another person, joined earlier, from pairing', async () => {
    const stranger = await enrolledPhone('android');
    const link_uuid = await newLink({ required_proofs: ['device'] });
    const shownBy = ({ body }: Answer) => String(body['pair_url']).split('#p=')[1];
    const join = (client: string, pair_token: string | undefined, options: CallOptions = {}) =>
      call('POST', path, { body: { link_uuid, client, pair_token }, ...options });
    const page = await begin(link_uuid);
    const joined = await asPhone(stranger, () => join('mobile', shownBy(page)));
    const mine = await join('web', shownBy(joined), { token: own.member.session_token });
    expect([joined.status, mine.status]).toEqual([201, 201]);
    const pair = `${path}/${String(page.body['link_session_id'])}/pair`;
    const by = { token: String(joined.body['check_token']), body: {} };
    expect(outcome(await signedCall(stranger, 'POST', pair, by))).toEqual([409, 'invalid_state']);
  });

  it('can pair a phone of their own and no other', async () => {
    const [device, stranger] = [await enrolledPhone(), await enrolledPhone('android')];
    const login = await portalLogin(await goodBundle(device));
    const token = String(login.body['session_token']);
    const link = await newLink({ required_proofs: ['device'], single_use: true });
    expect(outcome(await beginBy(stranger, link, token))).toEqual([409, 'invalid_state']);
    const page = await begin(link, { token });
    expect(page.status).toBe(201);
    expect(outcome(await beginBy(stranger, link))).toEqual([409, 'already_begun']);
    await stepOf(page, 'open');
    const pair = `${path}/${String(page.body['link_session_id'])}/pair`;
    const by = { token: String(page.body['check_token']), body: {} };
    expect(outcome(await signedCall(stranger, 'POST', pair, by))).toEqual([
      401,
      'invalid_dpop_proof',
    ]);
    const joined = await beginBy(device, link);
    expect(joined.body).toMatchObject({
      status: 'paired',
      link_session_id: page.body['link_session_id'],
      poly_user_id: device.enrolled?.polyUserId,
    });
    const both = await beginBy(device, await newLink({ required_proofs: ['device'] }), token);
    expect([both.status, both.body['status']]).toEqual([201, 'paired']);
  });
});
