import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isCertifiedBy } from '../../../domain/pki/x509/is-certified-by.ts';
import { twoPkis } from '../../support/keys/two-pkis.ts';

const certificateOf = twoPkis();

describe.each([
  ['a CA', 'services-ca', 'root'],
  ['the root itself', 'root', 'root'],
  ['a leaf certificate', 'seal', 'services-ca'],
])('the signature on %s', (_what, subject, issuer) => {
  it('is valid only with the key of its issuer, on every call', () => {
    const [ours, theirs] = [certificateOf('one', issuer), certificateOf('other', issuer)];
    const signed = certificateOf('one', subject);
    expect(ours.subject).toBe(theirs.subject);
    for (let time = 0; time < 3; time += 1) {
      expect(isCertifiedBy(signed, theirs)).toBe(false);
      expect(isCertifiedBy(signed, ours)).toBe(true);
    }
  });

  it('is invalid after a change of one bit in it or in the signed content', () => {
    const [signed, ours] = [certificateOf('one', subject), certificateOf('one', issuer)];
    expect(isCertifiedBy(signed, ours)).toBe(true);
    const spki = signed.publicKey.export({ type: 'spki', format: 'der' });
    const keyAt = signed.raw.indexOf(spki) + spki.length - 1;
    for (const at of [keyAt, signed.raw.length - 1]) {
      const changed = Buffer.from(signed.raw);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(isCertifiedBy(new X509Certificate(changed), ours)).toBe(false);
    }
  });
});
