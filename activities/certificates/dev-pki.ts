import { generateKeyPairSync, randomBytes, X509Certificate, type KeyObject } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flush, writeFlushed } from './change-keys.ts';
import type { NewCertificate } from '../../db/queries/certificates.ts';
import { issueCertificate, newSerial } from './issue-certificate.ts';
import {
  KeyDirectoryError,
  masterSecretFile,
  passphraseFile,
  rootCrlFile,
  type KeyName,
} from './key-files.ts';
import { keySigner, type IssuingSigner } from './key-signer.ts';
import { servicesCaName } from './may-certify.ts';
import { pemOf } from './pem.ts';
import { profiles, type CertificateRole } from './profile.ts';
import { signRootCrl } from './root-crl.ts';
import { publicJwkOf } from './thumbprint.ts';

const backdatedMs = 3600_000;

export interface DevPkiOptions {
  readonly now: Date;
  /** Where CRLs and CA certificates are published: `{baseUrl}/pki/{kid}.crl|.cer`. */
  readonly baseUrl: string;
  /** Encrypts the key files. Without one a random passphrase is kept beside them. */
  readonly passphrase?: string;
}

/** A key with its certificate, as it was made. */
export interface IssuedKey {
  readonly der: Buffer;
  readonly key: KeyObject;
  readonly signer: IssuingSigner;
}

/**
 * Makes the platform's own public-key infrastructure in a directory, once: root, people CA,
 * services CA, seal, time-stamping authority, token key and a master secret, all in files of the
 * owner alone. The directory appears whole or not at all, so that two processes that start at once
 * end with the same one and a killed one leaves nothing half done.
 * @returns false when the directory was there already
 * @throws when the directory holds something else or cannot be written
 */
export async function createDevPki(directory: string, options: DevPkiOptions): Promise<boolean> {
  if (await isMade(directory)) return false;
  const building = `${directory}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(building, { recursive: true, mode: 0o700 });
  try {
    await fill(building, options);
    // Replaces an empty directory, fails on any other: whoever renames first has made it.
    await rename(building, directory);
    await flush(dirname(directory));
    return true;
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    if (await isMade(directory)) return false;
    if (!isCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error;
    throw new KeyDirectoryError('mismatched', `${directory}: holds something else than keys`);
  }
}

async function fill(directory: string, options: DevPkiOptions): Promise<void> {
  const passphrase = options.passphrase ?? randomBytes(32).toString('base64url');
  if (options.passphrase === undefined)
    await writeFlushed(join(directory, passphraseFile), passphrase);
  await writeFlushed(join(directory, masterSecretFile), randomBytes(32).toString('hex'));
  const all = await issueAll(options);
  for (const [name, issued] of Object.entries(all)) {
    await writeFlushed(join(directory, `${name}.key.pem`), keyPemOf(issued.key, passphrase));
    await writeFlushed(join(directory, `${name}.cer.pem`), pemOf(issued.der));
  }
  await writeFlushed(join(directory, rootCrlFile), await signRootCrl(all.root.signer, options.now));
  await flush(directory);
}

async function issueAll(options: DevPkiOptions): Promise<Readonly<Record<KeyName, IssuedKey>>> {
  const root = await issue('root', null, options);
  const services = await issue('services-ca', root, options);
  return {
    root,
    'people-ca': await issue('people-ca', root, options),
    'services-ca': services,
    seal: await issue('seal', services, options),
    tsa: await issue('tsa', services, options),
    tokens: await issue('tokens', services, options),
  };
}

/** A private key as its file holds it: encrypted, where there is a passphrase. */
export function keyPemOf(key: KeyObject, passphrase: string | null): string {
  const form = { type: 'pkcs8', format: 'pem' } as const;
  const encrypted = { ...form, cipher: 'aes-256-cbc', passphrase: passphrase ?? '' };
  return key.export(passphrase === null ? form : encrypted).toString();
}

export const commonNames: Readonly<Record<KeyName, string>> = {
  root: 'trustcheck root',
  'people-ca': 'trustcheck people CA',
  'services-ca': servicesCaName,
  seal: 'trustcheck seal',
  tsa: 'trustcheck time stamps',
  tokens: 'trustcheck tokens',
};

const issue = (
  role: KeyName & CertificateRole,
  issuer: IssuedKey | null,
  { now, baseUrl }: DevPkiOptions,
): Promise<IssuedKey> =>
  issueKey({ role, commonName: commonNames[role], issuer: issuer?.signer ?? null, now, baseUrl });

export interface KeyRequest {
  readonly role: KeyName & CertificateRole;
  readonly commonName: string;
  /** Null for a root. */
  readonly issuer: IssuingSigner | null;
  readonly now: Date;
  readonly baseUrl: string;
  /** Stores the serial of the certificate before it is signed. */
  readonly enter?: (row: Omit<NewCertificate, 'kind'>) => Promise<void>;
}

/** Makes a key of a role and has it certified, by its profile. */
export async function issueKey(request: KeyRequest): Promise<IssuedKey> {
  const { role, commonName, issuer, now, baseUrl } = request;
  const { curve: namedCurve, lifeMsMax } = profiles[role];
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve });
  // Certificates tell whole seconds (RFC 5280 §4.1.2.5), and none begins before its CA.
  const wantedMs = Math.floor((now.getTime() - backdatedMs) / 1000) * 1000;
  const [authority] = issuer?.certificateChain ?? [];
  const above = authority ? new X509Certificate(authority) : null;
  const beginsMs = Math.max(wantedMs, above?.validFromDate.getTime() ?? 0);
  const endsMs = Math.min(beginsMs + lifeMsMax, above?.validToDate.getTime() ?? Infinity);
  const serial = newSerial(randomBytes);
  const [notBefore, notAfter] = [new Date(beginsMs), new Date(endsMs)];
  if (issuer) {
    const own = keySigner(key, []);
    await request.enter?.({
      serial: serial.toString('hex'),
      issuer_kid: issuer.kid,
      kid: own.kid,
      poly_user_id: null,
      device_id: null,
      public_jwk: publicJwkOf(publicKey),
      not_before: notBefore,
      not_after: notAfter,
    });
  }
  const der = await issueCertificate({
    role,
    commonName,
    spki: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })),
    issuer: issuer ?? keySigner(key, []),
    serial,
    notBefore,
    notAfter,
    ...(issuer ? { issuerUrl: `${baseUrl}/pki/${issuer.kid}` } : {}),
  });
  return { der, key, signer: keySigner(key, [der]) };
}

async function isMade(directory: string): Promise<boolean> {
  return stat(join(directory, masterSecretFile)).then(
    () => true,
    () => false,
  );
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
