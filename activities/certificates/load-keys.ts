import {
  createHash,
  createPrivateKey,
  hkdfSync,
  sign as signBytes,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { masterSecretFile, type KeyName } from './dev-pki.ts';
import { thumbprintOf } from './profile.ts';
import type { Signer } from './signer.ts';

/** A signer that also gives its public key, for the platform's own tokens and key sets. */
export interface PlatformSigner extends Signer {
  readonly certificate: X509Certificate;
  readonly publicKey: KeyObject;
}

/** Every key the platform holds, behind the `Signer` port. */
export interface PlatformKeys {
  readonly root: { readonly certificate: X509Certificate; readonly kid: string };
  readonly peopleCa: PlatformSigner;
  readonly servicesCa: PlatformSigner;
  readonly seal: PlatformSigner;
  readonly tsa: PlatformSigner;
  readonly tokens: PlatformSigner;
  /** The trust anchor as PEM. */
  readonly trustBundlePem: string;
  /** 32 bytes for one purpose, derived from the master secret (HKDF-SHA-256, RFC 5869). */
  secret(purpose: string): Buffer;
}

/** The directory of the keys cannot be used; the message names the file and the fault. */
export class KeyDirectoryError extends Error {
  override readonly name = 'KeyDirectoryError';
}

/**
 * Loads the keys of a directory (`file` driver) and checks them: files of the owner only, each key
 * the one its certificate names, each chain leading to the root.
 */
export function loadKeys(directory: string): PlatformKeys {
  const root = certificateOf(directory, 'root');
  const peopleCa = signerOf(directory, 'people-ca', root, []);
  const servicesCa = signerOf(directory, 'services-ca', root, []);
  const under = (name: KeyName): PlatformSigner =>
    signerOf(directory, name, servicesCa.certificate, [servicesCa.certificate.raw]);
  const master = Buffer.from(readSecret(join(directory, masterSecretFile)).trim(), 'hex');
  if (master.length !== 32) throw new KeyDirectoryError(`${masterSecretFile}: not 32 bytes of hex`);
  return {
    root: { certificate: root, kid: kidOf(root) },
    peopleCa,
    servicesCa,
    seal: under('seal'),
    tsa: under('tsa'),
    tokens: under('tokens'),
    trustBundlePem: root.toString(),
    secret: (purpose) => Buffer.from(hkdfSync('sha256', master, 'trustcheck', purpose, 32)),
  };
}

function signerOf(
  directory: string,
  name: KeyName,
  issuer: X509Certificate,
  intermediates: Uint8Array[],
): PlatformSigner {
  const certificate = certificateOf(directory, name);
  const key = createPrivateKey(readSecret(join(directory, `${name}.key.pem`)));
  if (!certificate.checkPrivateKey(key)) {
    throw new KeyDirectoryError(`${name}: the key is not that of the certificate`);
  }
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) {
    throw new KeyDirectoryError(`${name}: the certificate was not issued by its CA`);
  }
  return {
    kid: kidOf(certificate),
    algorithm: 'ES256',
    certificateChain: [certificate.raw, ...intermediates],
    certificate,
    publicKey: certificate.publicKey,
    sign: async (tbs) => signBytes('sha256', tbs, key),
  };
}

function certificateOf(directory: string, name: KeyName): X509Certificate {
  const path = join(directory, `${name}.cer.pem`);
  try {
    return new X509Certificate(readFileSync(path));
  } catch (cause) {
    throw new KeyDirectoryError(`${path}: no readable certificate`, { cause });
  }
}

function readSecret(path: string): string {
  try {
    if ((statSync(path).mode & 0o077) !== 0) {
      throw new KeyDirectoryError(`${path}: readable by others; chmod 600 it`);
    }
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof KeyDirectoryError) throw cause;
    throw new KeyDirectoryError(`${path}: cannot be read`, { cause });
  }
}

/** RFC 7638 thumbprint of a certificate's public key. */
export function kidOf(certificate: X509Certificate): string {
  return thumbprintOf(certificate.publicKey.export({ format: 'jwk' }));
}

/** SHA-256 of a certificate, in hex. */
export function fingerprintOf(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('hex');
}
