import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 3600_000;
const caLifeMs = 3650 * dayMs;
const leafLifeMs = 730 * dayMs;
/** The clock of another machine may be behind. */
const backdatedMs = 3600_000;

interface Issuer {
  readonly key: webcrypto.CryptoKey;
  readonly certificate: x509.X509Certificate;
}

interface Leaf {
  /** Folder and file name. */
  readonly name: 'server' | 'client';
  readonly hosts: readonly string[];
  readonly usages: readonly x509.ExtendedKeyUsage[];
}

const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;

/**
 * Creates or renews the certificates for mutual TLS with a Temporal server, as PEM files in three
 * folders, so that each process gets only its own: `ca/` (the CA and its key), `server/` and
 * `client/` (the CA's certificate, a certificate and its key). Keys are never replaced. A
 * certificate is renewed when less than half of its two years is left. The same CA signs it, so
 * that old and new certificates trust each other.
 * @param hosts names by which clients reach the server
 * @returns the files that were written, relative to `directory`
 */
export async function makeTemporalCertificates(
  directory: string,
  hosts: readonly string[],
  now: Date,
): Promise<string[]> {
  const written: string[] = [];
  const issuer = await openCa(directory, now, written);
  const leaves: Leaf[] = [
    // The parts of a Temporal server call each other with the server's certificate.
    { name: 'server', hosts: [...hosts, 'localhost'], usages: [serverAuth, clientAuth] },
    { name: 'client', hosts: [], usages: [clientAuth] },
  ];
  for (const leaf of leaves) {
    await placeCa(directory, leaf.name, issuer, written);
    await renewLeaf(directory, leaf, issuer, now, written);
  }
  return written;
}

async function openCa(directory: string, now: Date, written: string[]): Promise<Issuer> {
  const keys = await openKey(directory, 'ca/ca.key.pem', written);
  const path = 'ca/ca.pem';
  const found = await read(directory, path);
  if (found !== null) return { key: keys.privateKey, certificate: new x509.X509Certificate(found) };
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(16).toString('hex'),
    name: 'CN=Temporal CA',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(now.getTime() + caLifeMs),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  await write(directory, path, certificate.toString('pem'), written);
  return { key: keys.privateKey, certificate };
}

async function placeCa(
  directory: string,
  folder: string,
  { certificate }: Issuer,
  written: string[],
): Promise<void> {
  const pem = certificate.toString('pem');
  const path = `${folder}/ca.pem`;
  if ((await read(directory, path)) !== pem) await write(directory, path, pem, written);
}

async function renewLeaf(
  directory: string,
  { name, hosts, usages }: Leaf,
  issuer: Issuer,
  now: Date,
  written: string[],
): Promise<void> {
  const keys = await openKey(directory, `${name}/${name}.key.pem`, written);
  const path = `${name}/${name}.pem`;
  const found = await read(directory, path);
  if (found !== null && isGoodFor(found, hosts, issuer, now)) return;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomBytes(16).toString('hex'),
    subject: `CN=Temporal ${name}`,
    issuer: issuer.certificate.subjectName,
    publicKey: keys.publicKey,
    signingKey: issuer.key,
    signingAlgorithm: algorithm,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(now.getTime() + leafLifeMs),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([...usages]),
      ...(hosts.length === 0
        ? []
        : [
            new x509.SubjectAlternativeNameExtension(
              hosts.map((value) => ({ type: 'dns', value })),
            ),
          ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate),
    ],
  });
  await write(directory, path, certificate.toString('pem'), written);
}

function isGoodFor(pem: string, hosts: readonly string[], issuer: Issuer, now: Date): boolean {
  const certificate = new X509Certificate(pem);
  const endsAtMs = Date.parse(certificate.validTo);
  return (
    endsAtMs - now.getTime() >= leafLifeMs / 2 &&
    certificate.checkIssued(new X509Certificate(issuer.certificate.toString('pem'))) &&
    hosts.every((host) => certificate.checkHost(host) !== undefined)
  );
}

/** Reads the key of a file, or creates it. */
async function openKey(
  directory: string,
  path: string,
  written: string[],
): Promise<webcrypto.CryptoKeyPair> {
  const found = await read(directory, path);
  if (found === null) {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    const pem = x509.PemConverter.encode(pkcs8, 'PRIVATE KEY');
    await write(directory, path, `${pem}\n`, written);
    return keys;
  }
  const jwk = createPrivateKey(found).export({ format: 'jwk' });
  const { d: _private, ...publicJwk } = jwk;
  return {
    privateKey: await webcrypto.subtle.importKey('jwk', jwk, algorithm, true, ['sign']),
    publicKey: await webcrypto.subtle.importKey('jwk', publicJwk, algorithm, true, ['verify']),
  };
}

async function read(directory: string, path: string): Promise<string | null> {
  try {
    return await readFile(join(directory, path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Writes a file atomically. Other users can read all files except the CA's key, because the
 * processes that read them have their own user ids. Each process is given only its own folder.
 */
async function write(
  directory: string,
  path: string,
  content: string,
  written: string[],
): Promise<void> {
  const target = join(directory, path);
  await mkdir(join(target, '..'), { recursive: true });
  const aside = `${target}.${randomBytes(6).toString('hex')}`;
  const mode = path === 'ca/ca.key.pem' ? 0o600 : 0o644;
  await writeFile(aside, content, { mode, flag: 'wx', flush: true });
  await rename(aside, target);
  written.push(path);
}
