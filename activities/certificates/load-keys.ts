import {
  createHash,
  createPrivateKey,
  hkdfSync,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { masterSecretFile, passphraseFile, type KeyName } from './dev-pki.ts';
import { keySigner, type IssuingSigner } from './key-signer.ts';
import { purposes } from './profile.ts';
import type { Signer } from './signer.ts';
import { publicJwkOf, thumbprintOf } from './thumbprint.ts';

/** A signer that also gives its public key, for the platform's own tokens and key sets. */
export interface PlatformSigner extends Signer {
  readonly algorithm: 'ES256';
  readonly certificate: X509Certificate;
  readonly publicKey: KeyObject;
}

/** Every key the platform holds at run time, behind the `Signer` port. The root's stays on disk. */
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

export interface KeyPlace {
  readonly directory: string;
  /** The passphrase of the key files, when it is not kept beside them. */
  readonly passphrase?: string;
}

export type KeyFault = 'missing' | 'unreadable' | 'exposed' | 'encrypted' | 'mismatched';

/** A file of the key directory cannot be used; the message names the file and what to do. */
export class KeyDirectoryError extends Error {
  override readonly name = 'KeyDirectoryError';
  readonly fault: KeyFault;

  constructor(fault: KeyFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/**
 * Loads the keys of a directory (`file` driver) and checks them: secrets readable by the owner
 * alone, each key the one its certificate names, each chain leading to the root, each certificate
 * fit for what it is named after.
 * @throws KeyDirectoryError
 */
export function loadKeys(from: string | KeyPlace): PlatformKeys {
  const place = placeOf(from);
  const root = rootOf(place);
  const peopleCa = signerOf(place, 'people-ca', root, []);
  const servicesCa = signerOf(place, 'services-ca', root, []);
  const under = (name: KeyName): PlatformSigner =>
    signerOf(place, name, servicesCa.certificate, [servicesCa.certificate.raw]);
  const master = masterSecretOf(place);
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

/**
 * The root's own key, for the root's CRL and for new CAs only: no running process holds it.
 * @throws KeyDirectoryError
 */
export function loadRootSigner(from: string | KeyPlace): IssuingSigner {
  const place = placeOf(from);
  const root = rootOf(place);
  return keySigner(privateKeyOf(place, 'root', root), [root.raw]);
}

function placeOf(from: string | KeyPlace): KeyPlace {
  return typeof from === 'string' ? { directory: from } : from;
}

function rootOf(place: KeyPlace): X509Certificate {
  const root = certificateOf(place, 'root');
  checkIssued('root', root, root);
  return root;
}

function signerOf(
  place: KeyPlace,
  name: KeyName,
  issuer: X509Certificate,
  intermediates: Uint8Array[],
): PlatformSigner {
  const certificate = certificateOf(place, name);
  checkIssued(name, certificate, issuer);
  checkPurpose(name, certificate);
  const key = privateKeyOf(place, name, certificate);
  const signer = keySigner(key, [certificate.raw, ...intermediates]);
  const { algorithm } = signer;
  if (algorithm !== 'ES256') throw mismatched(name, 'the key is not on P-256');
  return { ...signer, algorithm, certificate, publicKey: certificate.publicKey };
}

function checkIssued(name: KeyName, certificate: X509Certificate, issuer: X509Certificate): void {
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) {
    throw mismatched(name, 'the certificate was not issued by its CA');
  }
}

const purposesOf: Readonly<Record<KeyName, readonly string[]>> = {
  root: [],
  'people-ca': [],
  'services-ca': [],
  seal: [purposes.documentSigning, purposes.emailProtection],
  tsa: [purposes.timeStamping],
  tokens: [],
};

/** Files of one directory are easily swapped; a seal that stamps time would only show years later. */
function checkPurpose(name: KeyName, certificate: X509Certificate): void {
  // Node's types say string[]; a certificate without the extension has none.
  const found: readonly string[] | undefined = certificate.keyUsage;
  const isCa = name === 'people-ca' || name === 'services-ca';
  if (certificate.ca !== isCa || (found ?? []).join() !== purposesOf[name].join()) {
    throw mismatched(name, 'the certificate is for another purpose');
  }
}

function certificateOf({ directory }: KeyPlace, name: KeyName): X509Certificate {
  const path = join(directory, `${name}.cer.pem`);
  const pem = read(path);
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new KeyDirectoryError('unreadable', `${path}: not a certificate`, { cause });
  }
}

function privateKeyOf(place: KeyPlace, name: KeyName, certificate: X509Certificate): KeyObject {
  const path = join(place.directory, `${name}.key.pem`);
  const pem = readSecret(path);
  const key = decrypted(path, pem, pem.includes('ENCRYPTED') ? passphraseOf(place, path) : null);
  if (!certificate.checkPrivateKey(key)) {
    throw mismatched(name, 'the key is not that of the certificate');
  }
  return key;
}

function decrypted(path: string, pem: string, passphrase: string | null): KeyObject {
  try {
    return createPrivateKey({ key: pem, ...(passphrase === null ? {} : { passphrase }) });
  } catch (cause) {
    if (passphrase === null) {
      throw new KeyDirectoryError('unreadable', `${path}: not a private key`, { cause });
    }
    throw new KeyDirectoryError('encrypted', `${path}: the passphrase is not the one of the file`);
  }
}

function passphraseOf({ directory, passphrase }: KeyPlace, path: string): string {
  if (passphrase !== undefined) return passphrase;
  try {
    return readSecret(join(directory, passphraseFile)).trim();
  } catch (cause) {
    if (cause instanceof KeyDirectoryError && cause.fault !== 'missing') throw cause;
    throw new KeyDirectoryError('encrypted', `${path}: encrypted, and no passphrase was given`);
  }
}

function masterSecretOf({ directory }: KeyPlace): Buffer {
  const path = join(directory, masterSecretFile);
  const hex = readSecret(path).trim();
  if (/^[0-9a-f]{64}$/i.test(hex)) return Buffer.from(hex, 'hex');
  throw new KeyDirectoryError('unreadable', `${path}: not 32 bytes of hex`);
}

function readSecret(path: string): string {
  const content = read(path);
  if ((statSync(path).mode & 0o077) === 0) return content;
  throw new KeyDirectoryError('exposed', `${path}: open to others than its owner; chmod 600 it`);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (isMissing) throw new KeyDirectoryError('missing', `${path}: does not exist`);
    throw new KeyDirectoryError('unreadable', `${path}: cannot be read`, { cause });
  }
}

function mismatched(name: KeyName, what: string): KeyDirectoryError {
  return new KeyDirectoryError('mismatched', `${name}: ${what}`);
}

/** RFC 7638 thumbprint of a certificate's public key. */
export function kidOf(certificate: X509Certificate): string {
  return thumbprintOf(publicJwkOf(certificate.publicKey));
}

/** SHA-256 of a certificate, in hex. */
export function fingerprintOf(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('hex');
}
