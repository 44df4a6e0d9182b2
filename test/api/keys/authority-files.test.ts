import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { revokeBySerial } from '../../../db/queries/certificates.ts';
import { call } from '../../support/http/client.ts';
import { newCertificate } from '../../support/keys/certified.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, dataDir } = ownPlatform();
const keys = loadKeys(join(dataDir, 'keys'));
const db = openTestDb(databaseUrl);
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-files-'));
afterAll(async () => {
  await db.end();
  rmSync(directory, { recursive: true, force: true });
});

async function fetchFile(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${baseUrl}${path}`, { headers });
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe('the files of the CAs', () => {
  it('are served at the URLs in the certificates', async () => {
    const issued = await newCertificate(db);
    const leaf = new X509Certificate(issued.chain[0] ?? '');
    const url = /CA Issuers - URI:(\S+)/.exec(leaf.infoAccess ?? '')?.[1] ?? '';
    const { answer, bytes } = await fetchFile(url.slice(baseUrl.length));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/pkix-cert');
    expect(answer.headers.get('cache-control')).toContain('max-age=300');
    expect(leaf.checkIssued(new X509Certificate(bytes))).toBe(true);
    const crl = await fetchFile(`${url.slice(baseUrl.length, -'.cer'.length)}.crl`);
    expect(crl.answer.status).toBe(200);
    expect(crl.answer.headers.get('content-type')).toBe('application/pkix-crl');
    expect(crl.answer.headers.get('cache-control')).toContain('max-age=300');
    expect(Date.parse(crl.answer.headers.get('last-modified') ?? '')).toBeLessThan(Date.now());
  });

  it('return 304 for a matching ETag', async () => {
    for (const name of [`${keys.root.kid}.cer`, `${keys.servicesCa.kid}.crl`]) {
      const { answer } = await fetchFile(`/pki/${name}`);
      const tag = answer.headers.get('etag') ?? '';
      const again = await call('GET', `/pki/${name}`, { headers: { 'if-none-match': tag } });
      expect([name, again.status, again.text]).toEqual([name, 304, '']);
    }
  });

  it('list a certificate as soon as it is revoked', async () => {
    const { serial } = await newCertificate(db);
    const path = `/pki/${keys.peopleCa.kid}.crl`;
    const before = await fetchFile(path);
    expect(before.bytes.includes(Buffer.from(serial, 'hex'))).toBe(false);
    await revokeBySerial(db, serial, { at: new Date(), reason: 'compromised' });
    const after = await fetchFile(path, {
      'if-none-match': before.answer.headers.get('etag') ?? '',
    });
    expect(after.answer.status).toBe(200);
    expect(after.bytes.includes(Buffer.from(serial, 'hex'))).toBe(true);
  });

  it('list earlier revocations for every concurrent caller', async () => {
    const path = `/pki/${keys.peopleCa.kid}.crl`;
    const revoked: string[] = [];
    const ask = async (): Promise<void> => {
      const before = [...revoked];
      const { bytes } = await fetchFile(path);
      expect(before.filter((serial) => !bytes.includes(Buffer.from(serial, 'hex')))).toEqual([]);
    };
    for (let round = 0; round < 3; round += 1) {
      const { serial } = await newCertificate(db);
      // Some callers ask while the list is renewed for the previous certificate.
      const early = Array.from({ length: 5 }, ask);
      await revokeBySerial(db, serial, { at: new Date(), reason: 'compromised' });
      revoked.push(serial);
      await Promise.all([...early, ...Array.from({ length: 10 }, ask)]);
    }
  });

  it('are CRLs that openssl verifies, one per CA', async ({ skip }) => {
    const openssl = (...args: string[]): string =>
      execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });
    try {
      openssl('version');
    } catch {
      skip('openssl is not installed');
    }
    for (const ca of [keys.root, keys.peopleCa, keys.servicesCa]) {
      const { bytes } = await fetchFile(`/pki/${ca.kid}.crl`);
      const [list, pem] = [join(directory, 'list.crl'), join(directory, 'ca.pem')];
      writeFileSync(list, bytes);
      writeFileSync(pem, ca.certificate.toString());
      const args = [
        '-inform',
        'DER',
        '-in',
        list,
        '-CAfile',
        pem,
        '-noout',
        '-issuer',
        '-nextupdate',
      ];
      const said = execFileSync('sh', ['-c', 'openssl crl "$@" 2>&1', 'sh', ...args]).toString();
      expect(said).toContain('verify OK');
      expect(said).toContain(ca.certificate.subject.replace('CN=', ''));
      const next = Date.parse(/nextUpdate=(.+)/.exec(said)?.[1] ?? '');
      expect(next).toBeGreaterThan(Date.now() + 6 * 24 * 3600_000);
    }
  });

  it('return 404 for an unknown kid and for one that is no CA', async () => {
    const unknown = createHash('sha256').update('unknown').digest('base64url');
    for (const name of [`${unknown}.cer`, `${unknown}.crl`, `${keys.seal.kid}.crl`]) {
      const { status, body } = await call('GET', `/pki/${name}`);
      expect([name, status, body['code']]).toEqual([name, 404, 'not_found']);
    }
  });

  it('return 422 for other names', async () => {
    const kid = keys.root.kid;
    const names = [
      `${kid}.key`,
      `${kid}.CRL`,
      kid,
      `${kid}.crl.cer`,
      `..%2f${kid}.cer`,
      'root.key.pem',
    ];
    for (const name of names) {
      const { status, body } = await call('GET', `/pki/${name}`);
      expect([name, status]).toEqual([name, 422]);
      expect(body['detail']).toMatchObject([{ loc: ['path', 'file'] }]);
    }
  });

  it('include the trust anchor as a bundle', async () => {
    const { answer, bytes } = await fetchFile('/pki/trust-bundle.pem');
    expect(answer.headers.get('content-type')).toContain('application/x-pem-file');
    expect(new X509Certificate(bytes).raw).toEqual(keys.root.certificate.raw);
  });
});
