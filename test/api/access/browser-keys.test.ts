import { describe, expect, it } from 'vitest';
import { readsProof } from '../../../api/http/auth/dpop/prove-key.ts';
import { signingPairOf } from '../../../simulator/device/client-key.ts';
import { asPhone, enrolledPhone, pairedSession, signedCall } from '../../support/checks/phone.ts';
import { asBrowser, browserOf, browserWith, newBrowser } from '../../support/http/browser-keys.ts';
import {
  beginSession,
  call,
  collecting,
  newLink,
  passedSession,
} from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { samples } from '../../support/people/samples.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connect, endSockets, subscribe } from '../events/connect.ts';
import { mustOwn, signed, told } from './proofs.ts';

const { baseUrl, own } = ownPlatform();
const checks = '/v2/trust-checks';
const web = (link: string, more = {}) => ({ link_uuid: link, client: 'web', ...more });
endSockets();

const needsKey = contracts.filter((row) => readsProof(row) && row.id !== 'trust-checks.begin');

describe('an operation that takes check tokens', () => {
  it.each(needsKey.map(({ id, method }) => [id, method.toUpperCase()]))(
    '%s requires a proof of the key to which the token is bound',
    async (id, method) => {
      // The samples of some operations are calls by the account.
      const sample = await samples[id]?.();
      const isOfCheck = sample && browserOf(sample.token) !== null;
      const session = isOfCheck ? null : await collecting(await newLink());
      const verb = id.split('.')[1] ?? '';
      const path = session ? `${checks}/${session.id}/${verb}` : (sample?.path ?? '');
      const token = session?.token ?? sample?.token ?? '';
      const body = JSON.stringify(sample?.body ?? {});
      const content = method === 'GET' ? {} : { raw: sample?.raw ?? body };
      const options = { token, ...content };
      const bare = await call(method, path, { ...options, isUnsigned: true });
      expect([bare.status, bare.body['code']]).toEqual([401, 'dpop_proof_required']);
      expect(bare.headers.get('dpop-nonce')).toMatch(/^[\w-]{22}$/);
      const other = await newBrowser();
      await other.prepare(baseUrl);
      const headers = await signed(other, method, path, token);
      expect(await told(method, path, { ...options, headers })).toEqual([
        401,
        'invalid_dpop_proof',
        'cnf',
      ]);
      const owner = mustOwn(token);
      owner.takeNonce('A'.repeat(22));
      const stale = await signed(owner, method, path, token);
      const asked = await call(method, path, { ...options, headers: stale });
      expect([asked.status, asked.body['code']]).toEqual([401, 'use_dpop_nonce']);
      owner.takeNonce(asked.headers.get('dpop-nonce'));
      const again = await call(method, path, options);
      expect(again.body['code'] ?? '').not.toMatch(/dpop/);
    },
  );
});

describe('a trust check that a browser begins', () => {
  it('requires a DPoP proof and returns a nonce for it', async () => {
    for (const link of [await newLink(), 'none']) {
      const answer = await call('POST', checks, { body: web(link), isUnsigned: true });
      expect([answer.status, answer.body['code']]).toEqual([401, 'dpop_proof_required']);
      expect(answer.headers.get('dpop-nonce')).toMatch(/^[\w-]{22}$/);
    }
  });

  it.each([own.api_key, own.admin.session_token])(
    'requires a DPoP proof besides a credential',
    async (token) => {
      const body = web(await newLink());
      expect(await told('POST', checks, { token, body, isUnsigned: true })).toEqual([
        401,
        'dpop_proof_required',
      ]);
      expect((await call('POST', checks, { token, body })).status).toBe(201);
    },
  );

  it('gets a token bound to the key that signed', async () => {
    const browser = await newBrowser();
    const { token } = await asBrowser(browser, async () => beginSession(await newLink()));
    const [, claims = ''] = token.split('.');
    const { cnf } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { cnf: unknown };
    expect(cnf).toEqual({ jkt: browser.jkt });
  });

  it.each([
    ['nothing', '', 'form'],
    ['a long text', 'A'.repeat(9_000), 'form'],
  ])('is refused with %s as its proof', async (_what, dpop, rule) => {
    const answer = await told('POST', checks, { body: web(await newLink()), headers: { dpop } });
    expect(answer).toEqual([401, 'invalid_dpop_proof', rule]);
  });

  it('is replayed to the same browser and begins anew for another one', async () => {
    const [body, headers] = [web(await newLink()), { 'idempotency-key': crypto.randomUUID() }];
    const begin = () => call('POST', checks, { body, headers });
    const first = await begin();
    expect((await begin()).body).toEqual(first.body);
    const other = await asBrowser(await newBrowser(), begin);
    expect(other.status).toBe(201);
    expect(other.body['link_session_id']).not.toBe(first.body['link_session_id']);
  });
});

describe('a phone', () => {
  const pairPath = (id: string): string => `${checks}/${id}/pair`;

  it('begins with its signing key, which then signs each call of the check', async () => {
    const device = await enrolledPhone();
    const link = await newLink();
    const body = { link_uuid: link, client: 'mobile' };
    expect(await told('POST', checks, { body, isUnsigned: true })).toEqual([
      401,
      'dpop_proof_required',
    ]);
    const { id, token } = await asPhone(device, () => beginSession(link, 'mobile'));
    const ofPhone = await browserWith(signingPairOf(device));
    expect(browserOf(token)?.jkt).toBe(ofPhone.jkt);
    expect((await signedCall(device, 'POST', pairPath(id), { token, body: {} })).status).toBe(200);
    for (const path of [`${checks}/${id}`, `${checks}/${id}/events`]) {
      const bare = { token, isUnsigned: true } as const;
      expect(await told('GET', path, bare)).toEqual([401, 'dpop_proof_required']);
    }
  });

  it('cannot pair a check whose token is bound to another key', async () => {
    const [device, other] = [await enrolledPhone(), await enrolledPhone('android')];
    const link = await newLink();
    const { id, token } = await asPhone(device, () => beginSession(link, 'mobile'));
    const wrong = [401, 'invalid_dpop_proof', 'cnf'];
    const taken = await signedCall(other, 'POST', pairPath(id), { token, body: {} });
    expect([taken.status, taken.body['code'], taken.body['rule']]).toEqual(wrong);
    const begin = { link_uuid: await newLink(), client: 'mobile' };
    const ofDevice = await browserWith(signingPairOf(device));
    await ofDevice.prepare(baseUrl);
    const headers = await signed(ofDevice, 'POST', checks, '', JSON.stringify(begin));
    const begun = await signedCall(other, 'POST', checks, { body: begin, headers });
    expect([begun.status, begun.body['code'], begun.body['rule']]).toEqual(wrong);
  });

  it('can subscribe to its check on a socket with a proof', async () => {
    const device = await enrolledPhone();
    const { id, token } = await pairedSession(device, await newLink());
    const socket = await connect(token);
    expect(await subscribe(socket, { stream: `trust-check:${id}` })).toMatchObject({ ok: true });
  });
});

describe('another browser', () => {
  it('with the single-use link gets neither the session nor its claims', async () => {
    const link = await newLink({ single_use: true });
    await beginSession(link);
    const other = await asBrowser(await newBrowser(), () =>
      call('POST', checks, { body: web(link) }),
    );
    expect([other.status, other.body['code']]).toEqual([409, 'already_begun']);
    expect(other.body['detail']).toContain('ask for a new link');
    expect(other.text).not.toContain('tc_');
  });

  it('cannot read a decided check with a token bound to another key', async () => {
    const { id, token } = await passedSession({ requested_claims: ['phone_number'] });
    const other = await newBrowser();
    await other.prepare(baseUrl);
    const headers = await signed(other, 'GET', `${checks}/${id}`, token);
    const answer = await call('GET', `${checks}/${id}`, { token, headers });
    expect([answer.status, answer.body['rule']]).toEqual([401, 'cnf']);
    expect((await call('GET', `${checks}/${id}`, { token })).status).toBe(200);
  });

  it('joins with the pair token at any step and gets a token for its own key', async () => {
    const link = await newLink();
    const begun = await call('POST', checks, { body: web(link) });
    const first = String(begun.body['check_token']);
    const id = String(begun.body['link_session_id']);
    const [, pair_token] = String(begun.body['pair_url']).split('#p=');
    await call('POST', `${checks}/${id}/pair`, { token: first, body: {} });
    const other = await newBrowser();
    const joined = await asBrowser(other, () =>
      call('POST', checks, { body: web(link, { pair_token }) }),
    );
    const second = String(joined.body['check_token']);
    expect([joined.status, joined.body['link_session_id']]).toEqual([201, id]);
    expect(browserOf(second)?.jkt).toBe(other.jkt);
    for (const token of [first, second]) {
      expect((await call('GET', `${checks}/${id}`, { token })).status).toBe(200);
    }
    const crossed = await signed(mustOwn(first), 'GET', `${checks}/${id}`, second);
    expect(await told('GET', `${checks}/${id}`, { token: second, headers: crossed })).toEqual([
      401,
      'invalid_dpop_proof',
      'cnf',
    ]);
  });

  it('without the old key resumes with a new one', async () => {
    const link = await newLink({ single_use: true });
    const begun = await call('POST', checks, { body: web(link) });
    const { resume_token, link_session_id: id } = begun.body;
    const other = await newBrowser();
    const resumed = await asBrowser(other, () =>
      call('POST', checks, { body: web(link, { resume_token }) }),
    );
    expect([resumed.status, resumed.body['link_session_id']]).toEqual([201, id]);
    expect(browserOf(String(resumed.body['check_token']))?.jkt).toBe(other.jkt);
  });
});
