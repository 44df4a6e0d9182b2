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
import { kidOf } from './thumbprint.ts';

/** A CA that issues no more. */
export interface RetiredCa {
  readonly certificate: X509Certificate;
  readonly kid: string;
  /** Signs its CRLs; null once its key was destroyed. */
  readonly signer: IssuingSigner | null;
}

const ending = '.cer.pem';

/**
 * The retired CAs of a key directory: issuing CAs of the root, and roots before it.
 * @throws KeyDirectoryError
 */
export function loadRetired(place: KeyPlace, root: X509Certificate): RetiredCa[] {
  const folder = join(place.directory, retiredFolder);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  return names.toSorted().map((file) => {
    const name = join(retiredFolder, file.slice(0, -ending.length));
    const certificate = certificateOf(place, name);
    const isOurs = [root, certificate].some(
      (issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey),
    );
    if (!certificate.ca || !isOurs) throw mismatched(name, 'the certificate is no CA of ours');
    const hasKey = existsSync(join(place.directory, `${name}.key.pem`));
    const signer = hasKey
      ? keySigner(privateKeyOf(place, name, certificate), [certificate.raw])
      : null;
    return { certificate, kid: kidOf(certificate), signer };
  });
}
