import { describe, expect, it } from 'vitest';
import { leadingTo } from '../../../support/checks/leading-to.ts';
import { asPhone, enrolledPhone, signedCall } from '../../../support/checks/phone.ts';
import { call, newLink, type Answer } from '../../../support/http/client.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, foreign, baseUrl } = ownPlatform();
const origin = `https://shop-${process.pid}.example`;
const redirect_url = 'https://redirect.example/done';
const ownPort = Number(new URL(baseUrl).port);
leadingTo(origin, 'https://redirect.example');

const begin = (link: string, more: Record<string, unknown>): Promise<Answer> =>
  call('POST', '/v2/trust-checks', { body: { link_uuid: link, client: 'web', ...more } });

describe('return_to of trust-checks.begin', () => {
  it.each([
    `${origin}/after?order=7#top`,
    `https://SHOP-${process.pid}.example/`,
    'https://redirect.example/elsewhere',
    `${baseUrl}/success/by-app/${own.app_id}`,
  ])('accepts %s', async (return_to) => {
    const link = await newLink({ redirect_url });
    expect((await begin(link, { return_to })).status).toBe(201);
  });

  it.each([
    'https://evil.example/',
    `${origin}.evil.example/`,
    `https://sub.shop-${process.pid}.example/`,
    `${origin}:8443/`,
    `http://127.0.0.1:${ownPort + 1}/`,
    `https://evil.example/${origin}`,
  ])('rejects %s, which has another origin', async (return_to) => {
    const link = await newLink({ redirect_url, single_use: true });
    const { status, body } = await begin(link, { return_to });
    const fault = expect.objectContaining({
      loc: ['body', 'return_to'],
      type: 'forbidden_target',
      msg: expect.stringMatching(/`allowed_origins` of the app .*apps\.update/),
    });
    expect([status, body['detail']]).toEqual([422, [fault]]);
    const preview = await call('GET', `/v2/${link}?format_type=J`);
    expect(preview.body['status']).toBe('active');
  });

  it.each([
    'javascript:alert(1)',
    `${origin}\u2024evil.example/`,
    'data:text/html,x',
    '//redirect.example/',
    '/done',
    '',
    'http://redirect.example/',
    'https://user:pw@redirect.example/',
  ])('rejects %j, which is not a web address', async (return_to) => {
    const link = await newLink({ redirect_url });
    const { status, body } = await begin(link, { return_to });
    const fault = expect.objectContaining({ loc: ['body', 'return_to'] });
    expect([status, body['detail']]).toEqual([422, expect.arrayContaining([fault])]);
  });

  it('rejects an allowed origin of another app', async () => {
    const theirs = await call('PUT', `/v2/link/${foreign.app_id}`, {
      token: foreign.api_key,
      body: { required_proofs: ['phone'] },
    });
    const link = String(theirs.body['link_uuid']);
    expect((await begin(link, { return_to: `${origin}/` })).status).toBe(422);
  });

  it.each([
    ['a phone joins', {}, 'mobile'],
    ['the page of a single-use link is opened again', { single_use: true }, 'web'],
  ])('keeps the first value where %s', async (_, link, client) => {
    const uuid = await newLink({ ...link, required_proofs: ['device'], redirect_url });
    const first = `${origin}/first`;
    const page = await begin(uuid, {});
    const id = String(page.body['link_session_id']);
    const tokenOf = ({ body }: Answer) => ({
      pair_token: String(body['pair_url']).split('#p=')[1],
    });
    let shown = tokenOf(page);
    for (const return_to of [first, `${origin}/second`]) {
      const joined = await begin(uuid, { client, return_to, ...shown });
      expect([joined.status, joined.body['link_session_id']]).toEqual([201, id]);
      shown = tokenOf(joined);
    }
    const device = await enrolledPhone();
    const phone = await asPhone(device, () => begin(uuid, { client: 'mobile', ...shown }));
    const token = String(phone.body['check_token']);
    await signedCall(device, 'POST', `/v2/trust-checks/${id}/pair`, { token, body: {} });
    const done = await signedCall(device, 'POST', `/v2/${uuid}`, { body: { link_session_id: id } });
    expect(done.body['redirect_url']).toBe(first);
  });

  it('takes precedence over the redirect_url of the link', async () => {
    const return_to = `${origin}/after`;
    const link = await newLink({ required_proofs: ['device'], redirect_url });
    const device = await enrolledPhone();
    const run = async (more: Record<string, unknown>): Promise<Answer> => {
      const begun = await asPhone(device, () => begin(link, { client: 'mobile', ...more }));
      const id = String(begun.body['link_session_id']);
      const token = String(begun.body['check_token']);
      await signedCall(device, 'POST', `/v2/trust-checks/${id}/pair`, { token, body: {} });
      return signedCall(device, 'POST', `/v2/${link}`, { body: { link_session_id: id } });
    };
    expect((await run({ return_to })).body['redirect_url']).toBe(return_to);
    expect((await run({})).body['redirect_url']).toBe(redirect_url);
  });
});

describe('trust-checks.begin', () => {
  it('returns 404 when app_id names another app than that of the link', async () => {
    const link = await newLink();
    for (const app_id of [foreign.app_id, 'no-such-app', 'NO APP']) {
      const { status, body } = await begin(link, { app_id });
      expect([status, body['code']]).toEqual([404, 'not_found']);
    }
    expect((await begin(link, { app_id: own.app_id })).status).toBe(201);
  });

  it('requires the token of an emailed link before it validates anything else', async () => {
    const sent = await call('POST', `/v2/link/send/${own.app_id}`, {
      token: own.api_key,
      body: { send_to_email: 'return-to@example.test', required_proofs: ['phone'] },
    });
    const link = String(sent.body['link_uuid']);
    for (const more of [
      {},
      { link_token: 'A'.repeat(22) },
      { return_to: 'https://evil.example' },
    ]) {
      const { status, body } = await begin(link, more);
      expect([status, body['code']]).toEqual([401, 'link_token_required']);
    }
  });
});
