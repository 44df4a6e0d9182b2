import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { childrenOf, octetsOf, readElement } from '../../../../../domain/pki/read-der.ts';
import {
  hashOf,
  readAlgorithm,
  refusalOf,
  schemeOf,
} from '../../../../../domain/pki/x509/algorithms.ts';
import {
  readCountrySigned,
  signerCertificate,
  verifySigner,
} from '../../../../../domain/proofs/passport/signer/country-signed.ts';
import { verifyEmrtd } from '../../../../../domain/proofs/passport/verify-emrtd.ts';
import { element, octetString, oid, sequence, setOf } from '../../../../../simulator/der.ts';
import { at, mint, outcome, results } from '../../../../support/fixtures/passports/fixtures.ts';

const NULL = Buffer.from([0x05, 0x00]);
const scheme = (der: Uint8Array, digest: 'sha1' | 'sha256' | null = null) =>
  schemeOf(readAlgorithm(der), digest);

describe('signature algorithms', () => {
  it('are read with their digest and salt, and with or without parameters', () => {
    expect(scheme(sequence(oid('1.2.840.113549.1.1.11'), NULL))).toEqual({
      family: 'rsa',
      hash: 'sha256',
    });
    expect(scheme(sequence(oid('1.2.840.113549.1.1.1'), NULL), 'sha256')).toEqual({
      family: 'rsa',
      hash: 'sha256',
    });
    expect(scheme(sequence(oid('1.2.840.113549.1.1.1'), NULL))).toBeNull();
    expect(scheme(sequence(oid('1.2.840.113549.1.1.11'), octetString(NULL)))).toBeNull();
    expect(scheme(sequence(oid('1.2.840.113549.1.1.4'), NULL))).toBeNull();
    expect(hashOf(readAlgorithm(sequence(oid('1.3.14.3.2.26'))))).toBe('sha1');
    expect(hashOf(readAlgorithm(sequence(oid('1.2.840.113549.2.5'))))).toBeNull();
  });

  it('use the SHA-1 default of RSA-PSS', () => {
    const pss = '1.2.840.113549.1.1.10';
    expect(scheme(sequence(oid(pss)))).toEqual({ family: 'rsa-pss', hash: 'sha1', saltLength: 20 });
    const sha256 = sequence(oid('2.16.840.1.101.3.4.2.1'));
    const mixed = sequence(element(0xa0, sha256));
    expect(scheme(sequence(oid(pss), mixed))).toEqual({
      family: 'rsa-pss',
      hash: 'sha256',
      saltLength: 20,
      parameters: Buffer.from(mixed),
    });
    const odd = (...fields: Uint8Array[]) => scheme(sequence(oid(pss), sequence(...fields)));
    expect(odd(element(0xa2, Buffer.from('020300ffff', 'hex')))).toBeNull();
    expect(odd(element(0xa2, Buffer.from('0201ff', 'hex')))).toBeNull();
    expect(odd(element(0xa3, Buffer.from('020102', 'hex')))).toBeNull();
    expect(odd(element(0xa1, sequence(oid(pss), sha256)))).toBeNull();
  });

  it('are refused with SHA-1, short RSA keys, other curves and keys of another kind', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    const ec = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey;
    const good = generateKeyPairSync('ec', { namedCurve: 'brainpoolP384r1' }).publicKey;
    expect(refusalOf({ family: 'ecdsa', hash: 'sha1' }, good)).toBe('SHA-1');
    expect(refusalOf({ family: 'ecdsa', hash: 'sha384' }, good)).toBeNull();
    expect(refusalOf({ family: 'rsa', hash: 'sha256' }, rsa)).toBe('RSA below 2048 bits');
    expect(refusalOf({ family: 'ecdsa', hash: 'sha256' }, ec)).toMatch(/curve/);
    expect(refusalOf({ family: 'rsa', hash: 'sha256' }, good)).toMatch(/another kind/);
    expect(refusalOf({ family: 'ecdsa', hash: 'sha256' }, rsa)).toMatch(/another kind/);
    expect(refusalOf({ family: 'rsa', hash: 'sha256' }, null)).toMatch(/cannot be read/);
  });
});

/** The parts of a minted EF.SOD, for tests that assemble it differently. */
function parts() {
  const minted = mint({ chipKey: 'none' });
  const [type, wrapped] = childrenOf(
    childrenOf(readElement(minted.input.sod, 0x77).contents)[0]?.contents ?? Buffer.alloc(0),
  );
  const fields = childrenOf(readElement(wrapped?.contents ?? Buffer.alloc(0)).contents);
  const [version, digests, content, certificates, signers] = fields.map(({ whole }) => whole);
  if (!type || !version || !digests || !content || !certificates || !signers)
    throw new Error('SOD');
  return { ...minted, type: type.whole, version, digests, content, certificates, signers };
}

const eContent = (content: Uint8Array): Uint8Array =>
  octetsOf(readElement(childrenOf(readElement(content).contents)[1]?.contents ?? content));

describe('an EF.SOD', () => {
  it('may have indefinite lengths, and content in several pieces', () => {
    const { policy, input, type, version, digests, content, certificates, signers } = parts();
    const bytes = eContent(content);
    const open = (tag: number, ...inside: Uint8Array[]): Buffer =>
      Buffer.concat([Buffer.from([tag, 0x80]), ...inside, Buffer.from([0, 0])]);
    const pieces = open(0x24, octetString(bytes.subarray(0, 9)), octetString(bytes.subarray(9)));
    const encapsulated = open(0x30, oid('2.23.136.1.1.1'), open(0xa0, pieces));
    const signed = open(0x30, version, digests, encapsulated, certificates, signers);
    const sod = element(0x77, open(0x30, type, open(0xa0, signed)));
    expect(outcome(verifyEmrtd(policy, { ...input, sod }, at))).toBe('passed');
  });

  it('is refused when signed with SHA-1, unless the policy only flags it', () => {
    const { policy, input, passport, type, version, content, certificates } = parts();
    const sha1 = sequence(oid('1.3.14.3.2.26'));
    const digest = createHash('sha1').update(eContent(content)).digest();
    const attributes = setOf(
      sequence(oid('1.2.840.113549.1.9.3'), setOf(oid('2.23.136.1.1.1'))),
      sequence(oid('1.2.840.113549.1.9.4'), setOf(octetString(digest))),
    );
    const sent = Buffer.from(attributes);
    sent[0] = 0xa0;
    const [name, serial] = identifierOf(passport.sod);
    const signer = sequence(
      Buffer.from([0x02, 0x01, 0x01]),
      sequence(name, serial),
      sha1,
      sent,
      sequence(oid('1.2.840.10045.4.1')),
      octetString(sign('sha1', attributes, passport.signer.key)),
    );
    const signed = sequence(version, setOf(sha1), content, certificates, setOf(signer));
    const sod = element(0x77, sequence(type, element(0xa0, signed)));
    const verdict = verifyEmrtd(policy, { ...input, sod }, at);
    expect(outcome(verdict)).toBe('algorithm_refused at sod_signature');
    expect(verdict.facts['signature_algorithm']).toBe('ecdsa-sha1');
    expect(results(verdict)).toMatchObject({ dsc_chain: 'ok', dg_hashes: 'ok' });
    expect(verdict.facts['weak_algorithms']).toEqual([]);
    const flagging = { ...policy, legacyAlgorithms: 'flag' } as const;
    const flagged = verifyEmrtd(flagging, { ...input, sod }, at);
    expect(outcome(flagged)).toBe('passed');
    expect(flagged.facts['weak_algorithms']).toEqual(['sod: ecdsa-sha1']);
    expect(outcome(verifyEmrtd(flagging, input, at))).toBe('passed');
  });

  it('is refused without signed attributes, with two signers or with trailing bytes', () => {
    const { policy, input, passport, type, version, digests, content, certificates, signers } =
      parts();
    const [name, serial] = identifierOf(passport.sod);
    const bare = sequence(
      Buffer.from([0x02, 0x01, 0x01]),
      sequence(name, serial),
      sequence(oid('2.16.840.1.101.3.4.2.1')),
      sequence(oid('1.2.840.10045.4.3.2')),
      octetString(sign('sha256', eContent(content), passport.signer.key)),
    );
    const build = (all: Uint8Array): Buffer =>
      element(
        0x77,
        sequence(type, element(0xa0, sequence(version, digests, content, certificates, all))),
      );
    const judge = (sod: Uint8Array) => outcome(verifyEmrtd(policy, { ...input, sod }, at));
    const one = readElement(signers).contents;
    expect(judge(build(signers))).toBe('passed');
    expect(judge(build(setOf(bare)))).toBe('sod_signature_invalid at sod_signature');
    expect(judge(build(setOf(one, bare)))).toBe('malformed at parse');
    expect(judge(build(setOf()))).toBe('malformed at parse');
    expect(judge(Buffer.concat([input.sod, Buffer.alloc(1)]))).toBe('malformed at parse');
    expect(judge(input.sod.subarray(4))).toBe('malformed at parse');
  });

  it('must have the content type of its signed attributes', () => {
    const { input } = mint();
    const signed = readCountrySigned(readElement(input.sod, 0x77).contents);
    const certificate = signerCertificate(signed);
    if (!certificate) throw new Error('the SOD carries its signer');
    expect(verifySigner(signed, certificate)).toMatchObject({ ok: true });
    const retyped = { ...signed, contentType: '1.2.840.113549.1.7.1' };
    expect(verifySigner(retyped, certificate)).toEqual({
      ok: false,
      fault: 'invalid',
      detail: 'content type',
    });
  });
});

function identifierOf(sod: Uint8Array): [Uint8Array, Uint8Array] {
  const info = childrenOf(readElement(sod, 0x77).contents)[0];
  const signed = readElement(childrenOf(info?.contents ?? sod)[1]?.contents ?? sod);
  const signer = readElement(childrenOf(signed.contents)[4]?.contents ?? sod);
  const [name, serial] = childrenOf(childrenOf(signer.contents)[1]?.contents ?? sod);
  return [name?.whole ?? sod, serial?.whole ?? sod];
}
