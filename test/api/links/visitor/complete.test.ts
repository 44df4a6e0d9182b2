import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { leadingTo } from '../../../support/checks/leading-to.ts';
import {
  asPhone,
  enrolledPhone,
  newChallenge,
  pairedSession,
  signedCall,
} from '../../../support/checks/phone.ts';
import { beginSession, call, newLink } from '../../../support/http/client.ts';
import { goodBundle } from '../../../support/keys/bundles.ts';
import { newMeetingLink } from '../../../support/people/meetings.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, foreign } = ownPlatform();
leadingTo('https://example.test');

describe.each([
  ['links.complete', (uuid: string) => `/v2/${own.app_id}/${uuid}`],
  ['links.completeById', (uuid: string) => `/v2/${uuid}`],
])('%s', (_id, pathOf) => {
  it('returns the redirect URL of the session that this phone runs', async () => {
    const redirect_url = 'https://example.test/done';
    const uuid = await newLink({ required_proofs: ['device'], redirect_url });
    const device = await enrolledPhone();
    const session = await pairedSession(device, uuid);
    const done = await signedCall(device, 'POST', pathOf(uuid), { body: {} });
    expect([done.status, done.body]).toEqual([
      200,
      { link_session_id: session.id, status: 'collecting', redirect_url, link_uuid: uuid },
    ]);
    const named = await signedCall(device, 'POST', pathOf(uuid), {
      body: { link_session_id: session.id },
    });
    expect(named.body).toEqual(done.body);
    const nothing = await newLink();
    const wrong = await signedCall(device, 'POST', pathOf(nothing), {
      body: { link_session_id: session.id },
    });
    expect(wrong.status).toBe(404);
  });

  it('returns JSON and rejects other formats', async () => {
    const uuid = await newLink({ required_proofs: ['device'] });
    const device = await enrolledPhone();
    const { id } = await pairedSession(device, uuid);
    const ask = async (format: string) => {
      const path = `${pathOf(uuid)}?format_type=${format}`;
      const headers = { accept: 'text/html' };
      const answer = await signedCall(device, 'POST', path, { body: {}, headers });
      return [answer.status, answer.headers.get('content-type')?.split(';')[0], answer.body];
    };
    const done = [200, 'application/json', expect.objectContaining({ link_session_id: id })];
    expect([await ask('A'), await ask('J')]).toEqual([done, done]);
    for (const format of ['S', 'H', 'X', '']) {
      const detail = [expect.objectContaining({ loc: ['query', 'format_type'] })];
      expect(await ask(format)).toEqual([422, 'application/json', { detail }]);
    }
  });

  it('returns 409 if consent was already given', async () => {
    const uuid = await newLink();
    const device = await enrolledPhone('android');
    await pairedSession(device, uuid);
    const consent = { accepted: false, tos_version: '1', claims: [] };
    const late = await signedCall(device, 'POST', pathOf(uuid), { body: { consent } });
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
  });

  it('records consent in the same call', async () => {
    const uuid = await newLink({ required_proofs: ['device'], requested_claims: ['full_name'] });
    const device = await enrolledPhone('android');
    const session = await asPhone(device, () => beginSession(uuid, 'mobile'));
    const paired = await signedCall(device, 'POST', `/v2/trust-checks/${session.id}/pair`, {
      token: session.token,
      body: {},
    });
    expect(paired.status).toBe(200);
    const stale = await signedCall(device, 'POST', pathOf(uuid), {
      body: { consent: { accepted: true, tos_version: '0', claims: [] } },
    });
    expect([stale.status, stale.body['code'], stale.body['tos_version']]).toEqual([
      409,
      'tos_changed',
      '1',
    ]);
    const consent = { accepted: true, tos_version: '1', claims: ['full_name', 'photo'] };
    const done = await signedCall(device, 'POST', pathOf(uuid), { body: { consent } });
    expect(done.body['status']).toBe('collecting');
    const seen = await session.get();
    expect(seen.body['consent']).toMatchObject({ accepted: true, claims: ['full_name'] });
  });

  it('accepts a bundle of this phone’s person once, for this app', async () => {
    const uuid = await newLink({ required_proofs: ['device'] });
    const [device, stranger] = [await enrolledPhone(), await enrolledPhone('android')];
    const session = await pairedSession(device, uuid);
    const complete = async (raw_jwt: string, more = {}) => {
      const body = { raw_jwt, ...more };
      return signedCall(device, 'POST', pathOf(uuid), { body });
    };
    const nonce = await newChallenge();
    const bundle = await goodBundle(device, { nonce, appId: own.app_id });
    const done = await complete(bundle, { nonce });
    expect([done.status, done.body['link_session_id']]).toEqual([200, session.id]);
    const unasked = await newChallenge();
    for (const refused of [
      await complete(bundle, { nonce }),
      await complete('nonsense'),
      await complete(await goodBundle(stranger)),
      await complete(await goodBundle(device, { appId: foreign.app_id })),
      await complete(await goodBundle(device, { nonce: unasked }), { nonce }),
      await complete(await goodBundle(device), { nonce }),
    ]) {
      expect([refused.status, refused.body['code']]).toEqual([401, 'credential_invalid']);
    }
  });

  it('accepts the nonce of the join session of the check, once', async () => {
    const [uuid, device] = [await newMeetingLink(), await enrolledPhone()];
    const nonce = 'a-nonce-of-the-page';
    const joining = async (more = {}) => {
      const joined = await call('POST', '/v2/join/session', { body: { link_uuid: uuid, ...more } });
      const join_token = String(joined.body['join_token']);
      const body = { link_uuid: uuid, client: 'mobile', join_token };
      const begun = await signedCall(device, 'POST', '/v2/trust-checks', { body });
      return begun.body['link_session_id'];
    };
    const complete = async (body: unknown, headers = {}) => {
      const asked = { body, headers };
      const { status, body: told } = await signedCall(device, 'POST', pathOf(uuid), asked);
      return [status, told['code'] ?? told['link_session_id']];
    };
    const link_session_id = await joining({ nonce });
    const other = await joining({ nonce: 'a-nonce-of-another' });
    const without = await joining();
    const refused = [401, 'credential_invalid'];
    for (const wrong of ['a-nonce-of-another', `${nonce} `, '', nonce.toUpperCase()]) {
      expect(await complete({ link_session_id, nonce: wrong })).toEqual(refused);
    }
    expect(await complete({ link_session_id: without, nonce })).toEqual(refused);
    // A request that is refused for another reason does not spend the nonce.
    const consent = { accepted: true, tos_version: 'stale', claims: [] };
    const stale = await complete({ link_session_id, nonce, consent });
    expect(stale).toEqual([409, 'tos_changed']);
    const headers = { 'idempotency-key': randomUUID() };
    expect(await complete({ link_session_id, nonce }, headers)).toEqual([200, link_session_id]);
    expect(await complete({ link_session_id, nonce })).toEqual(refused);
    // A retry with the same key after a lost answer spends nothing.
    expect(await complete({ link_session_id, nonce }, headers)).toEqual([200, link_session_id]);
    expect(await complete({ link_session_id }, headers)).toEqual([409, 'idempotency_mismatch']);
    const stranger = await signedCall(await enrolledPhone(), 'POST', pathOf(uuid), {
      body: { link_session_id, nonce },
      headers,
    });
    expect([stranger.status, stranger.body['code']]).toEqual([404, 'not_found']);
    expect(await complete({ link_session_id })).toEqual([200, link_session_id]);
    expect(await complete({ link_session_id: other, nonce: 'a-nonce-of-another' })).toEqual([
      200,
      other,
    ]);
  });

  it('returns 404 for a session of another phone', async () => {
    const uuid = await newLink({ required_proofs: ['device'] });
    const session = await pairedSession(await enrolledPhone(), uuid);
    const stranger = await enrolledPhone();
    const body = { link_session_id: session.id };
    expect((await signedCall(stranger, 'POST', pathOf(uuid), { body })).status).toBe(404);
    expect((await signedCall(stranger, 'POST', pathOf(uuid), { body: {} })).status).toBe(404);
  });

  it('requires the attest header and an active link', async () => {
    const uuid = await newLink();
    const bare = await call('POST', pathOf(uuid), { body: {} });
    expect(bare.status).toBe(422);
    expect(bare.body['detail']).toEqual([expect.objectContaining({ loc: ['header', 'attest'] })]);
    const device = await enrolledPhone();
    const unknown = pathOf('00000000-0000-4000-8000-000000000000');
    expect((await signedCall(device, 'POST', unknown, { body: {} })).status).toBe(404);
    await call('PATCH', pathOf(uuid), { token: own.api_key, body: { paused: true } });
    const paused = await signedCall(device, 'POST', pathOf(uuid), { body: {} });
    expect([paused.status, paused.body['code']]).toEqual([409, 'link_not_active']);
    const odd = await signedCall(device, 'POST', pathOf(uuid), { body: { link_session_id: 7 } });
    expect(odd.status).toBe(422);
  });
});
