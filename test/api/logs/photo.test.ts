import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomIds } from '../../../db/ids.ts';
import { verifyAudit } from '../../../db/queries/audit.ts';
import {
  beginSession,
  call,
  newLink,
  type Answer,
  type Session,
} from '../../support/http/client.ts';
import { ownStore } from '../../support/keys/own-store.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const bytes = new Uint8Array([0xff, 0xd8, 0xff, 0xe0]);
const disk = ownStore();
let session: Session;

beforeAll(async () => {
  session = await beginSession(await newLink());
});
afterAll(() => db.end());

async function newPhoto(keptMinutes = 10, ending = 'jpg', id = session.id): Promise<string> {
  const path = `${randomIds.bytes(32).toString('base64url')}.${ending}`;
  const key = `photos/${path.replace(/^[-_]/, 'x')}`;
  const contentType = ending === 'jpg' ? 'image/jpeg' : 'image/png';
  await disk.put({ key, body: bytes, contentType });
  await db.query(
    `INSERT INTO photos (object_path, link_session_id, object_key, content_type, created_at,
       expires_at) VALUES ($1, $2, $3, $4, now(), now() + $5 * interval '1 min')`,
    [path, id, key, contentType, keptMinutes],
  );
  return path;
}
const get = (path: string): Promise<Answer> => call('GET', `/v2/photo/${path}`);

describe('a photo', () => {
  it.each([
    ['jpg', 'image/jpeg'],
    ['png', 'image/png'],
  ])('redirects to a %s for a minute', async (ending, type) => {
    const { status, headers } = await get(`photos/${await newPhoto(10, ending)}`);
    expect([status, headers.get('cache-control')]).toEqual([302, 'no-store']);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const location = new URL(headers.get('location') ?? '');
    expect(location.origin).toBe(baseUrl);
    const expires = Number(location.searchParams.get('expires')) - Date.now() / 1000;
    expect(expires).toBeLessThanOrEqual(60);
    const image = await fetch(location);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, type]);
    expect(image.headers.get('content-disposition')).toContain(`filename="photo.${ending}"`);
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await image.bytes()).toEqual(bytes);
  });

  it('returns the same 404 for every path that does not exist', async () => {
    const path = await newPhoto();
    const old = await newPhoto(-1);
    const [name = ''] = path.split('.');
    const key = `photos%2F${path}`;
    const misses = [
      `photos/${old}`,
      `photos/${randomIds.bytes(32).toString('base64url')}.jpg`,
      `photos/${name}.png`,
      `photos/${name}`,
      `photos/${path.toUpperCase()}`,
      `photos/${path}.jpg`,
      `photos/%20${path}`,
      `photos/${path}%0a`,
      `photos/${path}%00`,
      `photos/..%2fphotos%2f${path}`,
      `photos/%2e%2e%2f${path}`,
      `photos/%252e%252e%252f${path}`,
      `photos/..;${path}`,
      `photos/${key}`,
      `photos/https:%2f%2fexample.test%2f${path}`,
      `photos/${path}\u0301`,
      `photos/${'a'.repeat(400)}.jpg`,
      `photo/${path}`,
      `Photos/${path}`,
      `%70hotos%2f/${path}`,
      `evidence/${path}`,
      `..%2fphotos/${path}`,
      "photos/'%20OR%20'1'='1",
    ];
    const bodies = new Set<string>();
    for (const miss of misses) {
      const { status, body } = await get(miss);
      expect([status, body['code']], miss).toEqual([404, 'not_found']);
      const { type, title, detail } = body;
      bodies.add(JSON.stringify([type, title, detail]));
    }
    expect(bodies.size).toBe(1);
    expect((await get(`photos/${path}`)).status).toBe(302);
    // The same path in another spelling.
    expect((await get(`%70hotos/${path}?x=1`)).status).toBe(302);
  });

  it('is audited each time it is shown, and only then', async () => {
    const account = await newAccount(`photos-${process.pid}-${Date.now()}`);
    const { id } = await beginSession(await newLink());
    const path = await newPhoto(10, 'jpg', id);
    await db.query('UPDATE trust_checks SET account_id = $2 WHERE link_session_id = $1', [
      id,
      account.account_id,
    ]);
    for (const shown of [path, path]) expect((await get(`photos/${shown}`)).status).toBe(302);
    expect((await get(`photos/${path}x`)).status).toBe(404);
    const row = { action: 'photo.shown', actor: 'anybody', object_id: id, details: {} };
    expect(await audited(account)).toMatchObject([row, row]);
    expect(await verifyAudit(db, account.account_id)).toMatchObject({ rows: 2, broken: null });
  });

  it('is rate-limited by address', async () => {
    const path = await newPhoto();
    const from = `198.18.${process.pid % 250}.9`;
    await db.query('INSERT INTO rate_limits (key, points, expire) VALUES ($1, 119, $2::bigint)', [
      `logs.photo:${from}`,
      Date.now() + 60_000,
    ]);
    const ask = (address: string): Promise<Answer> =>
      call('GET', `/v2/photo/photos/${path}`, { headers: { 'x-forwarded-for': address } });
    const answers = [await ask(from), await ask(from), await ask(`${from}9`)];
    expect(answers.map(({ status }) => status)).toEqual([302, 429, 302]);
    expect(answers[1]?.body['code']).toBe('rate_limited');
    expect(Number(answers[1]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is deleted with its bytes when its session is redacted', async () => {
    const { id, step } = await beginSession(await newLink());
    const path = await newPhoto(10, 'jpg', id);
    const { headers } = await get(`photos/${path}`);
    const location = headers.get('location') ?? '';
    await step('cancel');
    const redacted = await call('POST', `/v2/trust-checks/${id}/redact`, { token: own.api_key });
    expect(redacted.status, redacted.text).toBe(200);
    expect((await get(`photos/${path}`)).status).toBe(404);
    expect((await fetch(location)).status).toBe(404);
  });
});
