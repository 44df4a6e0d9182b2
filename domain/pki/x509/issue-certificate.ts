import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import * as asn1 from 'asn1js';
import { webcrypto } from 'node:crypto';
import * as der from '../write-der.ts';
import type { IssuingSigner } from './key-signer.ts';
import { CertificateProfileError, lintCertificate, ocspNoCheck } from './lint-certificate.ts';
import { profiles, type CertificateRole } from './profile.ts';

x509.cryptoProvider.set(webcrypto);

export interface CertificateRequest {
  readonly role: CertificateRole;
  readonly commonName: string;
  /** The key to certify, as DER SubjectPublicKeyInfo. */
  readonly spki: Uint8Array<ArrayBuffer>;
  /** The issuing key; its chain begins with the issuer's certificate. Empty for the root itself. */
  readonly issuer: IssuingSigner;
  readonly serial: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /**
   * `{base_url}/pki/{kid}` of the issuer: `.crl` and `.cer` are below it, `ocsp` is beside it.
   * Absent for the root.
   */
  readonly issuerUrl?: string;
}

/** Signature algorithms as the certificate names them. */
const signatures = {
  ES256: { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', hash: 'SHA-384', namedCurve: 'P-384' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
} as const;
const derNull = Buffer.of(5, 0);
const draftBytes = { ES256: 64, ES384: 96, RS256: 256 } as const;

/**
 * Issues one X.509 certificate (RFC 5280 §4.1) by the profile of its role. A draft with a dummy
 * signature is linted first. Only a draft without faults is signed, so that no certificate that the
 * profile forbids ever has a signature.
 * @returns DER
 * @throws CertificateProfileError if the request breaks the profile
 */
export async function issueCertificate(request: CertificateRequest): Promise<Buffer> {
  const { role, issuer } = request;
  const [issuerDer] = issuer.certificateChain;
  const authority = issuerDer ? new x509.X509Certificate(Buffer.from(issuerDer)) : null;
  const draft = await draftOf(request, authority);
  const faults = lintCertificate(draft, role, authority);
  if (faults.length > 0) throw new CertificateProfileError(role, faults);
  const [tbs, algorithm] = partsOf(draft.rawData);
  const signature = await issuer.sign(tbs);
  return der.sequence(tbs, algorithm, der.bits(signature));
}

async function draftOf(
  request: CertificateRequest,
  authority: x509.X509Certificate | null,
): Promise<x509.X509Certificate> {
  const { role, issuer } = request;
  const subject: x509.JsonName = [{ CN: [request.commonName] }];
  const publicKey = new x509.PublicKey(request.spki);
  const authorityKey = authority?.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  return x509.X509CertificateGenerator.create({
    serialNumber: Buffer.from(request.serial).toString('hex'),
    subject,
    issuer: authority ? authority.subjectName : subject,
    notBefore: request.notBefore,
    notAfter: request.notAfter,
    publicKey,
    signature: new Uint8Array(draftBytes[issuer.algorithm]).fill(1),
    signingAlgorithm: signatures[issuer.algorithm],
    extensions: [
      ...extensionsOf(role),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      ...(authorityKey ? [new x509.AuthorityKeyIdentifierExtension(authorityKey)] : []),
      ...(request.issuerUrl ? pointers(role, request.issuerUrl) : []),
    ],
  });
}

function extensionsOf(role: CertificateRole): x509.Extension[] {
  const profile = profiles[role];
  const isCa = profile.pathLength !== null;
  const extensions: x509.Extension[] = [
    new x509.BasicConstraintsExtension(isCa, profile.pathLength ?? undefined, true),
    new x509.KeyUsagesExtension(profile.usages, true),
  ];
  if (profile.purposes.length > 0) {
    const { purposes, arePurposesCritical } = profile;
    extensions.push(new x509.ExtendedKeyUsageExtension([...purposes], arePurposesCritical));
  }
  if (profile.revocation === 'none')
    extensions.push(new x509.Extension(ocspNoCheck, false, derNull));
  return extensions;
}

function pointers(role: CertificateRole, url: string): x509.Extension[] {
  const isAnswered = profiles[role].revocation === 'crl-and-ocsp';
  const ocsp = isAnswered ? { ocsp: url.replace(/[^/]+$/, 'ocsp') } : {};
  return [
    new x509.CRLDistributionPointsExtension([`${url}.crl`]),
    new x509.AuthorityInfoAccessExtension({ ...ocsp, caIssuers: `${url}.cer` }),
  ];
}

/** Returns the signed part and its algorithm, byte for byte as in the draft. */
function partsOf(draft: ArrayBuffer): [Buffer, Buffer] {
  const { result } = asn1.fromBER(draft);
  const [tbs, algorithm] = result instanceof asn1.Sequence ? result.valueBlock.value : [];
  if (!tbs || !algorithm) throw new Error('the draft is not a certificate');
  return [Buffer.from(tbs.valueBeforeDecodeView), Buffer.from(algorithm.valueBeforeDecodeView)];
}
