import type { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  certificateOf,
  mismatched,
  privateKeyOf,
  retiredFolder,
  type KeyPlace,
} from './key-files.ts';
import { keySigner, type IssuingSigner } from './key-signer.ts';
import { purposes } from './profile.ts';
import { kidOf } from './thumbprint.ts';

/** A CA that issues no more. */
export interface RetiredCa {
  readonly certificate: X509Certificate;
  readonly kid: string;
  /** Signs its CRLs; null once its key was destroyed. */
  readonly signer: IssuingSigner | null;
}

/** A token key that signs no more: what it has signed is verified for as long as it is kept. */
export interface RetiredKey {
  readonly certificate: X509Certificate;
  readonly kid: string;
}

const ending = '.cer.pem';

/**
 * The retired CAs of a key directory: issuing CAs of the root, and roots before it.
 * @throws KeyDirectoryError
 */
export function loadRetired(place: KeyPlace, root: X509Certificate): RetiredCa[] {
  const found = retiredOf(place).filter(({ certificate }) => certificate.ca);
  return found.map(({ name, certificate }) => {
    if (!isIssuedBy(certificate, [root, certificate])) {
      throw mismatched(name, 'the certificate is no CA of ours');
    }
    const hasKey = existsSync(join(place.directory, `${name}.key.pem`));
    const signer = hasKey
      ? keySigner(privateKeyOf(place, name, certificate), [certificate.raw])
      : null;
    return { certificate, kid: kidOf(certificate), signer };
  });
}

/**
 * The retired token keys of a key directory, by their certificates alone.
 * @param authorities who may have issued them
 * @throws KeyDirectoryError
 */
export function loadRetiredTokens(
  place: KeyPlace,
  authorities: readonly X509Certificate[],
): RetiredKey[] {
  const found = retiredOf(place).filter(({ certificate }) => !certificate.ca);
  return found.map(({ name, certificate }) => {
    // Node's types say string[]; a certificate without the extension has none.
    const purpose: readonly string[] | undefined = certificate.keyUsage;
    const isForTokens = !purpose || purpose.join() === purposes.jwt;
    if (!isForTokens || !isIssuedBy(certificate, authorities)) {
      throw mismatched(name, 'the certificate is neither a CA nor a token key of ours');
    }
    return { certificate, kid: kidOf(certificate) };
  });
}

function retiredOf(place: KeyPlace): { name: string; certificate: X509Certificate }[] {
  const folder = join(place.directory, retiredFolder);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(ending));
  return files.toSorted().map((file) => {
    const name = join(retiredFolder, file.slice(0, -ending.length));
    return { name, certificate: certificateOf(place, name) };
  });
}

function isIssuedBy(certificate: X509Certificate, issuers: readonly X509Certificate[]): boolean {
  return issuers.some(
    (issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey),
  );
}
