import { describe, expect, it } from 'vitest';
import { MalformedDer } from '../../../../../domain/pki/read-der.ts';
import { readCountrySigned } from '../../../../../domain/proofs/passport/signer/country-signed.ts';
import { verifyEmrtd } from '../../../../../domain/proofs/passport/verify-emrtd.ts';
import { signContent } from '../../../../../simulator/passport/cms.ts';
import { issueCrl } from '../../../../../simulator/roots/crl.ts';
import { createDevCsca, issueSigner } from '../../../../../simulator/roots/passport.ts';
import {
  at,
  csca,
  mint,
  outcome,
  results,
} from '../../../../support/fixtures/passports/fixtures.ts';

describe('a passport signed with SHA-1 throughout', () => {
  const legacy = createDevCsca(at, { profile: 'p256-sha1' });
  const { policy, input, passport } = mint({}, legacy);

  it('is refused when the policy says so or says nothing', () => {
    for (const legacyAlgorithms of ['refuse', undefined] as const) {
      const verdict = verifyEmrtd({ ...policy, legacyAlgorithms }, input, at);
      expect(outcome(verdict)).toBe('algorithm_refused at sod_signature');
      expect(results(verdict)).toMatchObject({
        sod_signature: 'failed',
        dsc_chain: 'failed',
        dg_hashes: 'failed',
      });
      expect(verdict.facts['weak_algorithms']).toEqual([]);
    }
  });

  it('passes when the policy flags it, and the facts name every weak algorithm', () => {
    const verdict = verifyEmrtd({ ...policy, legacyAlgorithms: 'flag' }, input, at);
    expect(outcome(verdict)).toBe('passed');
    expect(verdict.facts).toMatchObject({
      weak_algorithms: ['sod: ecdsa-sha1', 'document signer: ecdsa-sha1', 'data groups: sha1'],
      digest_algorithm: 'sha1',
      levels: { passive: 'ok', active: 'ok' },
      clonable: false,
    });
  });

  it('is checked against CRLs of its State that are signed with SHA-1 too', () => {
    const crl = [issueCrl(legacy, [passport.signer.serial], at)];
    const flagging = { ...policy, crl, legacyAlgorithms: 'flag' } as const;
    expect(outcome(verifyEmrtd(flagging, input, at))).toBe('dsc_revoked at revocation');
    const clear = { ...flagging, crl: [issueCrl(legacy, [], at)] };
    expect(results(verifyEmrtd(clear, input, at))['revocation']).toBe('ok');
    const refusing = { ...clear, legacyAlgorithms: 'refuse' } as const;
    expect(results(verifyEmrtd(refusing, input, at))['revocation']).toBe('skipped');
  });

  it('must satisfy all other rules', () => {
    const flagging = { ...policy, legacyAlgorithms: 'flag' } as const;
    const other = mint({ documentNumber: 'X1' }).input.dataGroups['DG1'] ?? Buffer.alloc(1);
    const dataGroups = { ...input.dataGroups, DG1: other };
    expect(outcome(verifyEmrtd(flagging, { ...input, dataGroups }, at))).toBe(
      'dg_hash_mismatch at dg_hashes',
    );
    expect(outcome(verifyEmrtd({ ...flagging, csca: [csca.certificate] }, input, at))).toBe(
      'csca_not_trusted at dsc_chain',
    );
  });
});

describe('the version of SignedData', () => {
  const signed = (contentType: string, version: number): Buffer => {
    const signer = issueSigner(csca, at);
    const content = Buffer.from('3000', 'hex');
    const bytes = signContent({ contentType, content, issuer: csca, signer, signedAt: at });
    const place = bytes.indexOf(Buffer.from('020103', 'hex'));
    bytes[place + 2] = version;
    return bytes;
  };
  const isRead = (contentType: string, version: number): boolean => {
    try {
      return readCountrySigned(signed(contentType, version)).contentType === contentType;
    } catch (error) {
      if (error instanceof MalformedDer) return false;
      throw error;
    }
  };

  it.each([
    ['2.23.136.1.1.1', 3, true],
    ['2.23.136.1.1.1', 1, false],
    ['1.2.840.113549.1.7.1', 1, true],
    ['1.2.840.113549.1.7.1', 3, true],
    ['1.2.840.113549.1.7.1', 4, false],
  ])('for %s may be %i: %s', (contentType, version, expected) => {
    expect(isRead(contentType, version)).toBe(expected);
  });
});
