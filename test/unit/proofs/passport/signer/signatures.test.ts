import { constants, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { expect, it } from 'vitest';
import { childrenOf, readElement } from '../../../../../domain/pki/read-der.ts';
import {
  readAlgorithm,
  refusalOf,
  schemeOf,
  verifyBytes,
} from '../../../../../domain/pki/x509/algorithms.ts';
import { element, integer, oid, sequence } from '../../../../../simulator/der.ts';
import { flipped, vector } from '../../../../support/fixtures/passports/fixtures.ts';

const NULL = Buffer.from([0x05, 0x00]);

const dsa: {
  spki: string;
  spki_1024: string;
  signatures: Record<keyof typeof hashOids, string>;
} = JSON.parse(vector('dsa.json').toString());

interface Way {
  readonly name: string;
  readonly algorithm: Buffer;
  readonly key: KeyObject;
  readonly signature: Buffer;
}

const signedText = Buffer.from('the bytes that were signed');
const hashOids = {
  sha1: '1.3.14.3.2.26',
  sha224: '2.16.840.1.101.3.4.2.4',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
} as const;
const hashNames = Object.keys(hashOids) as (keyof typeof hashOids)[];
const hashAlgorithm = (hash: keyof typeof hashOids): Buffer => sequence(oid(hashOids[hash]), NULL);

/** Each signature scheme that ICAO 9303-12 allows, or allowed for passports still in use. */
function* ways(): Generator<Way> {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsaOids = { sha1: 5, sha224: 14, sha256: 11, sha384: 12, sha512: 13 };
  const pss = (hash: keyof typeof hashOids, mask: keyof typeof hashOids, salt: number): Buffer =>
    sequence(
      oid('1.2.840.113549.1.1.10'),
      sequence(
        element(0xa0, hashAlgorithm(hash)),
        element(0xa1, sequence(oid('1.2.840.113549.1.1.8'), hashAlgorithm(mask))),
        element(0xa2, integer(salt)),
      ),
    );
  for (const hash of hashNames) {
    yield {
      name: `RSA ${hash}`,
      algorithm: sequence(oid(`1.2.840.113549.1.1.${rsaOids[hash]}`), NULL),
      key: rsa.publicKey,
      signature: sign(hash, signedText, rsa.privateKey),
    };
    for (const saltLength of [0, 20, 32, 150]) {
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      yield {
        name: `RSA-PSS ${hash}, salt of ${saltLength}`,
        algorithm: pss(hash, hash, saltLength),
        key: rsa.publicKey,
        signature: sign(hash, signedText, { key: rsa.privateKey, padding, saltLength }),
      };
    }
  }
  const masked = generateKeyPairSync('rsa-pss', {
    modulusLength: 2048,
    hashAlgorithm: 'sha256',
    mgf1HashAlgorithm: 'sha1',
  });
  const plain = masked.publicKey.export({ format: 'der', type: 'spki' });
  const bits = childrenOf(readElement(plain).contents)[1]?.whole ?? plain;
  const rsaKey = sequence(sequence(oid('1.2.840.113549.1.1.1'), NULL), bits);
  const signature = sign('sha256', signedText, { key: masked.privateKey, saltLength: 32 });
  const algorithm = pss('sha256', 'sha1', 32);
  yield {
    name: 'RSA-PSS with another mask, bound key',
    algorithm,
    key: masked.publicKey,
    signature,
  };
  const key = createPublicKey({ key: rsaKey, format: 'der', type: 'spki' });
  yield { name: 'RSA-PSS with another mask', algorithm, key, signature };
  const ecOids = { sha1: '1', sha224: '3.1', sha256: '3.2', sha384: '3.3', sha512: '3.4' };
  const curves = ['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'].concat(
    [224, 256, 320, 384, 512].map((size) => `brainpoolP${size}r1`),
  );
  for (const [index, namedCurve] of curves.entries()) {
    for (const paramEncoding of ['named', 'explicit'] as const) {
      const ec = generateKeyPairSync('ec', { namedCurve, paramEncoding });
      const hash = hashNames[index % 5] ?? 'sha256';
      yield {
        name: `ECDSA ${hash}, ${namedCurve} ${paramEncoding}`,
        algorithm: sequence(oid(`1.2.840.10045.4.${ecOids[hash]}`)),
        key: ec.publicKey,
        signature: sign(hash, signedText, ec.privateKey),
      };
      const dsaEncoding = 'ieee-p1363';
      yield {
        name: `plain ECDSA ${hash}, ${namedCurve} ${paramEncoding}`,
        algorithm: sequence(oid(`0.4.0.127.0.7.1.1.4.1.${(index % 5) + 1}`)),
        key: ec.publicKey,
        signature: sign(hash, signedText, { key: ec.privateKey, dsaEncoding }),
      };
    }
  }
  for (const [index, hash] of hashNames.entries()) {
    const number = index === 0 ? '1.2.840.10040.4.3' : `2.16.840.1.101.3.4.3.${index}`;
    const spki = Buffer.from(dsa.spki, 'base64');
    yield {
      name: `DSA ${hash}`,
      algorithm: sequence(oid(number)),
      key: createPublicKey({ key: spki, format: 'der', type: 'spki' }),
      signature: Buffer.from(dsa.signatures[hash], 'base64'),
    };
  }
}

it.each([...ways()])('verifies $name, but not over other bytes', (way) => {
  const read = schemeOf(readAlgorithm(way.algorithm), null);
  if (!read) throw new Error('unknown');
  expect(refusalOf(read, way.key, 'flag')).toBeNull();
  expect(refusalOf(read, way.key)).toBe(read.hash === 'sha1' ? 'SHA-1' : null);
  expect(verifyBytes(read, way.key, signedText, way.signature)).toBe(true);
  expect(verifyBytes(read, way.key, signedText.subarray(1), way.signature)).toBe(false);
  expect(verifyBytes(read, way.key, signedText, flipped(way.signature, 77))).toBe(false);
});

it('refuses short DSA keys, and keys of another algorithm', () => {
  const spki = Buffer.from(dsa.spki_1024, 'base64');
  const small = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  expect(refusalOf({ family: 'dsa', hash: 'sha256' }, small)).toBe('DSA below 2048 bits');
  expect(refusalOf({ family: 'rsa', hash: 'sha256' }, small)).toMatch(/another kind/);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
  expect(refusalOf({ family: 'dsa', hash: 'sha256' }, rsa)).toMatch(/another kind/);
});
