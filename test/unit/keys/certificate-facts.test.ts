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

/** A copy of the certificate with another serial number, so its signature is invalid. */
function renumbered({ raw, serialNumber }: X509Certificate, number: number): Buffer {
  const changed = Buffer.from(raw);
  changed.writeUInt32BE(number, changed.indexOf(Buffer.from(serialNumber, 'hex')) + 4);
  return changed;
}

it('openCertificate caches certificates by their bytes, up to a limit', () => {
  const seal = certificateOf('one', 'seal');
  const first = openCertificate(renumbered(seal, 0));
  expect(openCertificate(renumbered(seal, 0))).toBe(first);
  for (let number = 1; number < 2_048; number += 1) openCertificate(renumbered(seal, number));
  // A repeated request refreshes the entry.
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

it('factsOf returns the cached facts of a certificate', () => {
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

it('isIssuedBy distinguishes issuers of the same name by key, also when cached', () => {
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
