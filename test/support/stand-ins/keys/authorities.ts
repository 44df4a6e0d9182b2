import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import {
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import type { Signer } from '../../../../domain/pki/signer.ts';
import { keySigner } from '../../../../domain/pki/x509/key-signer.ts';
import { profiles, type CertificateRole } from '../../../../domain/pki/x509/profile.ts';
import { newSerial } from '../../../../domain/pki/x509/serial.ts';

/** The fields of a certificate to issue, regardless of any profile. */
export interface Wanted {
  readonly name: string;
  readonly isCa: boolean;
  readonly areConstraintsCritical: boolean;
  readonly pathLength: number | null;
  /** 0 omits the extension. */
  readonly usages: number;
  /** An empty list omits the extension. */
  readonly purposes: readonly string[];
  readonly arePurposesCritical: boolean;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly hash: 'SHA-1' | 'SHA-256' | 'SHA-384';
  readonly more: readonly x509.Extension[];
  /** Overrides the issuer's name; null for its own name. */
  readonly issuerName: string | null;
}

export interface Held {
  readonly der: Buffer;
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

const hourMs = 3600_000;

/** Returns the fields of a role's profile, valid for an hour before and after now. */
export function wantedOf(role: CertificateRole, change: Partial<Wanted> = {}): Wanted {
  const { pathLength, usages, purposes, arePurposesCritical } = profiles[role];
  return {
    name: `trustcheck ${role.replace('-ca', ' CA')}`,
    isCa: pathLength !== null,
    areConstraintsCritical: true,
    pathLength,
    usages,
    purposes,
    arePurposesCritical,
    notBefore: new Date(Date.now() - hourMs),
    notAfter: new Date(Date.now() + hourMs),
    hash: 'SHA-256',
    more: [],
    issuerName: null,
    ...change,
  };
}

export const newKey = (): KeyObject =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/**
 * Issues a certificate that our CAs would refuse, as the holder of a CA key can. An issuer of null
 * makes it self-signed.
 */
export async function issueFreely(
  wanted: Wanted,
  issuer: Pick<Held, 'certificate' | 'key'> | null,
  key = newKey(),
): Promise<Held> {
  const by = issuer?.key ?? key;
  const namedCurve = by.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'P-384' : 'P-256';
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const publicKey = new x509.PublicKey(new Uint8Array(spki));
  const above = issuer && new x509.X509Certificate(new Uint8Array(issuer.certificate.raw));
  const keyId = above?.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  const { pathLength, purposes } = wanted;
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(randomBytes).toString('hex'),
    subject: `CN=${wanted.name}`,
    issuer: wanted.issuerName ?? above?.subject ?? `CN=${wanted.name}`,
    notBefore: wanted.notBefore,
    notAfter: wanted.notAfter,
    publicKey,
    signingKey: by.toCryptoKey({ name: 'ECDSA', namedCurve }, false, ['sign']),
    signingAlgorithm: { name: 'ECDSA', hash: wanted.hash },
    extensions: [
      new x509.BasicConstraintsExtension(
        wanted.isCa,
        pathLength ?? undefined,
        wanted.areConstraintsCritical,
      ),
      ...(wanted.usages ? [new x509.KeyUsagesExtension(wanted.usages, true)] : []),
      ...(purposes.length > 0
        ? [new x509.ExtendedKeyUsageExtension([...purposes], wanted.arePurposesCritical)]
        : []),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      ...(keyId ? [new x509.AuthorityKeyIdentifierExtension(keyId)] : []),
      ...wanted.more,
    ],
  });
  const der = Buffer.from(made.rawData);
  return { der, certificate: new X509Certificate(der), key };
}

/** Returns a signer with the first certificate's key. The others are included in its file. */
export function signerOf([leaf, ...others]: readonly [Held, ...Held[]]): Signer {
  const signer = keySigner(
    leaf.key,
    [leaf, ...others].map(({ der }) => der),
  );
  return { ...signer, algorithm: 'ES256' };
}
