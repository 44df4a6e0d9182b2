import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

const backdatedMs = 3600_000;

export interface DevPkiOptions {
  readonly now: Date;
  /** Where CRLs and CA certificates are published: `{baseUrl}/pki/{kid}.crl|.cer`. */
  readonly baseUrl: string;
  /** Encrypts the key files. Without one a random passphrase is kept beside them. */
  readonly passphrase?: string;
}

interface Issued {
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
  if (options.passphrase === undefined) await write(directory, passphraseFile, passphrase);
  await write(directory, masterSecretFile, randomBytes(32).toString('hex'));
  const all = await issueAll(options);
  for (const [name, issued] of Object.entries(all)) {
    const key = issued.key.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase,
    });
    await write(directory, `${name}.key.pem`, key.toString());
    await write(directory, `${name}.cer.pem`, pemOf(issued.der));
  }
  await write(directory, rootCrlFile, await signRootCrl(all.root.signer, options.now));
  await flush(directory);
}

async function issueAll(options: DevPkiOptions): Promise<Readonly<Record<KeyName, Issued>>> {
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

const commonNames: Readonly<Record<KeyName, string>> = {
  root: 'trustcheck root',
  'people-ca': 'trustcheck people CA',
  'services-ca': servicesCaName,
  seal: 'trustcheck seal',
  tsa: 'trustcheck time stamps',
  tokens: 'trustcheck tokens',
};

async function issue(
  role: KeyName & CertificateRole,
  issuer: Issued | null,
  { now, baseUrl }: DevPkiOptions,
): Promise<Issued> {
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', {
    namedCurve: profiles[role].curve,
  });
  // Certificates tell whole seconds (RFC 5280 §4.1.2.5).
  const beginsMs = Math.floor((now.getTime() - backdatedMs) / 1000) * 1000;
  const der = await issueCertificate({
    role,
    commonName: commonNames[role],
    spki: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })),
    issuer: issuer?.signer ?? keySigner(key, []),
    serial: newSerial(randomBytes),
    notBefore: new Date(beginsMs),
    notAfter: new Date(beginsMs + profiles[role].lifeMsMax),
    ...(issuer ? { issuerUrl: `${baseUrl}/pki/${issuer.signer.kid}` } : {}),
  });
  return { der, key, signer: keySigner(key, [der]) };
}

async function write(directory: string, name: string, content: string | Uint8Array): Promise<void> {
  const file = await open(join(directory, name), 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flush(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
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
