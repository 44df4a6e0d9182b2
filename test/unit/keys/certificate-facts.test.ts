import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  factsOf,
  isIssuedBy,
  openCertificate,
} from '../../../domain/pki/x509/certificate-facts.ts';
import { kidOf } from '../../../domain/pki/x509/thumbprint.ts';
import { twoPkis } from '../../support/keys/two-pkis.ts';

const certificateOf = twoPkis();

/** The certificate with another serial, whose signature holds no more. */
function renumbered({ raw, serialNumber }: X509Certificate, number: number): Buffer {
  const changed = Buffer.from(raw);
  changed.writeUInt32BE(number, changed.indexOf(Buffer.from(serialNumber, 'hex')) + 4);
  return changed;
}

it('the same bytes are one certificate, others another, and only so many are kept', () => {
  const seal = certificateOf('one', 'seal');
  const first = openCertificate(renumbered(seal, 0));
  expect(openCertificate(renumbered(seal, 0))).toBe(first);
  for (let number = 1; number < 2_048; number += 1) openCertificate(renumbered(seal, number));
  // Whoever is asked for again is not the oldest.
  expect(openCertificate(renumbered(seal, 0))).toBe(first);
  const second = openCertificate(renumbered(seal, 1));
  openCertificate(renumbered(seal, 3_000));
  openCertificate(renumbered(seal, 3_001));
  expect(openCertificate(renumbered(seal, 0))).toBe(first);
  expect(openCertificate(renumbered(seal, 1))).toBe(second);
  const later = openCertificate(renumbered(seal, 3_000));
  for (let number = 4_000; number < 6_048; number += 1) openCertificate(renumbered(seal, number));
  expect(openCertificate(renumbered(seal, 3_000))).not.toBe(later);
  expect(openCertificate(renumbered(seal, 3_000)).raw).toEqual(later.raw);
});

it('what is remembered of a certificate is what it says', () => {
  for (const name of ['root', 'people-ca', 'seal']) {
    const certificate = certificateOf('one', name);
    const { isCa, kid, base64, sha256 } = factsOf(certificate);
    expect(factsOf(certificate)).toBe(factsOf(certificate));
    expect([isCa, kid]).toEqual([certificate.ca, kidOf(certificate)]);
    expect(Buffer.from(base64, 'base64')).toEqual(certificate.raw);
    const hex = Buffer.from(sha256, 'base64url').toString('hex');
    expect(hex).toBe(certificate.fingerprint256.replaceAll(':', '').toLowerCase());
  }
});

it('an issuer is one by name and by key, whoever was asked for before', () => {
  const seal = certificateOf('one', 'seal');
  const [ours, theirs] = [
    certificateOf('one', 'services-ca'),
    certificateOf('other', 'services-ca'),
  ];
  const stranger = certificateOf('one', 'people-ca');
  for (let time = 0; time < 3; time += 1) {
    expect(isIssuedBy(seal, theirs)).toBe(false);
    expect(isIssuedBy(seal, ours)).toBe(true);
    expect(isIssuedBy(seal, stranger)).toBe(false);
    expect(isIssuedBy(new X509Certificate(renumbered(seal, time)), ours)).toBe(false);
  }
});
