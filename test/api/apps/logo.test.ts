import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveLogo } from '../../../api/apps/logo.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { findAnyApp } from '../../../db/queries/apps.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startLogoServer, type LogoServer } from '../../support/stand-ins/logo-server.ts';

const { baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const mark = `${process.pid}-${Date.now()}`;
let account: Seed;
let logos: LogoServer;
beforeAll(async () => {
  account = await newAccount(`logos-${mark}`);
  logos = await startLogoServer();
});
afterAll(() => Promise.all([db.end(), logos.stop()]));

let last = 0;
const newId = (): string => `logo-${mark}-${(last += 1)}`;
const pathOf = (id: string): string => `/v2/accounts/${account.account_id}/apps/${id}`;
const send = (method: string, id: string, body?: unknown): Promise<Answer> =>
  call(method, pathOf(id), { token: account.api_key, ...(body === undefined ? {} : { body }) });
const create = (id: string, file: string | null): Promise<Answer> =>
  send('PUT', id, { name: 'An app', kind: 'sdk', logo_url: file && `${logos.url}${file}` });
const update = (id: string, logo_url: string | null): Promise<Answer> =>
  send('PATCH', id, { logo_url });
const newApp = async (file: string | null): Promise<string> => {
  const id = newId();
  expect((await create(id, file)).status).toBe(201);
  return id;
};

/** Returns the logo URL that visitors of the app's success page see. */
async function shownOf(id: string): Promise<string | null> {
  const { body } = await call('GET', `/success/by-app/${id}?format_type=J`);
  return (body['app'] as { logo_url: string | null }).logo_url;
}

async function imageAt(address: string | null) {
  const path = new URL(address ?? '').pathname;
  const response = await fetch(`${baseUrl}${path}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { path, status: response.status, headers: response.headers, bytes };
}

describe('the logo of an app', () => {
  it('is served as a PNG at the URL of its digest; the owner reads the original URL', async () => {
    const id = newId();
    const made = await create(id, '/wide.png');
    expect([made.status, made.body['logo_url']]).toEqual([201, `${logos.url}/wide.png`]);
    const shown = await shownOf(id);
    const { path, status, headers, bytes } = await imageAt(shown);
    expect([status, shown]).toEqual([200, `${baseUrl}${path}`]);
    expect((await call('GET', path)).headers.get('content-type')).toBe('image/png');
    expect(path).toBe(`/logos/${createHash('sha256').update(bytes).digest('hex')}.png`);
    const { format, width, height, hasAlpha } = await sharp(bytes).metadata();
    expect({ format, width, height, hasAlpha }).toEqual({
      format: 'png',
      width: 256,
      height: 85,
      hasAlpha: true,
    });
    const names = [
      'content-type',
      'cache-control',
      'cross-origin-resource-policy',
      'x-content-type-options',
    ];
    expect(names.map((name) => headers.get(name))).toEqual([
      'image/png',
      'public, max-age=31536000, immutable',
      'cross-origin',
      'nosniff',
    ]);
    const link = await call('PUT', `/v2/link/${id}`, { token: account.api_key, body: {} });
    const preview = await call('GET', `/v2/${String(link.body['link_uuid'])}?format_type=J`);
    expect(preview.body['app']).toMatchObject({ app_id: id, logo_url: shown });
  });

  it('has no metadata and no bytes after the image', async () => {
    const id = await newApp('/photo.jpg');
    const photo = await imageAt(await shownOf(id));
    // The image is rotated as its metadata said, before the metadata is removed.
    const { width, height, exif } = await sharp(photo.bytes).metadata();
    expect([width, height, exif]).toEqual([160, 80, undefined]);
    expect(photo.bytes.includes('secret-of-the-camera')).toBe(false);
    await update(id, `${logos.url}/polyglot.png`);
    const { bytes } = await imageAt(await shownOf(id));
    expect([bytes.includes('script'), (await sharp(bytes).metadata()).width]).toEqual([false, 256]);
  });

  it('is fetched once per URL, and again for a URL that is set anew', async () => {
    const id = newId();
    await create(id, '/square.webp');
    const asked = () => logos.asked.filter((path) => path === '/square.webp').length;
    const before = asked();
    expect((await create(id, '/square.webp')).status).toBe(201);
    const same = await send('PATCH', id, { name: 'Another', logo_url: `${logos.url}/square.webp` });
    expect([same.status, asked()]).toEqual([200, before]);
    await update(id, null);
    expect(await shownOf(id)).toBeNull();
    await update(id, `${logos.url}/square.webp`);
    expect(asked()).toBe(before + 1);
    expect(await shownOf(id)).toMatch(/^.*\/logos\/[0-9a-f]{64}\.png$/);
  });

  it('is removed with the last app that shows it', async () => {
    const [id, other] = [await newApp('/square.webp'), await newApp('/square.webp')];
    const shown = await shownOf(id);
    await update(id, `${logos.url}/wide.png`);
    expect((await imageAt(shown)).status).toBe(200);
    expect((await send('DELETE', other)).body['logo_url']).toBe(`${logos.url}/square.webp`);
    const { rows } = await db.query('SELECT 1 FROM app_logos WHERE app_id = $1', [other]);
    expect(rows).toEqual([]);
    const digests = await db.query('SELECT 1 FROM app_logos WHERE sha256 = $1', [
      /([0-9a-f]{64})/.exec(shown ?? '')?.[1],
    ]);
    // Apps of other tests may show the same image.
    const status = digests.rows.length > 0 ? 200 : 404;
    expect((await imageAt(shown)).status).toBe(status);
    for (const name of [`${'0'.repeat(64)}.png`, '0.png', `${'A'.repeat(64)}.png`]) {
      const { status: unknown, body } = await call('GET', `/logos/${name}`);
      expect([unknown, body['code']]).toEqual([404, 'not_found']);
    }
  });
});

describe('a logo that cannot be used', () => {
  it.each([
    ['/redirect.png', 'leads to another one'],
    ['/redirect-here.png', 'leads to another one'],
    ['/endless.png', 'larger than 1 MiB'],
    ['/large.png', 'larger than 1 MiB'],
    ['/drip.png', 'within 5 seconds'],
    ['/cut.png', 'did not answer 200'],
    ['/missing.png', 'did not answer 200'],
    ['/logo.svg', 'SVG is not taken'],
    ['/svg.png', 'no PNG, JPEG or WebP'],
    ['/page.png', 'no PNG, JPEG or WebP'],
    ['/script.gif', 'no PNG, JPEG or WebP'],
    ['/empty.png', 'no PNG, JPEG or WebP'],
    ['/truncated.png', 'damaged'],
    ['/bomb.png', '16 million pixels'],
    ['/over.png', '16 million pixels'],
  ])('%s is rejected with its reason, and the app is unchanged', async (file, words) => {
    const id = await newApp('/square.webp');
    const before = await shownOf(id);
    const fault = {
      loc: ['body', 'logo_url'],
      type: 'logo_refused',
      msg: expect.stringContaining(words),
    };
    const change = { name: 'Renamed', logo_url: `${logos.url}${file}` };
    const refused = await send('PATCH', id, change);
    expect([refused.status, refused.body]).toEqual([422, { detail: [fault] }]);
    const { body } = await send('GET', id);
    expect([body['name'], body['logo_url']]).toEqual(['An app', `${logos.url}/square.webp`]);
    expect(await shownOf(id)).toBe(before);
  });

  it('is read only up to the limit and follows no redirect', () => {
    // The socket buffers of both sides count too.
    expect(logos.taken()).toBeLessThan(64 * 1024 * 1024);
    expect(logos.asked).not.toContain('/latest/meta-data');
  });

  it('prevents the creation of the app', async () => {
    const id = newId();
    const refused = await create(id, '/missing.png');
    const fault = { loc: ['body', 'logo_url'], type: 'logo_refused' };
    expect([refused.status, refused.body['detail']]).toEqual([
      422,
      [expect.objectContaining(fault)],
    ]);
    expect((await send('GET', id)).status).toBe(404);
    expect((await audited(account)).filter(({ object_id }) => object_id === id)).toEqual([]);
  });

  it('is not fetched if its URL is not allowed', async () => {
    const id = await newApp(null);
    const url = `${logos.url}/wide.png#part`;
    const asked = logos.asked.length;
    for (const refused of [
      await update(id, url),
      await send('PUT', newId(), { name: 'An app', kind: 'sdk', logo_url: url }),
    ]) {
      const fault = { loc: ['body', 'logo_url'], type: 'forbidden_target' };
      expect([refused.status, refused.body['detail']]).toEqual([
        422,
        [expect.objectContaining(fault)],
      ]);
    }
    expect(logos.asked).toHaveLength(asked);
  });

  it('is not fetched for a caller who may not change the app', async () => {
    const id = await newApp(null);
    const body = { logo_url: `${logos.url}/wide.png` };
    const stranger = await newAccount(`logo-stranger-${mark}`);
    const asked = logos.asked.length;
    const refused = await call('PATCH', pathOf(id), { token: stranger.api_key, body });
    await send('DELETE', id);
    const archived = await send('PATCH', id, body);
    const taken = await create(id, '/wide.png');
    expect([refused, archived, taken].map(({ status }) => status)).toEqual([404, 409, 409]);
    expect(logos.asked).toHaveLength(asked);
  });
});

describe('concurrent changes of one logo', () => {
  it('store URL and image of the same request', async () => {
    const id = await newApp(null);
    const files = ['/wide.png', '/square.webp', '/photo.jpg'] as const;
    const images = new Map<string, string | null>();
    for (const file of files) images.set(`${logos.url}${file}`, await shownOf(await newApp(file)));
    for (let round = 0; round < 4; round += 1) {
      const answers = await Promise.all([
        ...files.map((file) => update(id, `${logos.url}${file}`)),
        update(id, null),
      ]);
      // A request that reused the stored image gets 409 if another replaced it meanwhile.
      expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
      const { body } = await send('GET', id);
      const url = body['logo_url'] as string | null;
      expect(await shownOf(id)).toBe(url === null ? null : images.get(url));
    }
  });

  it('return 409 if the image to be reused was replaced meanwhile', async () => {
    const id = await newApp('/square.webp');
    const before = await findAnyApp(db, id);
    if (!before) throw new Error('no app');
    const after = { ...before, logo_url: `${logos.url}/wide.png` };
    const tx = await db.connect();
    try {
      const settled = saveLogo({ tx }, before, after, null, new Date());
      await expect(settled).rejects.toMatchObject({ code: 'invalid_state' });
    } finally {
      tx.release();
    }
  });

  it('create one app', async () => {
    const id = newId();
    const made = await Promise.all([
      create(id, '/wide.png'),
      create(id, '/wide.png'),
      create(id, '/square.webp'),
    ]);
    expect(made.some(({ status }) => status === 201)).toBe(true);
    const { body } = await send('GET', id);
    const winner = String(body['logo_url']).slice(logos.url.length);
    expect(await shownOf(id)).toBe(await shownOf(await newApp(winner)));
  });
});
