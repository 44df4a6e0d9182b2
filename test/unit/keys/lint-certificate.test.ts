import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  issueCertificate,
  type CertificateRequest,
} from '../../../domain/pki/x509/issue-certificate.ts';
import { keySigner, type IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { CertificateProfileError } from '../../../domain/pki/x509/lint-certificate.ts';
import { newSerial } from '../../../domain/pki/x509/serial.ts';

const dayMs = 24 * 3600_000;
const begins = new Date('2026-11-21T06:00:00Z');
const after = (days: number): Date => new Date(begins.getTime() + days * dayMs);

function newKey(namedCurve = 'P-256') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  return { privateKey, spki: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })) };
}

const rootKey = newKey('P-384');
const caKey = newKey();
const root = await issueCertificate({
  role: 'root',
  commonName: 'test root',
  spki: rootKey.spki,
  issuer: keySigner(rootKey.privateKey, []),
  serial: newSerial(randomBytes),
  notBefore: begins,
  notAfter: after(7300),
});
const issueCa = (role: 'people-ca' | 'services-ca', key: ReturnType<typeof newKey>) =>
  issueCertificate({
    role,
    commonName: `test ${role === 'people-ca' ? 'people' : 'services'} CA`,
    spki: key.spki,
    issuer: keySigner(rootKey.privateKey, [root]),
    serial: newSerial(randomBytes),
    notBefore: begins,
    notAfter: after(1800),
    issuerUrl: 'http://pki.test/root',
  });
const ca = await issueCa('people-ca', caKey);
const caSigner = keySigner(caKey.privateKey, [ca]);
const servicesKey = newKey();
const services = await issueCa('services-ca', servicesKey);
const servicesSigner = keySigner(servicesKey.privateKey, [services]);

/** A signer that records whether it was called. */
function watched(signer: IssuingSigner): { signer: IssuingSigner; asked: () => boolean } {
  let isAsked = false;
  const sign: IssuingSigner['sign'] = (tbs) => {
    isAsked = true;
    return signer.sign(tbs);
  };
  return { signer: { ...signer, sign }, asked: () => isAsked };
}

const good: CertificateRequest = {
  role: 'user',
  commonName: 'pu_00000000000000000000000001',
  spki: newKey().spki,
  issuer: caSigner,
  serial: newSerial(randomBytes),
  notBefore: begins,
  notAfter: after(365),
  issuerUrl: 'http://pki.test/people',
};

const root2 = keySigner(rootKey.privateKey, [root]);
const responder = { role: 'ocsp', notAfter: after(7), issuerUrl: '' } as const;

describe('a certificate within its profile', () => {
  it('can be an OCSP responder of either CA, without revocation pointers', async () => {
    for (const issuer of [caSigner, servicesSigner]) {
      const der = await issueCertificate({ ...good, ...responder, issuer });
      const { infoAccess, keyUsage } = new X509Certificate(der);
      expect([infoAccess, keyUsage]).toEqual([undefined, ['1.3.6.1.5.5.7.3.9']]);
    }
  });

  it('is issued with the signature of its CA', async () => {
    const certificate = new X509Certificate(await issueCertificate(good));
    expect(certificate.verify(new X509Certificate(ca).publicKey)).toBe(true);
    expect(certificate.subject).toBe('CN=pu_00000000000000000000000001');
    expect(certificate.issuer).toBe('CN=test people CA');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  });

  it('has a positive serial number for any random bytes', () => {
    for (const byte of [0x00, 0x7f, 0x80, 0xff]) {
      const serial = newSerial((size) => new Uint8Array(size).fill(byte));
      expect(serial).toHaveLength(16);
      expect(serial[0]).toBeGreaterThanOrEqual(0x40);
      expect(serial[0]).toBeLessThan(0x80);
    }
  });
});

const leafKey = newKey();
const leaf = await issueCertificate({ ...good, spki: leafKey.spki });

describe('a certificate outside its profile', () => {
  it.each<[string, Partial<CertificateRequest>, string]>([
    ['with a life a day too long', { notAfter: after(366) }, 'longer than its role'],
    [
      'with an end after that of its CA',
      { notBefore: after(1700), notAfter: after(1801) },
      'outlives its issuer',
    ],
    [
      'with a begin before that of its CA',
      { notBefore: after(-1), notAfter: after(1) },
      'begins before its issuer',
    ],
    ['with a life of zero', { notAfter: begins }, 'ends before it begins'],
    ['with a short serial', { serial: Buffer.alloc(7, 0x41) }, '8 to 20 octets'],
    ['with a long serial', { serial: Buffer.alloc(21, 0x41) }, '8 to 20 octets'],
    ['with a key on P-384', { spki: newKey('P-384').spki }, 'not on P-256'],
    ['with an email address', { commonName: 'someone@example.test' }, 'no opaque id'],
    ['with a person’s name', { commonName: 'ANNA MARIA ERIKSSON' }, 'no opaque id'],
    ['without a name', { commonName: '' }, '1 to 64 characters'],
    ['with a long name', { commonName: 'x'.repeat(65) }, '1 to 64 characters'],
    ['without revocation pointers', { issuerUrl: '' }, 'one CRL'],
    ['with revocation pointers to a file', { issuerUrl: 'file:///etc/pki' }, 'one CRL'],
    ['without an OCSP responder', { issuerUrl: 'http://pki.test/people/' }, 'OCSP responder'],
    [
      'as an OCSP responder for 8 days',
      { ...responder, notAfter: after(8) },
      'longer than its role',
    ],
    [
      'as an OCSP responder with revocation pointers',
      { ...responder, issuerUrl: 'http://pki.test/people' },
      'extensions',
    ],
    [
      'as an OCSP responder of the root',
      { ...responder, issuer: root2 },
      'does not certify its role',
    ],
    [
      'as a CA below a CA with path length zero',
      { role: 'services-ca' },
      'does not certify its role',
    ],
    ['as a second root', { role: 'root' }, 'does not certify its role'],
    [
      'with itself as issuer',
      { issuer: keySigner(caKey.privateKey, []) },
      'only a root signs itself',
    ],
    ['as a seal below the people CA', { role: 'seal' }, 'does not certify its role'],
    ['as a key for tokens below the people CA', { role: 'tokens' }, 'does not certify its role'],
    ['for a person below the services CA', { issuer: servicesSigner }, 'does not certify its role'],
    [
      'with a leaf as issuer',
      { issuer: keySigner(leafKey.privateKey, [leaf]) },
      'does not certify its role',
    ],
    ['with the root as issuer', { issuer: root2 }, 'does not certify its role'],
  ])('is never signed: %s', async (_what, change, fault) => {
    const { signer, asked } = watched(change.issuer ?? good.issuer);
    const request = { ...good, ...change, issuer: signer };
    const refused = issueCertificate(request);
    await expect(refused).rejects.toThrow(CertificateProfileError);
    await expect(refused).rejects.toThrow(new RegExp(fault));
    expect(asked()).toBe(false);
  });

  it('is reported with every broken rule at once', async () => {
    const request = { ...good, commonName: '', notAfter: after(400), serial: Buffer.of(1) };
    await expect(issueCertificate(request)).rejects.toMatchObject({
      faults: [
        'the serial is not of 8 to 20 octets',
        'it lives longer than its role allows',
        'the common name is not of 1 to 64 characters',
        'the subject is no opaque id',
      ],
    });
  });
});
