import { afterAll, describe, expect, it } from 'vitest';
import { appleDocument, assetLinksDocument } from '../../../api/keys/app-association.ts';
import { addApp } from '../../../db/queries/seeding.ts';
import { call } from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const digest = 'AB'.repeat(32);
const colons = Array.from({ length: 32 }, () => 'AB').join(':');
const applePaths = [
  '/.well-known/ios-app-site-association',
  '/ios-app-site-association',
  '/.well-known/apple-app-site-association',
  '/apple-app-site-association',
];

async function addMobileApp(appId: string, status: string, mobile = appId): Promise<void> {
  const apple = JSON.stringify({ team_id: 'ABCDE12345', bundle_id: `test.${mobile}` });
  const android = JSON.stringify({ package: `test.${mobile}`, signature_digests: [digest] });
  const origin = [appId, own.account_id, appId, true, null, [], [], null, '1', null];
  await addApp(db, [...origin, apple, android, new Date()]);
  await db.query('UPDATE apps SET status = $2::app_status WHERE app_id = $1', [appId, status]);
}

/**
 * Returns the common text of all paths; undefined if it differs because an app was added meanwhile.
 */
async function sameUnderEveryPath(): Promise<string | undefined> {
  const texts = new Set<string>();
  for (const path of applePaths) {
    const answer = await call('GET', path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('cache-control')).toContain('max-age=300');
    texts.add(answer.text);
  }
  return texts.size === 1 ? [...texts][0] : undefined;
}

describe('app association documents', () => {
  it('list the mobile apps of active apps, the same under every path', async () => {
    await addMobileApp('mobile-active', 'active');
    await addMobileApp('mobile-archived', 'archived');
    await addMobileApp('mobile-first', 'active', 'mobile-shared');
    await addMobileApp('mobile-second', 'active', 'mobile-shared');
    const text = await eventually('one text under every path', sameUnderEveryPath);
    const { applinks } = JSON.parse(text) as ReturnType<typeof appleDocument>;
    const of = (id: string) => applinks.details.find(({ appIDs }) => appIDs.includes(id));
    expect(of('ABCDE12345.test.mobile-active')?.components).toEqual([
      { '/': '/v2/mobile-active/*' },
    ]);
    expect(of('ABCDE12345.test.mobile-archived')).toBeUndefined();
    expect(of('ABCDE12345.test.mobile-shared')?.components).toEqual([
      { '/': '/v2/mobile-first/*' },
      { '/': '/v2/mobile-second/*' },
    ]);
  });

  it('list Android packages with their signature digests', async () => {
    await addMobileApp('mobile-android', 'active');
    const answer = await call('GET', '/.well-known/assetlinks.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    const statements = JSON.parse(answer.text) as unknown[];
    expect(statements).toContainEqual({
      relation: ['delegate_permission/common.handle_all_urls'],
      target: {
        namespace: 'android_app',
        package_name: 'test.mobile-android',
        sha256_cert_fingerprints: [colons],
      },
    });
  });

  it('return 304 for a matching ETag', async () => {
    for (const path of [...applePaths, '/.well-known/assetlinks.json']) {
      await eventually(`${path} is 304`, async () => {
        const tag = (await call('GET', path)).headers.get('etag') ?? '';
        const again = await call('GET', path, { headers: { 'if-none-match': tag } });
        return again.status === 304 && again.text === '';
      });
    }
  });
});

describe('appleDocument and assetLinksDocument', () => {
  const apple = { team_id: 'ABCDE12345', bundle_id: 'test.app' };

  it('match all links of a mobile app that serves more than 50 apps', () => {
    const rows = Array.from({ length: 51 }, (_, index) => ({
      app_id: `app-${index}`,
      apple,
      android: null,
    }));
    const { details } = appleDocument(rows).applinks;
    expect(details).toEqual([
      {
        appIDs: ['ABCDE12345.test.app'],
        components: [{ '/': '/v2/*/????????-????-????-????-????????????' }],
      },
    ]);
    expect(appleDocument(rows.slice(1)).applinks.details[0]?.components).toHaveLength(50);
  });

  it('accept digests in each notation, deduplicate them, and skip invalid ones', () => {
    const base64 = Buffer.from(digest, 'hex').toString('base64url');
    const forms = [digest, digest.toLowerCase(), colons, base64, 'nonsense', ''];
    const android = { package: 'test.app', signature_digests: forms };
    const none = { package: 'test.none', signature_digests: ['nonsense'] };
    const [statement, ...more] = assetLinksDocument([
      { app_id: 'a', apple: null, android },
      { app_id: 'b', apple: null, android: none },
      { app_id: 'c', apple: null, android: { ...android, signature_digests: ['CD'.repeat(32)] } },
    ]);
    expect(more).toEqual([]);
    expect(statement?.target.sha256_cert_fingerprints).toEqual([
      colons,
      colons.replaceAll('AB', 'CD'),
    ]);
  });

  it('are empty if no app has a mobile identity', () => {
    expect(appleDocument([])).toEqual({ applinks: { details: [] } });
    expect(assetLinksDocument([{ app_id: 'a', apple, android: null }])).toEqual([]);
  });
});
