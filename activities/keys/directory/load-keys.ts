import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readRootCrl } from '../../../domain/pki/revocation/root-crl.ts';
import type { Signer } from '../../../domain/pki/signer.ts';
import { isForStampsAlone } from '../../../domain/pki/x509/is-for-stamps.ts';
import { keySigner, type IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { mayCertify, profiles, purposes } from '../../../domain/pki/x509/profile.ts';
import { kidOf } from '../../../domain/pki/x509/thumbprint.ts';
import { tokenKeysOf, type TokenKeys } from '../../../domain/tokens/token-keys.ts';
import { changeStateOf } from './change-state.ts';
import {
  KeyDirectoryError,
  certificateOf,
  holdsKey,
  mismatched,
  pathIn,
  privateKeyOf,
  readKeyFile,
  rootCrlFile,
  type KeyName,
  type KeyPlace,
} from './key-files.ts';
import { listNext, loadNext, nextCasOf, type LeafOrCa, type NextKey } from './load-next.ts';
import {
  loadRetired,
  loadRetiredTokens,
  type RetiredCa,
  type RetiredTokenKey,
} from './load-retired.ts';
import { loadSecrets } from './load-secrets.ts';
import { masterSecretsOf, type MasterSecrets } from './master-secrets.ts';
import { aboutKey, absentSigner, keeperOf, openSigner, type Keys } from './open-signer.ts';

/** A signer with its certificate and public key, for tokens and key sets of the platform. */
export interface PlatformSigner extends Signer {
  readonly algorithm: 'ES256';
  readonly certificate: X509Certificate;
  readonly publicKey: KeyObject;
}

/** Every key of the platform at run time, as signers. The root's key is not loaded. */
export interface PlatformKeys extends TokenKeys, MasterSecrets {
  readonly root: {
    readonly certificate: X509Certificate;
    readonly kid: string;
    /** The root's CRL, DER; null where none was signed yet. */
    readonly crl: Buffer | null;
  };
  readonly peopleCa: PlatformSigner;
  readonly servicesCa: PlatformSigner;
  readonly seal: PlatformSigner;
  readonly tsa: PlatformSigner;
  readonly tokens: PlatformSigner;
  /**
   * CAs that no longer issue. They stay published, because their certificates are verified for
   * years.
   */
  readonly retired: readonly RetiredCa[];
  /** Token keys that no longer sign. */
  readonly retiredTokens: readonly RetiredTokenKey[];
  /** Keys that are published and accepted, and will sign later. */
  readonly next: readonly NextKey[];
  /** The CAs in `next`. */
  readonly nextCas: readonly RetiredCa[];
  /** The trust anchor as PEM. */
  readonly trustBundlePem: string;
  /**
   * Checks that each key outside of files is available and matches its certificate. Keys in files
   * are checked when they are loaded.
   * @throws KeyDirectoryError
   */
  prove(): Promise<void>;
}

/** Maximum reads when keys change during a read. Changes are seconds apart. */
const readsMax = 20;

/**
 * Loads the keys of a directory and checks them. Only the owner may read secrets. Each key matches
 * its certificate, each chain ends at the root, and each certificate has the purpose of its name.
 * Files that change during the read are read again. Keys outside of files are not contacted: see
 * `prove`.
 * @throws KeyDirectoryError
 */
export function loadKeys(from: string | KeyPlace): PlatformKeys {
  const place = placeOf(from);
  for (let left = readsMax; ; left -= 1) {
    const before = changeStateOf(place);
    try {
      const keys = keysIn(place);
      if (left <= 1 || changeStateOf(place) === before) return keys;
    } catch (error) {
      const isOdd = error instanceof KeyDirectoryError && error.fault !== 'exposed';
      if (!isOdd || left <= 1 || changeStateOf(place) === before) throw error;
    }
  }
}

function keysIn(place: KeyPlace): PlatformKeys {
  const root = rootOf(place);
  const from = { place, keeper: keeperOf(place) };
  const peopleCa = signerOf(from, 'people-ca', root, []);
  const servicesCa = signerOf(from, 'services-ca', root, []);
  const under = (name: LeafOrCa): PlatformSigner =>
    signerOf(from, name, servicesCa.certificate, [servicesCa.certificate.raw]);
  const [tsa, tokens] = [under('tsa'), under('tokens')];
  const seal = { ...under('seal'), root: root.raw };
  const secrets = masterSecretsOf(loadSecrets(place));
  const retired = loadRetired(place, root, from.keeper);
  const nextServicesCa = listNext(place).filter(({ name }) => name === 'services-ca');
  const retiredTokens = loadRetiredTokens(place, [servicesCa, ...retired, ...nextServicesCa]);
  const known = [peopleCa, servicesCa, seal, tsa, tokens, ...retired, ...retiredTokens];
  const kids = new Set(known.map(({ kid }) => kid));
  const next = loadNext(place, { root, servicesCa: servicesCa.certificate }, kids);
  const nextTokens = next.filter(({ name }) => name === 'tokens');
  return {
    ...secrets,
    root: { certificate: root, kid: kidOf(root), crl: rootCrlOf(place, root) },
    peopleCa,
    servicesCa,
    seal,
    tsa,
    tokens,
    retired,
    retiredTokens,
    next,
    nextCas: nextCasOf(from, next),
    ...tokenKeysOf([tokens, ...nextTokens, ...retiredTokens]),
    trustBundlePem: root.toString(),
    prove: () => proveAll({ 'people-ca': peopleCa, 'services-ca': servicesCa, seal, tsa, tokens }),
  };
}

/** Sequential: the first fault mostly affects all keys, and a wrong PIN must be tried only once. */
async function proveAll(signers: Readonly<Record<LeafOrCa, PlatformSigner>>): Promise<void> {
  for (const [name, { prove }] of Object.entries(signers)) {
    await prove?.().catch((error: unknown) => {
      throw aboutKey(name, error);
    });
  }
}

/**
 * Loads the root's key, to sign its CRL and new CAs only. No running process holds it.
 * @throws KeyDirectoryError
 */
export function loadRootSigner(from: string | KeyPlace): IssuingSigner {
  const place = placeOf(from);
  const root = rootOf(place);
  return keySigner(privateKeyOf(place, 'root', root), [root.raw]);
}

/**
 * Loads only the trust anchor, which needs no secret.
 * @throws KeyDirectoryError
 */
export function loadRoot(from: string | KeyPlace): X509Certificate {
  return rootOf(placeOf(from));
}

function placeOf(from: string | KeyPlace): KeyPlace {
  return typeof from === 'string' ? { directory: from } : from;
}

function rootOf(place: KeyPlace): X509Certificate {
  const root = certificateOf(place, 'root');
  checkIssued('root', root, root);
  return root;
}

function rootCrlOf({ directory }: KeyPlace, root: X509Certificate): Buffer | null {
  const path = pathIn(directory, rootCrlFile);
  if (!existsSync(path)) return null;
  const crl = readKeyFile(path);
  if (readRootCrl(crl, root)) return crl;
  throw mismatched('root', `${path} is no CRL of the root`);
}

function signerOf(
  from: Keys,
  name: LeafOrCa,
  issuer: X509Certificate,
  intermediates: Uint8Array[],
): PlatformSigner {
  const certificate = certificateOf(from.place, name);
  checkIssued(name, certificate, issuer);
  checkPurpose(name, certificate);
  const chain = [certificate.raw, ...intermediates];
  const signer = holdsKey(from.place, name)
    ? openSigner(from, name, certificate, chain)
    : absentSigner(name, kidOf(certificate), chain);
  const { algorithm } = signer;
  if (algorithm !== 'ES256') throw mismatched(name, 'the key is not on P-256');
  return { ...signer, algorithm, certificate, publicKey: certificate.publicKey };
}

function checkIssued(name: KeyName, certificate: X509Certificate, issuer: X509Certificate): void {
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) {
    throw mismatched(name, 'the certificate was not issued by its CA');
  }
}

/**
 * Throws if a certificate has another purpose. Files in a directory are easily swapped, and a seal
 * key that signs time stamps would be noticed only years later.
 */
function checkPurpose(name: LeafOrCa, certificate: X509Certificate): void {
  const isCa = name === 'people-ca' || name === 'services-ca';
  if (certificate.ca === isCa && isFor(name, certificate)) return;
  const what = isCa ? 'other purposes, or names none' : 'another purpose';
  throw mismatched(name, `the certificate is for ${what}`);
}

function isFor(name: LeafOrCa, certificate: X509Certificate): boolean {
  const wanted = profiles[name].purposes;
  if (certificate.ca) {
    const all = Object.values(purposes);
    return all.every((one) => mayCertify(certificate, one) === wanted.includes(one));
  }
  if (name === 'tsa') return isForStampsAlone(certificate);
  // Node's types declare string[], but it is undefined without the extension.
  const found: readonly string[] | undefined = certificate.keyUsage;
  return (found ?? []).join() === wanted.join();
}

/** Returns the SHA-256 of a certificate, in hex. */
export function fingerprintOf(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('hex');
}
