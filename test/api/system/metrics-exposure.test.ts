import { describe, expect, it } from 'vitest';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, metricsUrls, baseUrl } = ownPlatform();
const business = ['state', 'proof', 'result', 'outbox'];
const node = ['major', 'minor', 'patch'];
const sources = new Set(['outside', 'own', 'none']);
const marker = `planted-${process.pid}`;

/** Returns the labels of every series, as in `name{label="value"}`. */
async function labels(url: string): Promise<[string, string][]> {
  const text = await (await fetch(url)).text();
  return [...text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
}

describe('metrics', () => {
  it.each(['/metrics', '/metrics/', '/Metrics', '/%6detrics'])(
    'are not served at %s of the API itself',
    async (path) => {
      const answer = await call('GET', path);
      expect([answer.status, answer.text.includes('trustcheck_http')]).toEqual([404, false]);
    },
  );

  it.each(metricsUrls)('are the only content of %s', async (url) => {
    expect((await fetch(url)).status).toBe(200);
    for (const path of ['/', '/metrics/x', '/v2/events', '/outbox', '/openapi.json']) {
      expect((await fetch(new URL(path, url))).status, path).toBe(404);
    }
  });

  it('include the age of the Android status list, reported by one process', async () => {
    const age = /^trustcheck_android_status_list_age_seconds (\S+)$/m;
    await eventually('the age', async () => {
      const texts = await Promise.all(metricsUrls.map(async (url) => (await fetch(url)).text()));
      const told = texts.flatMap((text) => age.exec(text)?.[1] ?? []);
      return told.length === 1 && Number(told[0]) < 24 * 3600;
    });
  });

  it('have only known label names and values, whatever is requested', async () => {
    const { id, token } = await beginSession(await newLink());
    const calls: [string, string, object][] = [
      ['GET', `/v2/${marker}`, {}],
      ['GET', `/${marker}/${marker}?x=${marker}`, {}],
      ['GET', `/docs/errors/${marker}`, {}],
      ['GET', `/v2/trust-checks/${marker}`, { token: own.api_key }],
      ['POST', `/v2/trust-checks/${id}/proofs/${marker}`, { token, body: {} }],
      ['PATCH', `/v2/${marker}`, { token: marker, body: {} }],
      ['PUT', `/v2/link/${marker}`, { token: own.api_key, body: { title: marker } }],
      ['POST', '/v2/devices', { body: { platform: marker }, headers: { attest: marker } }],
      ['GET', '/v2/devices', { headers: { attest: marker, 'user-agent': marker } }],
    ];
    for (const [method, path, options] of calls) await call(method, path, options);
    await fetch(`${baseUrl}/v2/events`, { method: marker.toUpperCase() });
    const operations = new Set(contracts.map((contract) => contract.id));
    for (const url of metricsUrls) {
      const seen = await labels(url);
      expect(seen.filter(([, value]) => value.includes('planted'))).toEqual([]);
      const names = new Set(seen.map(([name]) => name));
      const known = ['operation', 'status', 'reason', 'le', 'source', 'version'];
      expect(
        [...names].filter(
          (name) =>
            ![...known, ...node, 'kind', 'limit', 'space', 'type', 'vendor', ...business].includes(
              name,
            ),
        ),
      ).toEqual([]);
      const of = (wanted: string) => seen.filter(([name]) => name === wanted);
      expect(of('operation').filter(([, value]) => !operations.has(value))).toEqual([]);
      expect(of('status').filter(([, value]) => !/^[1-5]xx$/.test(value))).toEqual([]);
      expect(of('source').filter(([, value]) => !sources.has(value))).toEqual([]);
      expect(of('reason').filter(([, value]) => !/^[a-z_]{1,40}$/.test(value))).toEqual([]);
    }
  });
});
