import { describe, expect, it } from 'vitest';
import { outboxPage } from '../../../api/system/outbox-page.ts';
import { call, newLink } from '../../support/http/client.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, baseUrl } = ownPlatform();
const { api_key: token } = own;

const hostile = [
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '</style><script>alert(1)</script>',
  '</pre></title></textarea><img src=x onerror=alert(1)>',
  '"><svg/onload=alert(1)>',
  "' autofocus onfocus=alert(1) x='",
  '<!--<script>',
  '&lt;script&gt;alert(1)',
];
/**
 * Elements and attributes that none of our pages contains, as a browser parses them. Data blocks
 * are no scripts, and links to the same page in another language are allowed.
 */
const foreign =
  /<script(?![^<>]* src="\/| type="application\/json" id="facts">)|<img|<svg\/|<iframe|<[a-z][^<>]* on[a-z]+\s*=|<!--|href="(?!https?:|\/|#|data:,"|\?locale=[a-z]{2}")/i;

function checkPage(page: { readonly text: string; readonly headers: Headers }): void {
  const isPage = page.headers.get('content-type')?.startsWith('text/html');
  if (isPage) expect(page.text).not.toMatch(foreign);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("base-uri 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|\*/);
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
}

describe('a page', () => {
  it.each(hostile)('of a link shows the title %s as text', async (title) => {
    const uuid = await newLink({ title, reference_id: title, metadata: { note: title } });
    for (const path of [`/v2/preview/H/${own.app_id}/${uuid}`, `/v2/${own.app_id}/${uuid}`]) {
      const page = await call('GET', path, { headers: { accept: 'text/html' } });
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      checkPage(page);
    }
  });

  it('of the outbox shows quoted text as text', async () => {
    const [, title = '', recipient_name = '', reference_note = ''] = hostile;
    const email = `hostile-${process.pid}@example.test`;
    const sent = await call('POST', `/v2/link/send/${own.app_id}`, {
      token,
      body: { send_to_email: email, recipient_name, title, reference_note },
    });
    expect(sent.status).toBe(200);
    const page = await eventually('the message', async () => {
      const shown = await call('GET', '/outbox');
      return shown.text.includes(email) && shown;
    });
    checkPage(page);
    const at = new Date();
    for (const text of [
      ...hostile,
      `${baseUrl}/"onclick=alert(1)`,
      'javascript:alert(1)',
      `${baseUrl}.evil.test/`,
    ]) {
      const entry = { channel: text, recipient: text, subject: text, text, created_at: at };
      const made = outboxPage([Object.assign({ message_id: 'm', html: text }, entry)], baseUrl);
      expect(made.content).not.toMatch(foreign);
      expect(made.content).not.toContain('href="javascript');
      expect(made.content).not.toContain('.evil.test/">');
    }
  });

  it.each([...hostile, 'javascript:alert(1)'])(
    'for an unknown path does not repeat %s',
    async (text) => {
      const place = encodeURIComponent(text);
      for (const path of [
        `/docs/errors/${place}`,
        `/v2/${place}`,
        `/verify/${place}`,
        `/${place}`,
      ]) {
        const answer = await fetch(`${baseUrl}${path}`, { headers: { accept: 'text/html' } });
        const page = { text: await answer.text(), headers: answer.headers };
        expect([404, 422], path).toContain(answer.status);
        checkPage(page);
      }
    },
  );

  it.each(['/docs', '/docs/errors/not_found', '/outbox'])(
    'at %s has a strict content security policy',
    async (path) => {
      const page = await call('GET', path, { headers: { accept: 'text/html' } });
      expect(page.status).toBe(200);
      checkPage(page);
    },
  );
});

describe('a link', () => {
  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.test/x',
    '//example.test',
  ])('cannot redirect to %s', async (redirect_url) => {
    const made = await call('PUT', `/v2/link/${own.app_id}`, { token, body: { redirect_url } });
    expect(made.status).toBe(422);
    const uuid = await newLink();
    const changed = await call('PATCH', `/v2/${uuid}`, { token, body: { redirect_url } });
    expect(changed.status).toBe(422);
    const begun = await call('POST', '/v2/trust-checks', {
      body: { link_uuid: uuid, client: 'web', return_to: redirect_url },
    });
    expect(begun.status).toBe(422);
  });
});
