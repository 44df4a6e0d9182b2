import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { createHash, randomBytes, webcrypto } from 'node:crypto';

x509.cryptoProvider.set(webcrypto);

export type CertificateRole = 'root' | 'ca' | 'seal' | 'tsa' | 'tokens' | 'user';

const dayMs = 24 * 3600_000;
const yearMs = 365 * dayMs;

/** How long a certificate of each role lives (reference profile: a TSA outlives the archive). */
export const lifeMs: Readonly<Record<CertificateRole, number>> = {
  root: 20 * yearMs,
  ca: 12 * yearMs,
  seal: 2 * yearMs,
  tsa: 10 * yearMs,
  tokens: 2 * yearMs,
  user: yearMs,
};

const documentSigning = '1.3.6.1.5.5.7.3.36';
const emailProtection = '1.3.6.1.5.5.7.3.4';
const clientAuth = '1.3.6.1.5.5.7.3.2';
const timeStamping = '1.3.6.1.5.5.7.3.8';

const { digitalSignature, nonRepudiation, keyCertSign, cRLSign } = x509.KeyUsageFlags;

export interface CertificateRequest {
  readonly role: CertificateRole;
  readonly subject: string;
  readonly publicKey: webcrypto.CryptoKey;
  readonly issuer: {
    readonly certificate: x509.X509Certificate;
    readonly key: webcrypto.CryptoKey;
  } | null;
  /** The subject's own key, for the self-signed root. */
  readonly selfKey?: webcrypto.CryptoKey;
  readonly notBefore: Date;
  /** Where the issuer's certificate and CRL are published, `{base_url}/pki/{kid}`. */
  readonly issuerUrl?: string;
}

/**
 * Issues one certificate by the profile of its role: RFC 5280 basics, SKI on every certificate and
 * AKI on what a CA issues (validators build chains by them), 127 random bits of serial.
 */
export async function issueCertificate(request: CertificateRequest): Promise<x509.X509Certificate> {
  const signingKey = request.issuer?.key ?? request.selfKey;
  if (!signingKey) throw new Error('a certificate needs an issuer or its own key');
  const issuer = request.issuer?.certificate.subject ?? request.subject;
  const { namedCurve } = signingKey.algorithm as webcrypto.EcKeyAlgorithm;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: request.subject,
    issuer,
    notBefore: request.notBefore,
    notAfter: new Date(request.notBefore.getTime() + lifeMs[request.role]),
    publicKey: request.publicKey,
    signingKey,
    signingAlgorithm: { name: 'ECDSA', hash: namedCurve === 'P-384' ? 'SHA-384' : 'SHA-256' },
    extensions: [
      ...extensionsOf(request.role),
      await x509.SubjectKeyIdentifierExtension.create(request.publicKey),
      ...(request.issuer
        ? [await x509.AuthorityKeyIdentifierExtension.create(request.issuer.certificate.publicKey)]
        : []),
      ...(request.issuerUrl ? pointers(request.issuerUrl) : []),
    ],
  });
  return certificate;
}

function extensionsOf(role: CertificateRole): x509.Extension[] {
  switch (role) {
    case 'root':
      return [
        new x509.BasicConstraintsExtension(true, 1, true),
        new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
      ];
    case 'ca':
      return [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
      ];
    case 'seal':
      return leaf(digitalSignature | nonRepudiation, [documentSigning, emailProtection]);
    case 'tsa':
      return leaf(digitalSignature | nonRepudiation, [timeStamping], true);
    case 'tokens':
      return leaf(digitalSignature, []);
    case 'user':
      return leaf(digitalSignature, [clientAuth]);
  }
}

function leaf(
  usages: x509.KeyUsageFlags,
  purposes: string[],
  criticalPurposes = false,
): x509.Extension[] {
  const extensions: x509.Extension[] = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(usages, true),
  ];
  if (purposes.length > 0) {
    extensions.push(new x509.ExtendedKeyUsageExtension(purposes, criticalPurposes));
  }
  return extensions;
}

function pointers(url: string): x509.Extension[] {
  return [
    new x509.CRLDistributionPointsExtension([`${url}.crl`]),
    new x509.AuthorityInfoAccessExtension({ caIssuers: `${url}.cer` }),
  ];
}

/** A positive serial of 127 random bits, in hex (RFC 5280 §4.1.2.2). */
export function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/** RFC 7638 SHA-256 thumbprint of an EC public key, base64url. */
export function thumbprintOf(jwk: { crv?: string; kty?: string; x?: string; y?: string }): string {
  const canonical = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y });
  return createHash('sha256').update(canonical).digest('base64url');
}
