import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserOf } from '../../support/http/browser-keys.ts';
import { beginSession, newLink } from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { eachOf } from '../authz/cells.ts';
import { atOnce, hostilePaths } from './lists.ts';

const { own, baseUrl } = ownPlatform();
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
afterAll(() => agent.destroy());
let checkToken = '';
beforeAll(async () => {
  checkToken = (await beginSession(await newLink())).token;
});

interface Got {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
  readonly type: string;
}

/** Requests a path exactly as given, without normalization by a client. */
async function get(method: string, path: string, token?: string): Promise<Got> {
  const { hostname, port } = new URL(baseUrl);
  const dpop = await browserOf(token ?? null)?.sign({ method, url: `${baseUrl}${path}`, token });
  const headers = {
    ...(dpop === undefined ? {} : { dpop }),
    'x-forwarded-for': `10.8.${Math.floor(Math.random() * 256)}.1`,
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('latin1');
      response.on('data', (part: string) => (text += part));
      response.once('end', () => {
        const { location, 'content-type': type = '' } = response.headers;
        resolve({ status: response.statusCode ?? 0, text, location, type });
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}

/**
 * Returns what is wrong with the answer to a hostile path: a success, a 5xx, a file or a redirect.
 */
function wrongOf({ status, text, location, type }: Got): string | null {
  // The HTTP parser rejects longer request lines.
  if (status === 431) return null;
  // RFC 6960 §2.3: an OCSP responder answers malformed requests with 200 and `malformedRequest`.
  if (type === 'application/ocsp-response' && text === '0\u0003\n\u0001\u0001') return null;
  if (![400, 404, 422].includes(status)) return String(status);
  if (location !== undefined) return `leads to ${location}`;
  if (!/^application\/(problem\+)?json/.test(type)) return type;
  return /root:|BEGIN |"dependencies"|\[extensions\]/.test(text) ? text.slice(0, 100) : null;
}

const app = own.app_id;
/** Paths to files, pages and people, with the hostile name in them. */
const places: Readonly<Record<string, (name: string) => string>> = {
  'a bucket of photos': (name) => `/v2/photo/${name}/x.jpg`,
  'a photo': (name) => `/v2/photo/photos/${name}`,
  'a report': (name) => `/v2/reports/meeting/${name}`,
  'the keys of a person': (name) => `/users/${name}/.well-known/jwks.json`,
  'a file of the authority': (name) => `/pki/${name}`,
  'a fault in the documents': (name) => `/docs/errors/${name}`,
  'an affidavit': (name) => `/verify/${name}`,
  'a link': (name) => `/v2/${name}`,
  'a link of an app': (name) => `/v2/${app}/${name}`,
  'a card of a link': (name) => `/v2/preview/S/${app}/${name}`,
  'a success page': (name) => `/success/${name}`,
  'the success page of an app': (name) => `/success/by-app/${name}`,
  'a script': (name) => `/assets/${name}`,
  'a logo': (name) => `/logos/${name}`,
  'a file of the store': (name) => `/objects/${name}`,
  'a document of its own': (name) => `/.well-known/${name}`,
  'the top': (name) => `/${name}`,
};

describe('hostile paths', () => {
  it('the corpus has at least 150 distinct hostile paths', () => {
    expect(hostilePaths.length).toBeGreaterThanOrEqual(150);
    expect(new Set(hostilePaths).size).toBe(hostilePaths.length);
  });

  it.each(Object.entries(places))(
    'return an error without content for %s',
    async (_what, place) => {
      const wrong: unknown[] = [];
      await eachOf(hostilePaths, atOnce, async (name) => {
        const found = wrongOf(await get('GET', place(name)));
        if (found !== null) wrong.push([name.slice(0, 60), found]);
      });
      expect(wrong).toEqual([]);
    },
  );

  it('match no object in any operation, even for an authorized caller', async () => {
    const wrong: unknown[] = [];
    let [signed, unsignable] = [0, 0];
    let place = 0;
    const cases = contracts.flatMap(({ method, path, auth }) => {
      const names = [...path.matchAll(/\{[^}]+\}/g)].map(([name]) => name);
      return names.flatMap((name) =>
        Array.from({ length: 9 }, () => {
          place = (place + 1) % hostilePaths.length;
          const hostile = hostilePaths[place] ?? '';
          const rest = path.replace(name, hostile).replaceAll(/\{[^}]+\}/g, 'x-y-z');
          return { method: method.toUpperCase(), path: rest, auth };
        }),
      );
    });
    expect(cases.length).toBeGreaterThan(1_000);
    await eachOf(cases, atOnce, async ({ method, path, auth }) => {
      const token = auth.includes('key')
        ? own.api_key
        : auth.includes('session')
          ? own.admin.session_token
          : auth.includes('check-token')
            ? checkToken
            : undefined;
      const got = await get(method, path, token);
      if (token === checkToken) signed += 1;
      // Letters outside the URL alphabet cannot be signed as sent.
      if (token === checkToken && got.text.includes('"invalid_dpop_proof"')) {
        unsignable += 1;
        return;
      }
      const found = wrongOf(got);
      if (found !== null) wrong.push([method, path.slice(0, 100), found]);
    });
    expect(wrong).toEqual([]);
    expect(unsignable).toBeLessThan(signed / 4);
  });
});
