import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enterPlatformCertificates } from '../../../activities/keys/certificates/enter-platform-certificates.ts';
import { issueCrl } from '../../../activities/keys/certificates/issue-crl.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import type { Db } from '../../../db/client.ts';
import {
  findCurrentCertificate,
  listUserCertificates,
  revokeByDevice,
  revokeBySerial,
} from '../../../db/queries/certificates.ts';
import { listRevoked } from '../../../db/queries/crls.ts';
import { addAccount, addApp, addUser } from '../../../db/queries/seeding.ts';
import { entryOf, readCrl } from '../../../domain/pki/revocation/crl.ts';
import { publicJwkOf } from '../../../domain/pki/x509/thumbprint.ts';
import { issueUserCertificate } from '../../support/keys/issue-user-certificate.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-crl-'));
const now = new Date('2026-11-21T06:00:00.250Z');
const hourMs = 3600_000;
const later = (hours: number): Date => new Date(now.getTime() + hours * hourMs);
const baseUrl = 'https://trust.example.test';
const polyUserId = 'pu_00000000000000000000000001';
let keys: PlatformKeys;
let db: Db;
let drop: () => Promise<void>;

beforeAll(async () => {
  await createDevPki(join(directory, 'keys'), { now, baseUrl });
  keys = loadKeys(join(directory, 'keys'));
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  const [account] = await addAccount(db, ['Account', true, now]);
  await addUser(db, [polyUserId, 'cert', now]);
  const app = ['app', account?.account_id, 'App', true, null, [], [], null, '1', null, null, null];
  await addApp(db, [...app, now]);
});
afterAll(async () => {
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

async function addDevice(deviceId: string): Promise<string> {
  await db.query(
    `INSERT INTO devices (device_id, poly_user_id, app_id, platform, attested_key_id,
       public_key_spki, evidence_sealed, verdict, signing_kid, created_at)
     VALUES ($1, $2, 'app', 'ios', $1, '', '', '{}', 'kid', $3)`,
    [deviceId, polyUserId, now],
  );
  return deviceId;
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
const issue = (deviceId: string | null, key = newKey(), at = now) =>
  issueUserCertificate(
    { on: db, peopleCa: keys.peopleCa, baseUrl },
    { polyUserId, deviceId, publicKey: publicJwkOf(key), now: at, random: randomBytes },
  );
const crl = (at: Date, issuer = keys.peopleCa) => issueCrl({ db, issuer }, at);

function save(name: string, content: Uint8Array | string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const openssl = (...args: string[]): string =>
  execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });
const hasOpenssl = (): boolean => {
  try {
    return openssl('version').startsWith('OpenSSL');
  } catch {
    return false;
  }
};

describe('the certificate of a user', () => {
  it('contains only the opaque id, is valid for a year, and is stored', async () => {
    const key = newKey();
    const issued = await issue(await addDevice('dev_1'), key);
    const [leaf, ca] = issued.chain.map((pem) => new X509Certificate(pem));
    expect(issued.chain).toHaveLength(2);
    expect(leaf?.subject).toBe(`CN=${polyUserId}`);
    expect(leaf?.subjectAltName).toBeUndefined();
    expect(leaf?.publicKey.equals(key)).toBe(true);
    expect(ca?.raw.equals(keys.peopleCa.certificate.raw)).toBe(true);
    expect(leaf?.verify(keys.peopleCa.publicKey)).toBe(true);
    expect(leaf?.serialNumber.toLowerCase()).toBe(issued.serial);
    expect(leaf?.validFromDate).toEqual(issued.notBefore);
    expect(leaf?.validToDate).toEqual(issued.notAfter);
    expect(issued.notBefore.toISOString()).toBe('2026-11-21T05:55:00.000Z');
    expect(issued.notAfter.getTime() - issued.notBefore.getTime()).toBe(365 * 24 * hourMs);
    expect(leaf?.raw.includes(`${baseUrl}/pki/${keys.peopleCa.kid}.crl`)).toBe(true);
    const row = await findCurrentCertificate(db, polyUserId, issued.kid, now);
    expect(row).toMatchObject({ serial: issued.serial, kind: 'people', device_id: 'dev_1' });
    expect(row?.der).toEqual(leaf?.raw);
    expect(await findCurrentCertificate(db, polyUserId, issued.kid, issued.notAfter)).toBeNull();
    expect(await findCurrentCertificate(db, 'pu_other', issued.kid, now)).toBeNull();
  });

  it('accepts a key as SPKI', async () => {
    const publicKey = newKey().export({ type: 'spki', format: 'der' });
    const request = { polyUserId, deviceId: null, publicKey, now, random: randomBytes };
    const deps = { on: db, peopleCa: keys.peopleCa, baseUrl };
    const [leaf = ''] = (await issueUserCertificate(deps, request)).chain;
    const certified = new X509Certificate(leaf).publicKey.export({ type: 'spki', format: 'der' });
    expect(certified.equals(publicKey)).toBe(true);
  });

  it('never outlives its CA', async () => {
    const issued = await issue(null, newKey(), later(24 * (5 * 365 - 10)));
    expect(issued.notAfter).toEqual(keys.peopleCa.certificate.validToDate);
  });

  it.each<[string, () => Parameters<typeof issueUserCertificate>[1]['publicKey']]>([
    [
      'on another curve',
      () => publicJwkOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey),
    ],
    [
      'of another kind',
      () => generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }),
    ],
    [
      'off the curve',
      () => ({ ...publicJwkOf(newKey()), y: randomBytes(32).toString('base64url') }),
    ],
    ['that is no key', () => ({ kty: 'oct', crv: 'P-256', x: '', y: '' })],
    ['of hostile bytes', () => randomBytes(91)],
    ['of no bytes', () => new Uint8Array()],
  ])('is refused for a key %s, and nothing is stored', async (_what, publicKey) => {
    const before = (await listUserCertificates(db, polyUserId)).length;
    const deps = { on: db, peopleCa: keys.peopleCa, baseUrl };
    const request = {
      polyUserId,
      deviceId: null,
      publicKey: publicKey(),
      now,
      random: randomBytes,
    };
    await expect(issueUserCertificate(deps, request)).rejects.toMatchObject({
      code: 'key_refused',
    });
    expect(await listUserCertificates(db, polyUserId)).toHaveLength(before);
  });

  it('is not recorded when signing fails', async () => {
    const failing = { ...keys.peopleCa, sign: () => Promise.reject(new Error('no signature')) };
    const serial = randomBytes(16);
    const request = { polyUserId, deviceId: null, publicKey: publicJwkOf(newKey()), now };
    const random = (): Buffer => serial;
    const deps = { on: db, peopleCa: failing, baseUrl };
    await expect(issueUserCertificate(deps, { ...request, random })).rejects.toThrow(
      'no signature',
    );
    const again = (): Promise<unknown> =>
      issueUserCertificate({ ...deps, peopleCa: keys.peopleCa }, { ...request, random });
    await again();
    // A repeated serial is a fault of the random generator, not a second certificate.
    await expect(again()).rejects.toThrow('duplicate key');
  });
});

describe('a CRL', () => {
  it('is valid for a day, then signed again with the next number', async () => {
    const first = await crl(now);
    expect(await crl(later(23))).toEqual(first);
    const second = await crl(later(25));
    expect(second.number).toBe(first.number + 1);
    expect(second.nextUpdate.getTime() - later(25).getTime()).toBe(7 * 24 * hourMs);
    expect(second.thisUpdate.getTime()).toBeLessThan(later(25).getTime());
  });

  it('lists a revoked certificate at once, and is signed once for concurrent requests', async () => {
    const { serial } = await issue(await addDevice('dev_2'));
    const before = await crl(later(26));
    expect(before.der.includes(Buffer.from(serial, 'hex'))).toBe(false);
    const revocation = { at: later(26), reason: 'superseded' } as const;
    expect(await revokeByDevice(db, 'dev_2', revocation)).toEqual([serial]);
    expect(await revokeByDevice(db, 'dev_2', revocation)).toEqual([]);
    const asked = await Promise.all(Array.from({ length: 5 }, () => crl(later(26))));
    for (const each of asked) expect(each.der).toEqual(asked[0]?.der);
    expect(asked[0]?.number).toBe(before.number + 1);
    expect(asked[0]?.der.includes(Buffer.from(serial, 'hex'))).toBe(true);
  });

  it('is signed again for a later certificate, once for concurrent requests', async () => {
    const at = later(52);
    const old = await crl(at);
    const since = new Date(old.thisUpdate.getTime() + 1_000);
    const issuer = keys.peopleCa;
    const anew = () => issueCrl({ db, issuer, since }, later(53));
    const asked = await Promise.all(Array.from({ length: 5 }, anew));
    expect(asked.map(({ number }) => number)).toEqual(asked.map(() => old.number + 1));
    expect(asked[0]?.thisUpdate.getTime()).toBeGreaterThan(since.getTime());
    expect((await crl(later(53))).der).toEqual(asked[0]?.der);
  });

  it('accepts a worse reason later but never a better one, and keeps the first date', async () => {
    const { serial, kid } = await issue(await addDevice('dev_3'));
    const leaked = later(10);
    expect(await revokeBySerial(db, serial, { at: later(30), reason: 'superseded' })).toBe(true);
    const worse = { at: later(40), reason: 'compromised', invalidityDate: leaked } as const;
    expect(await revokeBySerial(db, serial, worse)).toBe(true);
    expect(await revokeBySerial(db, serial, { at: later(50), reason: 'unspecified' })).toBe(false);
    expect(await revokeBySerial(db, 'ff', worse)).toBe(false);
    const rows = await listRevoked(db, keys.peopleCa.kid);
    expect(rows.find((row) => row.serial === serial)).toMatchObject({
      revoked_at: later(30),
      revocation_reason: 'compromised',
      invalidity_date: leaked,
    });
    expect(await findCurrentCertificate(db, polyUserId, kid, now)).toBeNull();
  });

  it('invalidates all other certificates of a compromised key', async () => {
    const key = newKey();
    const first = await issue(null, key);
    const second = await issue(null, key);
    expect((await findCurrentCertificate(db, polyUserId, second.kid, now))?.kid).toBe(first.kid);
    await revokeBySerial(db, first.serial, { at: now, reason: 'compromised' });
    expect(await findCurrentCertificate(db, polyUserId, second.kid, now)).toBeNull();
  });

  it('lists a revoked seal when it is of the services CA', async () => {
    await enterPlatformCertificates(db, keys);
    await enterPlatformCertificates(db, keys);
    const serial = keys.seal.certificate.serialNumber.toLowerCase();
    expect((await crl(now, keys.servicesCa)).der.includes(Buffer.from(serial, 'hex'))).toBe(false);
    const stamps = keys.tsa.certificate.serialNumber.toLowerCase();
    await revokeBySerial(db, serial, { at: later(1), reason: 'compromised' });
    await revokeBySerial(db, stamps, { at: later(1), reason: 'unspecified' });
    const listed = await crl(later(1), keys.servicesCa);
    expect(entryOf(readCrl(listed.der), serial)).toMatchObject({ reason: 1 });
    // When the revocation of an authority has no reason, all its tokens are void (RFC 3161 §4 (1)).
    expect(entryOf(readCrl(listed.der), stamps)).toMatchObject({ reason: 0 });
    const people = await crl(later(1));
    expect(people.der.includes(Buffer.from(serial, 'hex'))).toBe(false);
  });

  it('is parsed by openssl, which rejects only revoked certificates', async ({ skip }) => {
    if (!hasOpenssl()) skip('openssl is not installed');
    const [bad, well] = [await issue(await addDevice('dev_4')), await issue(null)];
    const revocation = { at: later(60), reason: 'compromised', invalidityDate: later(2) } as const;
    await revokeByDevice(db, 'dev_4', revocation);
    const { der, number } = await crl(later(60));
    const list = save('people.crl', der);
    const ca = save('people.pem', keys.peopleCa.certificate.toString());
    const root = save('root.pem', keys.trustBundlePem);
    const read = openssl('crl', '-inform', 'DER', '-in', list, '-CAfile', ca, '-noout', '-text');
    expect(read).toContain('Version 2');
    expect(read).toContain('ecdsa-with-SHA256');
    expect(read).toMatch(new RegExp(`X509v3 CRL Number:\\s+${number}\\n`));
    expect(read).toContain('X509v3 Authority Key Identifier');
    const entry = read.slice(read.indexOf(bad.serial.toUpperCase()));
    expect(entry).toMatch(/CRL Reason Code:\s+Key Compromise\s+Invalidity Date:\s+Nov 21 08:00:00/);
    const pem = openssl('crl', '-inform', 'DER', '-in', list);
    const rootList = openssl('crl', '-inform', 'DER', '-in', save('root.crl', keys.root.crl ?? ''));
    const lists = save('lists.pem', pem + rootList);
    const verify = (leaf: string): string =>
      openssl(
        'verify',
        '-x509_strict',
        '-crl_check_all',
        '-attime',
        String(Math.floor(later(60).getTime() / 1000)),
        '-CAfile',
        root,
        '-untrusted',
        ca,
        '-CRLfile',
        lists,
        save('leaf.pem', leaf),
      );
    expect(verify(well.chain[0] ?? '')).toContain(': OK');
    expect(() => verify(bad.chain[0] ?? '')).toThrow('certificate revoked');
  });
});
