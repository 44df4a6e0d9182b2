import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { join } from 'node:path';
import type { X509Certificate } from '@peculiar/x509';
import { issueCertificate, thumbprintOf, type CertificateRole } from './profile.ts';

const backdatedMs = 3600_000;

interface Issued {
  readonly certificate: X509Certificate;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly kid: string;
}

/** The files of a key directory: `{name}.key.pem` and `{name}.cer.pem` for each of these. */
export const keyNames = ['root', 'people-ca', 'services-ca', 'seal', 'tsa', 'tokens'] as const;
export type KeyName = (typeof keyNames)[number];
export const masterSecretFile = 'master.secret';

/**
 * Makes the platform's own public-key infrastructure in a directory, once: root, people CA,
 * services CA, seal, time-stamping authority, token key and a master secret. The directory appears
 * whole or not at all, so that two processes that start at once end with the same one.
 * @returns false when the directory was there already
 */
export async function createDevPki(
  directory: string,
  options: { readonly now: Date; readonly baseUrl: string },
): Promise<boolean> {
  if (await exists(directory)) return false;
  const building = `${directory}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(building, { recursive: true, mode: 0o700 });
  const notBefore = new Date(options.now.getTime() - backdatedMs);
  const root = await issue('root', 'CN=trustcheck root', null, notBefore, options.baseUrl);
  const people = await issue('ca', 'CN=trustcheck people CA', root, notBefore, options.baseUrl);
  const services = await issue('ca', 'CN=trustcheck services CA', root, notBefore, options.baseUrl);
  const made: Readonly<Record<KeyName, Issued>> = {
    root,
    'people-ca': people,
    'services-ca': services,
    seal: await issue('seal', 'CN=trustcheck seal', services, notBefore, options.baseUrl),
    tsa: await issue('tsa', 'CN=trustcheck time stamps', services, notBefore, options.baseUrl),
    tokens: await issue('tokens', 'CN=trustcheck tokens', services, notBefore, options.baseUrl),
  };
  for (const name of keyNames) await save(building, name, made[name]);
  await writeSecret(join(building, masterSecretFile), randomBytes(32).toString('hex'));
  try {
    await rename(building, directory);
    return true;
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    if (await exists(directory)) return false;
    throw error;
  }
}

async function issue(
  role: CertificateRole,
  subject: string,
  issuer: Issued | null,
  notBefore: Date,
  baseUrl: string,
): Promise<Issued> {
  const namedCurve = role === 'root' ? 'P-384' : 'P-256';
  const algorithm = { name: 'ECDSA', namedCurve };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await issueCertificate({
    role,
    subject,
    publicKey: keys.publicKey,
    issuer: issuer && { certificate: issuer.certificate, key: issuer.keys.privateKey },
    selfKey: keys.privateKey,
    notBefore,
    ...(issuer ? { issuerUrl: `${baseUrl}/pki/${issuer.kid}` } : {}),
  });
  const jwk = await webcrypto.subtle.exportKey('jwk', keys.publicKey);
  return { certificate, keys, kid: thumbprintOf(jwk) };
}

async function save(directory: string, name: KeyName, issued: Issued): Promise<void> {
  const key = KeyObject.from(issued.keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  await writeSecret(join(directory, `${name}.key.pem`), String(key));
  await writeFile(join(directory, `${name}.cer.pem`), `${issued.certificate.toString('pem')}\n`);
}

async function writeSecret(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600, flag: 'wx' });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
