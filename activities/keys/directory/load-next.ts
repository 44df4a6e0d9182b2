import type { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { kidOf } from '../../../domain/pki/x509/thumbprint.ts';
import type { Keeper } from '../custody/keeper.ts';
import {
  certificateOf,
  holdsKey,
  mismatched,
  nextFolder,
  pendingFolder,
  type KeyName,
  type KeyPlace,
} from './key-files.ts';
import { publication, readMetadata } from './key-metadata.ts';
import { isIssuedBy, type RetiredCa } from './load-retired.ts';
import { openSigner } from './open-signer.ts';

export type LeafOrCa = Exclude<KeyName, 'root'>;

/** A key that is published and accepted, but neither signs nor issues yet. */
export interface NextKey {
  readonly name: LeafOrCa;
  readonly certificate: X509Certificate;
  readonly kid: string;
  readonly publishedAt: Date;
}

const names: readonly LeafOrCa[] = ['people-ca', 'services-ca', 'seal', 'tsa', 'tokens'];
const ending = '.cer.pem';

/**
 * Loads the published next keys of a key directory, without those that became current.
 * @param known thumbprints of current and retired keys
 * @throws KeyDirectoryError
 */
export function loadNext(
  place: KeyPlace,
  authorities: { readonly root: X509Certificate; readonly servicesCa: X509Certificate },
  known: ReadonlySet<string>,
): NextKey[] {
  const found = listNext(place).filter(({ kid }) => !known.has(kid));
  const { root, servicesCa } = authorities;
  const ca = found.find(({ name }) => name === 'services-ca')?.certificate;
  for (const { name, certificate } of found) {
    const issuers = certificate.ca ? [root] : [servicesCa, ...(ca ? [ca] : [])];
    if (isIssuedBy(certificate, issuers)) continue;
    throw mismatched(join(nextFolder, name), 'the certificate was not issued by its CA');
  }
  return found;
}

/** Loads all next keys, unchecked. */
export function listNext(place: KeyPlace): NextKey[] {
  const folders = [join(pendingFolder, nextFolder), nextFolder];
  const paths = folders.map((folder) => join(place.directory, folder)).filter(existsSync);
  const files = new Set(paths.flatMap((path) => readdirSync(path)));
  return names
    .filter((name) => files.has(`${name}${ending}`))
    .map((name) => {
      const certificate = certificateOf(place, join(nextFolder, name));
      const { published_at: publishedAt } = readMetadata(
        place,
        join(nextFolder, name),
        publication,
      );
      return { name, certificate, kid: kidOf(certificate), publishedAt };
    });
}

/**
 * Opens the signer of a published next key.
 * @throws KeyDirectoryError
 */
export function openNext(
  from: { readonly place: KeyPlace; readonly keeper: Keeper },
  { name, certificate }: NextKey,
  issuers: readonly Uint8Array[] = [],
): IssuingSigner {
  return openSigner(from, join(nextFolder, name), certificate, [certificate.raw, ...issuers]);
}

/** Returns the next CAs. They already sign CRLs for certificates that another process issued. */
export function nextCasOf(
  from: { readonly place: KeyPlace; readonly keeper: Keeper },
  next: readonly NextKey[],
): RetiredCa[] {
  return next
    .filter(({ certificate }) => certificate.ca)
    .map((key) => {
      const isHeld = holdsKey(from.place, key.name);
      return { ...key, revoked: null, signer: isHeld ? openNext(from, key) : null };
    });
}
