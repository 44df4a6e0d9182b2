import type { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RevokedCertificate } from '../../../domain/pki/revocation/revocation-fields.ts';
import type { IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { purposes } from '../../../domain/pki/x509/profile.ts';
import { kidOf } from '../../../domain/pki/x509/thumbprint.ts';
import { tokenOverlapMs } from '../../../domain/tokens/token-keys.ts';
import type { Keeper } from '../custody/keeper.ts';
import {
  certificateOf,
  holdsKey,
  mismatched,
  pathIn,
  pendingFolder,
  retiredFolder,
  type KeyPlace,
} from './key-files.ts';
import { findMetadata, retirement, revocation, type RevocationMark } from './key-metadata.ts';
import { openSigner } from './open-signer.ts';

/** A CA that no longer issues. */
export interface RetiredCa extends RetiredKey {
  /** Signs its CRLs; null after its key was destroyed, and in a process that does not hold it. */
  readonly signer: IssuingSigner | null;
}

/** A token key that no longer signs. Its tokens are accepted until the last one expires. */
export interface RetiredTokenKey extends RetiredKey {
  /** Null if the key was revoked or its date is missing: its tokens are rejected. */
  readonly acceptedUntil: Date | null;
}

/** A key that no longer signs or issues. It is published as long as its certificate is kept. */
export interface RetiredKey {
  readonly certificate: X509Certificate;
  readonly kid: string;
  readonly revoked: RevocationMark | null;
}

const ending = '.cer.pem';

/**
 * Loads the retired CAs of a key directory: issuing CAs of the root, and earlier roots.
 * @throws KeyDirectoryError
 */
export function loadRetired(place: KeyPlace, root: X509Certificate, keeper: Keeper): RetiredCa[] {
  const found = retiredOf(place).filter(({ certificate }) => certificate.ca);
  return found.map(({ name, certificate, revoked }) => {
    if (!isIssuedBy(certificate, [root, certificate])) {
      throw mismatched(name, 'the certificate is no CA of ours');
    }
    const path = pathIn(place.directory, `${name}.key.pem`);
    const signer =
      holdsKey(place, 'retired') && existsSync(path)
        ? openSigner({ place, keeper }, name, certificate, [certificate.raw])
        : null;
    return { certificate, kid: kidOf(certificate), signer, revoked };
  });
}

/** A CA that may have issued a retired key; not revoked if `revoked` is absent. */
export interface Authority {
  readonly certificate: X509Certificate;
  readonly revoked?: RevocationMark | null;
}

/**
 * Loads the certificates of the retired token keys. A token key under a revoked CA is revoked like
 * its CA: it cannot be distinguished from a key that a thief certified.
 * @param authorities CAs that may have issued them
 * @throws KeyDirectoryError
 */
export function loadRetiredTokens(
  place: KeyPlace,
  authorities: readonly Authority[],
): RetiredTokenKey[] {
  const found = retiredOf(place).filter(({ certificate }) => !certificate.ca);
  return found.map(({ name, certificate, revoked }) => {
    // Node's types declare string[], but it is undefined without the extension.
    const purpose: readonly string[] | undefined = certificate.keyUsage;
    const isForTokens = !purpose || purpose.join() === purposes.jwt;
    const issuer = authorities.find((one) => isIssuedBy(certificate, [one.certificate]));
    if (!isForTokens || !issuer) {
      throw mismatched(name, 'the certificate is neither a CA nor a token key of ours');
    }
    const own = revoked?.reason === 'compromised' ? revoked : null;
    const mark = own ?? issuer.revoked ?? revoked;
    const acceptedUntil = mark ? null : acceptedUntilOf(place, name);
    return { certificate, kid: kidOf(certificate), revoked: mark, acceptedUntil };
  });
}

interface Retired {
  readonly name: string;
  readonly certificate: X509Certificate;
  readonly revoked: RevocationMark | null;
}

function retiredOf(place: KeyPlace): Retired[] {
  const folders = [join(pendingFolder, retiredFolder), retiredFolder];
  const paths = folders.map((folder) => join(place.directory, folder)).filter(existsSync);
  const files = paths.flatMap((path) => readdirSync(path)).filter((name) => name.endsWith(ending));
  return [...new Set(files)].sort().map((file) => {
    const name = join(retiredFolder, file.slice(0, -ending.length));
    return {
      name,
      certificate: certificateOf(place, name),
      revoked: findMetadata(place, name, revocation),
    };
  });
}

/** Returns when the last token of a replaced key expires; null without the retirement file. */
function acceptedUntilOf(place: KeyPlace, name: string): Date | null {
  const found = findMetadata(place, name, retirement);
  return found && new Date(found.retired_at.getTime() + tokenOverlapMs);
}

/** Returns the revoked issuing CAs as entries of the root CRL. */
export function revokedCas(place: KeyPlace): RevokedCertificate[] {
  const found = retiredOf(place).filter(({ certificate }) => certificate.ca);
  return found.flatMap(({ certificate, revoked }) =>
    revoked ? [entryOf(certificate, revoked)] : [],
  );
}

/** Returns a revoked CA as an entry of the root CRL. */
export const entryOf = (
  certificate: X509Certificate,
  { revoked_at, reason, invalidity_date }: RevocationMark,
): RevokedCertificate => ({
  serial: certificate.serialNumber.toLowerCase(),
  kind: null,
  revoked_at,
  revocation_reason: reason,
  invalidity_date: invalidity_date ?? null,
});

/** Reports whether one of the issuers signed a certificate. */
export function isIssuedBy(
  certificate: X509Certificate,
  issuers: readonly X509Certificate[],
): boolean {
  return issuers.some(
    (issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey),
  );
}
