import { describe, expect, it } from 'vitest';
import { negotiate } from '../../../../api/links/visitor/negotiate.ts';
import { call, newLink } from '../../../support/http/client.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own } = ownPlatform();

const browser =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const formatOf = (headers: Readonly<Record<string, string>>) =>
  negotiate({ header: (name) => headers[name] });

describe('format_type=A', () => {
  it.each([
    [undefined, 'H'],
    ['', 'H'],
    ['*/*', 'H'],
    [browser, 'H'],
    ['text/html', 'H'],
    ['application/json', 'J'],
    ['APPLICATION/JSON', 'J'],
    ['application/json, text/plain, */*', 'J'],
    ['application/json, text/html', 'J'],
    ['text/html, application/json', 'H'],
    ['text/html;q=0.5, application/json', 'J'],
    ['text/html, application/json;q=0.9', 'H'],
    ['application/json;q=0, text/html', 'H'],
    ['application/json;q=0', 'H'],
    ['text/html;q=0, application/json;q=0.1', 'J'],
    ['application/json;q=nonsense', 'H'],
    ['application/*', 'J'],
    ['image/svg+xml', 'S'],
    ['*/*;q=0.1, image/svg+xml', 'S'],
    ['image/avif,image/webp,image/*,*/*;q=0.8', 'S'],
    ['video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5', 'S'],
    ['image/svg+xml;q=0, image/*, */*;q=0.1', 'H'],
    ['image/png', 'H'],
    [`text/html;q=0.1,${'a/b,'.repeat(5_000)}application/json`, 'H'],
  ])('maps accept %j to %s', (accept, format) => {
    expect(formatOf(accept === undefined ? {} : { accept })).toBe(format);
  });

  it('prefers the kind of client to the Accept header', () => {
    const image = { 'sec-fetch-dest': 'image', accept: 'application/json' };
    expect(formatOf(image)).toBe('S');
    expect(formatOf({ ...image, attest: 'of the app' })).toBe('J');
    const phone = { accept: browser, 'sec-ch-ua-mobile': '?1' };
    expect([formatOf(phone), formatOf({ ...phone, accept: 'application/json' })]).toEqual([
      'install',
      'J',
    ]);
  });
});

describe('a link preview', () => {
  it('is not cached, sends no referrer, and lists the headers it varies by', async () => {
    const uuid = await newLink();
    for (const [format, policy] of [
      ['J', /^default-src 'none';/],
      ['S', /^(?=.*\bsandbox\b)(?=.*default-src 'none')/],
      ['H', /^(?!.*(unsafe|\*))(?=.*default-src 'none')(?=.*frame-ancestors)/],
    ] as const) {
      for (const path of [
        `/v2/${own.app_id}/${uuid}?format_type=${format}`,
        `/v2/${uuid}?format_type=${format}`,
        `/v2/preview/${format}/${own.app_id}/${uuid}`,
      ]) {
        const { status, headers } = await call('GET', path, { headers: { accept: browser } });
        expect([path, status]).toEqual([path, 200]);
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('content-security-policy')).toMatch(policy);
        expect(headers.get('vary')).toBe(
          'Origin, Accept, Attest, Sec-Fetch-Dest, Accept-Language, Sec-CH-UA-Mobile, User-Agent',
        );
      }
    }
  });

  it('lists the headers it varies by even for an unknown link', async () => {
    const accepts = ['application/json;q=0, text/html', 'application/json', '*/*'];
    const answers = await Promise.all(
      accepts.map(async (accept) => {
        const at = `${ownPlatform().baseUrl}/v2/${crypto.randomUUID()}`;
        const { status, headers } = await fetch(at, { headers: { accept } });
        return [status, headers.get('content-type')?.split(';')[0], headers.get('vary')];
      }),
    );
    expect(answers).toEqual([
      [404, 'text/html', 'Origin, Accept, Accept-Language'],
      [404, 'application/problem+json', 'Origin, Accept'],
      [404, 'application/problem+json', 'Origin, Accept'],
    ]);
  });
});
