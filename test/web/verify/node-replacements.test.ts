import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  sign,
  X509Certificate,
} from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { MalformedDer } from '../../../domain/pki/read-der.ts';
import { openCertificate } from '../../../domain/pki/x509/open-certificate.ts';
import { keyUsages } from '../../../domain/pki/x509/profile.ts';
import { Buffer as OwnBuffer } from '../../../web/verify/node/buffer.ts';
import * as own from '../../../web/verify/node/crypto.ts';
import {
  newKey,
  issueFreely,
  wantedOf,
  type Held,
} from '../../support/stand-ins/keys/authorities.ts';

const emptyExtension = (oid: string) => new x509.Extension(oid, true, Buffer.from('3000', 'hex'));

let root: Held;
let ca: Held;
let leaf: Held;

beforeAll(async () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  root = await issueFreely(wantedOf('root'), null, key);
  ca = await issueFreely(wantedOf('services-ca'), root);
  leaf = await issueFreely(wantedOf('seal', { name: 'a, b+c "d" <e>; #f\\' }), ca);
});

const told = (make: () => unknown): unknown => {
  try {
    const value = make();
    if (value instanceof Date) return value.getTime();
    return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  } catch {
    return 'throws';
  }
};

/** Returns everything that the verifier reads from a certificate. */
function allOf(one: X509Certificate | own.X509Certificate, above: typeof one) {
  const it = one as X509Certificate;
  return {
    raw: told(() => it.raw),
    serial: told(() => it.serialNumber),
    from: told(() => it.validFromDate),
    to: told(() => it.validToDate),
    issuer: told(() => it.issuer),
    fingerprint: told(() => it.fingerprint256),
    subject: told(() => it.subject),
    ca: told(() => it.ca),
    purposes: told(() => it.keyUsage),
    key: told(() => it.publicKey.export({ type: 'spki', format: 'der' })),
    curve: told(() => it.publicKey.asymmetricKeyDetails?.namedCurve),
    isIssued: told(() => it.checkIssued(above as X509Certificate)),
    isSigned: told(() => it.verify((above as X509Certificate).publicKey)),
  };
}

const pairs = (): [Buffer, Buffer][] => [
  [root.der, root.der],
  [ca.der, root.der],
  [leaf.der, ca.der],
  [leaf.der, root.der],
  [ca.der, leaf.der],
];

describe('the X509Certificate of the browser', () => {
  it('reports the same values as node:crypto', () => {
    for (const [one, above] of pairs()) {
      expect(allOf(new own.X509Certificate(one), new own.X509Certificate(above))).toEqual(
        allOf(new X509Certificate(one), new X509Certificate(above)),
      );
    }
    const pem = String(new X509Certificate(root.der));
    expect(new own.X509Certificate(pem).raw.equals(root.der)).toBe(true);
  });

  it.each<[string, Parameters<typeof wantedOf>[1]]>([
    ['without extensions', { usages: 0, purposes: [], pathLength: null }],
    ['that is a CA without keyCertSign', { isCa: true, usages: keyUsages.cRLSign }],
    ['that is no CA but has keyCertSign', { isCa: false, usages: keyUsages.keyCertSign }],
    ['with non-critical basic constraints', { isCa: true, areConstraintsCritical: false }],
    ['over SHA-1', { hash: 'SHA-1' }],
    ['over SHA-384', { hash: 'SHA-384' }],
    ['that names another issuer', { issuerName: 'CN=another' }],
    ['that names its issuer in other letters', { issuerName: 'CN=TRUSTCHECK  services ca' }],
    ['of the past', { notBefore: new Date('1950-01-01'), notAfter: new Date('1999-12-31') }],
    ['of the far future', { notBefore: new Date('2049-12-31'), notAfter: new Date('2050-01-01') }],
    ['with name constraints', { more: [emptyExtension('2.5.29.30')] }],
    ['with an unknown critical extension', { more: [emptyExtension('1.3.6.1.4.1.58969.9')] }],
  ])('reports the same as node:crypto for one %s', async (_what, change) => {
    const { der } = await issueFreely(wantedOf('seal', change), ca);
    for (const above of [ca.der, root.der, der]) {
      expect(allOf(new own.X509Certificate(der), new own.X509Certificate(above))).toEqual(
        allOf(new X509Certificate(der), new X509Certificate(above)),
      );
    }
  });

  it('rejects two basicConstraints, which node:crypto treats as no CA', async () => {
    const more = [new x509.BasicConstraintsExtension(false, undefined, false)];
    const { der } = await issueFreely(wantedOf('services-ca', { more }), root);
    expect(new X509Certificate(der).ca).toBe(false);
    expect(() => new own.X509Certificate(der)).toThrow(MalformedDer);
  });

  /** node:crypto turns an invalid time into some instant; the stand-in returns NaN. */
  const orNone = (own: unknown, theirs: unknown) => (Number.isNaN(own) ? own : theirs);

  it('matches node:crypto or rejects the certificate, for any flipped bit', () => {
    let both = 0;
    for (const [der, above] of [
      [leaf.der, ca.der],
      [ca.der, root.der],
    ] as const) {
      const [ownAbove, nodeAbove] = [new own.X509Certificate(above), new X509Certificate(above)];
      for (let bit = 0; bit < der.length * 8; bit += 41) {
        const other = Buffer.from(der);
        other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        let read: own.X509Certificate;
        try {
          read = new own.X509Certificate(other);
        } catch {
          continue;
        }
        expect(
          told(() => read.verify(ownAbove.publicKey)),
          `bit ${bit}`,
        ).not.toBe(true);
        const theirs = told(() => allOf(openCertificate(other), nodeAbove));
        if (theirs === 'throws') continue;
        both += 1;
        const { raw, serial, from, to, fingerprint } = allOf(read, ownAbove);
        expect({ raw, serial, from, to, fingerprint }, `bit ${bit}`).toEqual({
          raw,
          serial: Object(theirs).serial,
          from: orNone(from, Object(theirs).from),
          to: orNone(to, Object(theirs).to),
          fingerprint: Object(theirs).fingerprint,
        });
      }
    }
    expect(both).toBeGreaterThan(100);
  });

  it.each(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----'])(
    'rejects a text that is no certificate: %j',
    (text) => {
      expect(() => new own.X509Certificate(text)).toThrow();
      expect(() => new own.X509Certificate(Buffer.from(text))).toThrow();
    },
  );

  it('rejects a certificate that contains a second one', async () => {
    const pem = Buffer.from(`\n${String(new X509Certificate(root.der))}`);
    const more = [new x509.Extension('1.3.6.1.4.1.58969.9', false, pem)];
    const { der } = await issueFreely(wantedOf('seal', { more }), ca);
    expect(() => openCertificate(der)).toThrow();
    expect(() => new own.X509Certificate(der)).toThrow();
  });
});

describe('verify of the browser', () => {
  const data = Buffer.from('what is signed');
  const changed = Buffer.from('what is signee');

  it.each([
    ['P-256', 'sha256', () => newKey()],
    ['P-384', 'sha384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey],
    [
      'P-384 over a short hash',
      'sha256',
      () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
    ],
    ['P-521', 'sha512', () => generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey],
    ['RSA', 'sha256', () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
    ['Ed25519', null, () => generateKeyPairSync('ed25519').privateKey],
  ])('accepts a signature of %s, and rejects changed data and signatures', (_name, hash, make) => {
    const key = make();
    const signature = sign(hash, data, key);
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    const read = own.createPublicKey({ key: spki, format: 'der', type: 'spki' });
    expect(own.verify(hash, data, read, signature)).toBe(true);
    expect(own.verify(hash, changed, read, signature)).toBe(false);
    for (const place of [2, signature.length >> 1, signature.length - 1]) {
      const other = Buffer.from(signature);
      other[place] = (other[place] ?? 0) ^ 1;
      expect(told(() => own.verify(hash, data, read, other))).not.toBe(true);
    }
    const longer = Buffer.concat([signature, Buffer.of(0)]);
    expect(told(() => own.verify(hash, data, read, longer))).not.toBe(true);
  });

  it('accepts ECDSA signatures with a high s, as OpenSSL does', () => {
    const key = newKey();
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    const read = own.createPublicKey({ key: spki, format: 'der', type: 'spki' });
    const found = Array.from({ length: 16 }, () =>
      own.verify('sha256', data, read, sign('sha256', data, key)),
    );
    expect(found).toEqual(found.map(() => true));
  });

  it('throws an error that names an unsupported curve', () => {
    for (const namedCurve of ['brainpoolP256r1', 'secp256k1']) {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve });
      const key = publicKey.export({ type: 'spki', format: 'der' });
      expect(() => own.createPublicKey({ key, format: 'der', type: 'spki' })).toThrow('has no');
    }
  });
});

describe('the Buffer of the browser', () => {
  const texts = [
    '',
    'a',
    'ab',
    'äöü €',
    '\ufeffmark',
    '\u{1f600}\ud800',
    'ff',
    '0g',
    '1g00',
    'AAE',
    'A-_/+=',
  ];

  it('decodes and encodes every text as Node does, in every encoding', () => {
    for (const encoding of ['utf8', 'latin1', 'hex', 'base64', 'base64url'] as const) {
      for (const text of texts) {
        const [ours, theirs] = [OwnBuffer.from(text, encoding), Buffer.from(text, encoding)];
        expect(Buffer.from(ours), `${encoding} ${text}`).toEqual(theirs);
        for (const other of ['utf8', 'latin1', 'hex', 'base64', 'base64url'] as const) {
          expect(ours.toString(other)).toBe(theirs.toString(other));
        }
      }
    }
  });

  it.each(['e282', 'f09f98', 'c0af', 'eda080', 'ff41'])(
    'decodes %s as UTF-8 as Node does',
    (hex) => {
      expect(OwnBuffer.from(hex, 'hex').toString()).toBe(Buffer.from(hex, 'hex').toString());
    },
  );

  it('searches, fills, reads and writes as Node does', () => {
    const [ours, theirs] = [OwnBuffer as unknown as typeof Buffer, Buffer].map((kind) => {
      const bytes = kind.from('one two one two', 'latin1');
      const filled = kind.alloc(7).fill('abc', 1, 6, 'latin1');
      const written = kind.alloc(4);
      written.writeUInt32BE(0xfedcba98, 0);
      return [
        bytes.indexOf('two', 5, 'latin1'),
        bytes.indexOf('three'),
        bytes.lastIndexOf('one', undefined, 'latin1'),
        bytes.lastIndexOf('one', 7),
        bytes.includes(kind.from('wo')),
        bytes.subarray(4, 7).toString(),
        filled.toString('hex'),
        bytes.write('TWO', 4, 'latin1'),
        bytes.toString('latin1', 2, 9),
        written.readUInt16BE(1),
        written.readUIntBE(0, 3),
        kind.from('0102030405060708', 'hex').readBigUInt64BE(0),
        kind.compare(kind.of(1, 2), kind.of(1, 3)),
        kind.byteLength('€'),
        bytes.copy(written, 1, 4, 9),
        written.toString('hex'),
      ];
    });
    expect(ours).toEqual(theirs);
    expect(() => OwnBuffer.of(1).readUInt16BE(0)).toThrow(RangeError);
  });

  it.each(['sha1', 'sha224', 'sha256', 'sha384', 'sha512'])(
    'hashes with %s as Node does',
    (name) => {
      const ours = own.createHash(name).update('a').update(Buffer.of(0, 255));
      const theirs = createHash(name).update('a').update(Buffer.of(0, 255));
      expect(ours.copy().digest('hex')).toBe(theirs.copy().digest('hex'));
      expect(ours.update('more').digest('hex')).toBe(theirs.update('more').digest('hex'));
      expect(() => own.createHash('md5')).toThrow('has no hash md5');
    },
  );
});
