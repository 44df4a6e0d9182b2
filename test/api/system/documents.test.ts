import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { call, newLink, passedSession, withAffidavit } from '../../support/http/client.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign, baseUrl, temporalUiUrl } = ownPlatform();

describe('health checks and public documents', () => {
  it('return 200', async () => {
    for (const path of ['/livez', '/startupz', '/readyz', '/openapi.json']) {
      expect((await call('GET', path)).status, path).toBe(200);
    }
    const ready = await call('GET', '/readyz');
    expect(ready.body).toEqual({
      status: 'ok',
      checks: { database: true, temporal: true, objects: true, serving: true },
    });
  });

  it('include the keys, and the trust anchor as PEM', async () => {
    const { body, headers } = await call('GET', '/.well-known/jwks.json');
    expect(headers.get('cache-control')).toContain('max-age=300');
    const keys = body['keys'] as { kid: string; x5c: string[]; d?: string }[];
    expect(keys).toHaveLength(4);
    for (const key of keys) {
      expect(key).not.toHaveProperty('d');
      const certificate = new X509Certificate(Buffer.from(key.x5c[0] ?? '', 'base64'));
      expect(certificate.subject).toContain('CN=trustcheck');
      expect((await call('GET', `/pki/${key.kid}.cer`)).status).toBe(200);
    }
    expect((await call('GET', '/pki/trust-bundle.pem')).text).toContain('BEGIN CERTIFICATE');
    expect((await call('GET', `/pki/${'A'.repeat(43)}.cer`)).status).toBe(404);
    expect((await call('GET', '/pki/..%2f..%2fkeys%2froot.key.pem')).status).toBe(422);
  });

  it('include pages with scripts of our own, allowed by their policy', async () => {
    const page = await call('GET', `/v2/${await newLink()}`, { headers: { accept: 'text/html' } });
    const [, source = ''] = /<script[^>]* src="([^"]+)"/.exec(page.text) ?? [];
    const script = await call('GET', source);
    expect([script.status, script.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ]);
    expect((await call('GET', '/assets/email.js')).status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    // An XML namespace is a name and is not requested.
    const text = page.text.replaceAll("xmlns='http://www.w3.org/2000/svg'", '');
    expect(text).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)/);
  });

  it('include the outbox as a page with escaped text', async () => {
    await call('POST', `/v2/link/send/${own.app_id}`, {
      token: own.api_key,
      body: { send_to_email: 'page@example.test', recipient_name: '<b>Bold</b>' },
    });
    const page = await eventually('the mail on the page', async () => {
      const shown = await call('GET', '/outbox');
      return shown.text.includes('page@example.test') ? shown : null;
    });
    expect(page.status).toBe(200);
    expect(page.text).toContain('&lt;b&gt;Bold');
    expect(page.text).not.toContain('<b>Bold');
  });

  it('return 404 as a problem for unknown paths', async () => {
    for (const path of ['/v3/x', '/v2/a/b/c/d', '/%zz', '/objects/none']) {
      const answer = await call('GET', path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect(answer.body).toMatchObject({ code: 'not_found', status: 404 });
    }
  });

  it('open the codec only to an operator or the local Temporal UI', async () => {
    const body = { payloads: [] };
    expect((await call('POST', '/codec/decode', { body })).status).toBe(401);
    const headers = { origin: 'https://evil.test', 'x-operator-token': 'wrong' };
    expect((await call('POST', '/codec/decode', { body, headers })).status).toBe(401);
    const { protocol, port } = new URL(temporalUiUrl);
    for (const name of ['127.0.0.1', 'localhost']) {
      const origin = `${protocol}//${name}:${port}`;
      const answer = await call('POST', '/codec/decode', { body, headers: { origin } });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
        200,
        origin,
      ]);
      const other = { origin: `${protocol}//${name}:1` };
      const refused = await call('POST', '/codec/decode', { body, headers: other });
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
        401,
        null,
      ]);
    }
  });
});

describe('the download of an affidavit', () => {
  it('redirects an ADMIN briefly, and returns the same 404 in every other case', async () => {
    const session = await passedSession();
    await withAffidavit(session);
    const path = (app: string, id: string) => `/v2/affidavits/${app}/${id}/download`;
    const good = await call('GET', path(own.app_id, session.id), { token: own.api_key });
    expect(good.status).toBe(302);
    expect(good.headers.get('cache-control')).toBe('no-store');
    const location = good.headers.get('location') ?? '';
    expect(location.startsWith(`${baseUrl}/objects/`)).toBe(true);
    const object = location.slice(baseUrl.length);
    const file = await call('GET', object);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const forged = object.replace(/signature=.{5}/, 'signature=AAAAA');
    expect((await call('GET', forged)).status).toBe(404);
    const misses = [
      call('GET', path(own.app_id, session.id), { token: own.member.session_token }),
      call('GET', path(own.app_id, session.id), { token: foreign.api_key }),
      call('GET', path(foreign.app_id, session.id), { token: own.api_key }),
      call('GET', path(own.app_id, 'tc_none'), { token: own.api_key }),
      call('GET', path(own.app_id, '..%2f..%2f'), { token: own.api_key }),
    ];
    for (const { status, body } of await Promise.all(misses)) {
      expect([status, body['code']]).toEqual([404, 'not_found']);
    }
    expect((await call('GET', path(own.app_id, session.id))).status).toBe(401);
  });
});
