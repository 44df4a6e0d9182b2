import { execFileSync } from 'node:child_process';
import type { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-pki-'));
const place = join(directory, 'keys');
const now = new Date('2026-11-21T06:00:00.500Z');
const baseUrl = 'https://trust.example.test';
const dayMs = 24 * 3600_000;
let keys: PlatformKeys;

beforeAll(async () => {
  expect(await createDevPki(place, { now, baseUrl })).toBe(true);
  keys = loadKeys(place);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const file = (name: string) => join(place, `${name}.cer.pem`);
const openssl = (...args: string[]): string =>
  execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });
const hasOpenssl = (): boolean => {
  try {
    return openssl('version').startsWith('OpenSSL');
  } catch {
    return false;
  }
};
const lifeDays = ({ validFromDate, validToDate }: X509Certificate): number =>
  (validToDate.getTime() - validFromDate.getTime()) / dayMs;

describe('the platform’s certificates', () => {
  it('are valid for the time of their profile, from an hour ago', () => {
    const lives = {
      root: 20 * 365,
      peopleCa: 5 * 365,
      servicesCa: 12 * 365,
      seal: 2 * 365,
      tsa: 12 * 365,
      tokens: 2 * 365,
    };
    for (const [name, days] of Object.entries(lives)) {
      const { certificate } = keys[name as keyof typeof lives];
      expect([name, lifeDays(certificate)]).toEqual([name, days]);
      expect(certificate.validFromDate.toISOString()).toBe('2026-11-21T05:00:00.000Z');
    }
  });

  it('chain to the root, which is the only one on P-384', () => {
    const root = keys.root.certificate;
    expect(root.publicKey.asymmetricKeyDetails?.namedCurve).toBe('secp384r1');
    for (const ca of [keys.peopleCa, keys.servicesCa]) {
      expect(ca.certificate.ca).toBe(true);
      expect(ca.certificate.verify(root.publicKey)).toBe(true);
    }
    for (const leaf of [keys.seal, keys.tsa, keys.tokens]) {
      expect(leaf.certificate.ca).toBe(false);
      expect(leaf.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
      expect(leaf.certificate.verify(keys.servicesCa.publicKey)).toBe(true);
      expect(leaf.certificateChain).toHaveLength(2);
    }
  });

  it('have unique serials of 126 random bits', () => {
    const all = [keys.root, keys.peopleCa, keys.servicesCa, keys.seal, keys.tsa, keys.tokens];
    const serials = all.map(({ certificate }) => certificate.serialNumber);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
    expect(new Set(serials).size).toBe(serials.length);
  });

  it('contain the addresses where their CA publishes', () => {
    const { certificate } = keys.seal;
    expect(certificate.infoAccess).toBe(
      [
        `OCSP - URI:${baseUrl}/pki/ocsp`,
        `CA Issuers - URI:${baseUrl}/pki/${keys.servicesCa.kid}.cer`,
      ].join('\n'),
    );
    expect(keys.servicesCa.certificate.infoAccess).toBe(
      `CA Issuers - URI:${baseUrl}/pki/${keys.root.kid}.cer`,
    );
    expect(certificate.raw.includes(`${baseUrl}/pki/${keys.servicesCa.kid}.crl`)).toBe(true);
    expect(keys.peopleCa.certificate.raw.includes(`/pki/${keys.root.kid}.crl`)).toBe(true);
    expect(keys.root.certificate.infoAccess).toBeUndefined();
  });

  it('are parsed by openssl with the expected extensions', ({ skip }) => {
    if (!hasOpenssl()) skip('openssl is not installed');
    const textOf = (name: string): string => openssl('x509', '-in', file(name), '-noout', '-text');
    expect(textOf('root')).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:1\n/);
    for (const ca of ['people-ca', 'services-ca']) {
      expect(textOf(ca)).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/);
      expect(textOf(ca)).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign\n/);
      expect(textOf(ca)).toMatch(/Subject Key Identifier:[\s\S]+Authority Key Identifier:/);
    }
    expect(textOf('people-ca')).toMatch(/Extended Key Usage: \s+TLS Web Client Authentication\n/);
    expect(textOf('services-ca')).toMatch(
      /Extended Key Usage: \s+[^,\n]+, E-mail Protection, Time Stamping, [^,\n]+\n/,
    );
    expect(textOf('tsa')).toMatch(/Extended Key Usage: critical\s+Time Stamping\n/);
    expect(textOf('seal')).toMatch(/Key Usage: critical\s+Digital Signature, Non Repudiation\n/);
    expect(textOf('seal')).toMatch(
      /Extended Key Usage: \s+(?:1\.3\.6\.1\.5\.5\.7\.3\.36|Document Signing), E-mail Protection\n/,
    );
    expect(textOf('tokens')).toMatch(/Key Usage: critical\s+Digital Signature\n/);
    expect(textOf('tokens')).toMatch(/Extended Key Usage: \s+1\.3\.6\.1\.5\.5\.7\.3\.37\n/);
  });

  it('pass the strict verification of openssl for their purpose', ({ skip }) => {
    if (!hasOpenssl()) skip('openssl is not installed');
    const at = String(Math.floor(now.getTime() / 1000));
    const verify = (leaf: string, ...more: string[]): string =>
      openssl(
        'verify',
        '-x509_strict',
        ...more,
        '-attime',
        at,
        '-CAfile',
        file('root'),
        '-untrusted',
        file('services-ca'),
        file(leaf),
      );
    for (const leaf of ['seal', 'tokens', 'people-ca']) expect(verify(leaf)).toContain(': OK');
    expect(verify('tsa', '-purpose', 'timestampsign')).toContain(': OK');
    expect(() => verify('seal', '-purpose', 'timestampsign')).toThrow('Command failed');
    // OpenSSL verifies an affidavit for this purpose: only the seal key has it.
    expect(verify('seal', '-purpose', 'smimesign')).toContain(': OK');
    for (const leaf of ['tsa', 'tokens']) {
      expect(() => verify(leaf, '-purpose', 'smimesign')).toThrow('Command failed');
    }
  });
});

describe('the key directory', () => {
  it('is readable by its owner only, with encrypted keys', () => {
    expect(statSync(place).mode & 0o077).toBe(0);
    for (const name of readdirSync(place)) {
      expect([name, statSync(join(place, name)).mode & 0o077]).toEqual([name, 0]);
    }
    const names = readdirSync(place).filter((name) => name.endsWith('.key.pem'));
    expect(names).toHaveLength(6);
    expect(existsSync(join(directory, 'keys.tmp'))).toBe(false);
  });

  it('is created once by concurrent processes', async () => {
    const other = join(directory, 'race');
    const made = await Promise.all(
      Array.from({ length: 4 }, () => createDevPki(other, { now, baseUrl })),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(loadKeys(other).root.kid).not.toBe(keys.root.kid);
    expect(readdirSync(directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
