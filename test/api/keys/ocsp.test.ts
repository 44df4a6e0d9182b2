import { execFileSync } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enterServiceCertificate, revokeBySerial } from '../../../db/queries/certificates.ts';
import * as der from '../../../domain/pki/write-der.ts';
import { newSerial } from '../../../domain/pki/x509/serial.ts';
import { publicJwkOf } from '../../../domain/pki/x509/thumbprint.ts';
import { call } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { newCertificate } from '../../support/keys/certified.ts';
import { certIdOf, ocspRequest, ocspType, sealRequest } from '../../support/keys/ocsp.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl } = ownPlatform();
const keys = platformKeys();
const people = keys.peopleCa.certificate;
const db = openTestDb(databaseUrl);
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-ocsp-'));
afterAll(async () => {
  await db.end();
  rmSync(directory, { recursive: true, force: true });
});

const file = (name: string): string => join(directory, name);
const hasOpenssl = (() => {
  try {
    return execFileSync('openssl', ['version']).length > 0;
  } catch {
    return false;
  }
})();

/** Runs `openssl ocsp` with a POST request, verified with the root only; returns its output. */
function askOpenssl(...args: string[]): string {
  const command = ['ocsp', '-issuer', file('people.pem'), '-CAfile', file('root.pem')];
  const all = [...command, '-url', `${baseUrl}/pki/ocsp`, ...args];
  return execFileSync('sh', ['-c', 'openssl "$@" 2>&1', 'sh', ...all]).toString();
}

const post = (raw: Uint8Array, headers: Record<string, string> = ocspType) =>
  fetch(`${baseUrl}/pki/ocsp`, { method: 'POST', body: Buffer.from(raw), headers });
const bytesOf = async (answer: Response): Promise<Buffer> =>
  Buffer.from(await answer.arrayBuffer());
const getPath = (request: Uint8Array): string =>
  `/pki/ocsp/${encodeURIComponent(Buffer.from(request).toString('base64'))}`;
const nonce = (size: number): Buffer =>
  der.extension('1.3.6.1.5.5.7.48.1.2', der.octets(Buffer.alloc(size, 7)));
const malformed = Buffer.from('30030a0101', 'hex');
const unauthorized = Buffer.from('30030a0106', 'hex');

/** Inserts a new service certificate; those of the platform must stay valid for other tests. */
async function newServiceCertificate(): Promise<string> {
  const { certificate, kid } = keys.tsa;
  const serial = newSerial(randomBytes).toString('hex');
  const row = {
    serial,
    issuer_kid: keys.servicesCa.kid,
    kid,
    public_jwk: publicJwkOf(certificate.publicKey),
    not_before: certificate.validFromDate,
    not_after: certificate.validToDate,
  };
  await enterServiceCertificate(db, row, certificate.raw);
  return serial;
}

beforeAll(() => {
  writeFileSync(file('people.pem'), people.toString());
  writeFileSync(file('root.pem'), keys.trustBundlePem);
});

describe.skipIf(!hasOpenssl)('openssl ocsp', () => {
  it('reports good, revoked with time and reason, or unknown', async () => {
    const { serial, chain } = await newCertificate(db);
    const [pem = ''] = chain;
    const leaf = new X509Certificate(pem);
    expect(leaf.infoAccess).toContain(`OCSP - URI:${baseUrl}/pki/ocsp\n`);
    writeFileSync(file('leaf.pem'), pem);
    const good = askOpenssl('-cert', file('leaf.pem'));
    expect(good).toContain('Response verify OK');
    expect(good).toContain('leaf.pem: good');
    expect(good).not.toMatch(/warning|error/i);
    const revokedAt = new Date('2026-03-04T05:06:07Z');
    const invalidityDate = new Date('2026-02-01T00:00:00Z');
    await revokeBySerial(db, serial, { at: revokedAt, reason: 'compromised', invalidityDate });
    for (const hash of ['-sha1', '-sha256']) {
      const revoked = askOpenssl(hash, '-cert', file('leaf.pem'), '-resp_text');
      expect(revoked).toContain('Response verify OK');
      expect(revoked).toContain('leaf.pem: revoked');
      expect(revoked).toContain('Reason: keyCompromise');
      expect(revoked).toContain('Revocation Time: Mar  4 05:06:07 2026 GMT');
      expect(revoked).toContain('Invalidity Date:');
      expect(revoked).toMatch(/OCSP Archive Cutoff: *\n/);
    }
    const unknown = askOpenssl('-serial', `0x${'42'.repeat(16)}`);
    expect(unknown).toContain('Response verify OK');
    expect(unknown).toContain(': unknown');
  });

  it('shows the reason `unspecified` only for certificates of our services', async () => {
    const { serial: user } = await newCertificate(db);
    const service = await newServiceCertificate();
    const answerOf = async (issuer: X509Certificate, serial: string): Promise<string> => {
      await revokeBySerial(db, serial, { at: new Date(), reason: 'unspecified' });
      const answer = await post(ocspRequest([certIdOf(issuer, serial)]));
      writeFileSync(file('unspecified.der'), await bytesOf(answer));
      const shown = ['ocsp', '-respin', file('unspecified.der'), '-noverify', '-resp_text'];
      return execFileSync('openssl', shown).toString();
    };
    // RFC 3161 §4 (1): without a reason all tokens of an authority are void. RFC 5280 omits it
    // otherwise.
    expect(await answerOf(keys.servicesCa.certificate, service)).toContain('unspecified (0x0)');
    const silent = await answerOf(people, user);
    expect(silent).toContain('Cert Status: revoked');
    expect(silent).not.toContain('Reason');
  });

  it('accepts a responder only for certificates of the CA that delegated to it', async () => {
    const answer = await post(sealRequest());
    writeFileSync(file('answer.der'), await bytesOf(answer));
    const shown = ['ocsp', '-respin', file('answer.der'), '-noverify', '-resp_text'];
    const text = execFileSync('openssl', shown).toString();
    expect(text).toContain('Cert Status: good');
    expect(text).toMatch(/X509v3 Key Usage: critical\n +Digital Signature\n/);
    expect(text).toMatch(/X509v3 Extended Key Usage: *\n +OCSP Signing\n/);
    expect(text).toMatch(/OCSP No Check: *\n/);
    expect(text).not.toContain('Authority Information Access');
    // The responder of the other CA is not authorized for this certificate.
    writeFileSync(file('services.pem'), keys.servicesCa.certificate.toString());
    writeFileSync(file('seal.pem'), keys.seal.certificate.toString());
    const verdict = (issuer: string): string => {
      const given = ['ocsp', '-respin', file('answer.der'), '-CAfile', file('root.pem')];
      const args = [...given, '-issuer', file(issuer), '-cert', file('seal.pem')];
      return execFileSync('sh', ['-c', 'openssl "$@" 2>&1 || true', 'sh', ...args]).toString();
    };
    expect(verdict('services.pem')).toContain('seal.pem: good');
    expect(verdict('people.pem')).not.toContain('seal.pem: good');
  });
});

describe('an OCSP answer', () => {
  it('returns the nonce of a POST and none for GET', async () => {
    const { serial } = await newCertificate(db);
    const id = certIdOf(people, serial);
    for (const size of [1, 32, 128]) {
      const request = ocspRequest([id], nonce(size));
      const posted = await post(request);
      expect([size, posted.status, posted.headers.get('content-type')]).toEqual([
        size,
        200,
        'application/ocsp-response',
      ]);
      expect(posted.headers.get('cache-control')).toBe('no-store');
      expect((await bytesOf(posted)).includes(nonce(size))).toBe(true);
      const got = await fetch(`${baseUrl}${getPath(request)}`);
      const bytes = await bytesOf(got);
      expect([bytes.includes(id), bytes.includes(nonce(size))]).toEqual([true, false]);
    }
  });

  it('to GET can be cached until a certificate is revoked', async () => {
    const [one, two] = [await newCertificate(db), await newCertificate(db)];
    const ids = [one, two].map(({ serial }) => certIdOf(people, serial));
    const path = getPath(ocspRequest(ids));
    const first = await fetch(`${baseUrl}${path}`);
    expect([first.status, first.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=300, stale-while-revalidate=60, stale-if-error=86400',
    ]);
    const ageMs = Date.now() - Date.parse(first.headers.get('last-modified') ?? '');
    expect(ageMs).toBeGreaterThan(0);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    const headers = { 'if-none-match': etag };
    await revokeBySerial(db, two.serial, { at: new Date(), reason: 'superseded' });
    const changed = await call('GET', path, { headers });
    expect(changed.status).toBe(200);
    const unchanged = await call('GET', path, {
      headers: { 'if-none-match': String(changed.headers.get('etag')) },
    });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    // Clients differ in whether they escape the slash of base64.
    const bare = await fetch(`${baseUrl}${decodeURIComponent(path)}`);
    expect((await bytesOf(bare)).includes(ids[1] ?? Buffer.of(0))).toBe(true);
  });

  it('is malformedRequest for an invalid request, and is not cached', async () => {
    const id = certIdOf(people, '42'.repeat(16));
    const whole = ocspRequest([id]);
    const critical = der.sequence(
      der.oid('1.2.3.4'),
      Buffer.from('0101ff', 'hex'),
      der.octets(Buffer.of(5, 0)),
    );
    const hostile: Record<string, Buffer> = {
      nothing: Buffer.alloc(0),
      words: Buffer.from('hello'),
      'half of one': whole.subarray(0, -1),
      'more than one': Buffer.concat([whole, Buffer.of(0)]),
      'an indefinite length': Buffer.from('3080', 'hex'),
      'no certificate': ocspRequest([]),
      'too many': ocspRequest(Array.from({ length: 17 }, () => id)),
      'an empty nonce': ocspRequest([id], nonce(0)),
      'a nonce too long': ocspRequest([id], nonce(129)),
      'two nonces': ocspRequest([id], nonce(32), nonce(32)),
      'an extension that must be known': ocspRequest([id], critical),
      'a serial too long': ocspRequest([certIdOf(people, '42'.repeat(22))]),
      'another version': der.sequence(
        der.sequence(der.context(0, der.integer(1)), der.sequence(der.sequence(id))),
      ),
    };
    for (const [what, bytes] of Object.entries(hostile)) {
      const answer = await post(bytes);
      const read = [answer.status, await bytesOf(answer), answer.headers.get('cache-control')];
      expect([what, ...read]).toEqual([what, 200, malformed, 'no-store']);
    }
    for (const text of ['%20', 'not*base64', 'aGVsbG8=', Buffer.alloc(3000).toString('base64')]) {
      const answer = await fetch(`${baseUrl}/pki/ocsp/${text}`);
      const read = [answer.status, await bytesOf(answer), answer.headers.get('cache-control')];
      expect([text.slice(0, 20), ...read]).toEqual([text.slice(0, 20), 200, malformed, 'no-store']);
    }
  });

  it('is unauthorized for other CAs and for several CAs at once', async () => {
    const serial = keys.seal.certificate.serialNumber;
    const services = certIdOf(keys.servicesCa.certificate, serial);
    const ofRoot = certIdOf(keys.root.certificate, people.serialNumber);
    const strange = Buffer.from(services);
    strange.writeUInt8(strange.readUInt8(20) ^ 1, 20);
    for (const ids of [[ofRoot], [strange], [services, certIdOf(people, serial)]]) {
      expect(await bytesOf(await post(ocspRequest(ids)))).toEqual(unauthorized);
    }
    // Sixteen certificates of one CA are allowed.
    const most = await post(ocspRequest(Array.from({ length: 16 }, () => services)));
    expect((await bytesOf(most)).length).toBeGreaterThan(1_000);
  });

  it('is an HTTP error for another media type or an overlong request', async () => {
    const refused = async (body: Uint8Array, headers: Record<string, string>) => {
      const { status, body: problem } = await call('POST', '/pki/ocsp', { raw: body, headers });
      return [status, problem['code']];
    };
    const json = { 'content-type': 'application/json' };
    expect(await refused(sealRequest(), json)).toEqual([415, 'media_type_unsupported']);
    expect(await refused(Buffer.alloc(4_097), ocspType)).toEqual([413, 'too_large']);
    const long = await call('GET', `/pki/ocsp/${'A'.repeat(5_465)}`);
    expect([long.status, long.body['detail']]).toMatchObject([422, [{ loc: ['path', 'request'] }]]);
  });
});
