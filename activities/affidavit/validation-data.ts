import type { X509Certificate } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { issueCrl } from '../certificates/issue-crl.ts';
import type { PlatformKeys } from '../certificates/load-keys.ts';
import { readRootCrl } from '../certificates/root-crl.ts';
import { unique, type ValidationData } from './archive.ts';

const none: ValidationData = { certificates: [], crls: [] };

/**
 * The certificates of seal and time stamps, and the CRL of each CA above them: our own, for which
 * no network is asked, and those of an outside authority that stamped the seal. Null where a CRL
 * cannot be had that is in force and younger than what it clears: the root's key may be away.
 */
export async function validationDataOf(
  db: Db,
  keys: PlatformKeys,
  now: Date,
  besides: ValidationData = none,
): Promise<ValidationData | null> {
  const { root, servicesCa, seal, tsa } = keys;
  const ofRoot = root.crl && readRootCrl(root.crl, root.certificate);
  if (!root.crl || !ofRoot || !clears(ofRoot, [servicesCa.certificate], now)) return null;
  const leaves = [seal.certificate, tsa.certificate];
  // A leaf that was rotated today is younger than the list of the day.
  const since = new Date(Math.max(...leaves.map(({ validFromDate }) => validFromDate.getTime())));
  const ofServices = await issueCrl({ db, issuer: servicesCa, since }, now);
  if (!clears(ofServices, leaves, now)) return null;
  return {
    certificates: unique([
      ...seal.certificateChain,
      ...besides.certificates,
      ...tsa.certificateChain,
    ]),
    crls: [ofServices.der, root.crl, ...besides.crls],
  };
}

/** Validators want a CRL made after the certificate was, and one that has not run out. */
function clears(
  { thisUpdate, nextUpdate }: { readonly thisUpdate: Date; readonly nextUpdate: Date },
  certificates: readonly X509Certificate[],
  now: Date,
): boolean {
  const isYounger = certificates.every(({ validFromDate }) => validFromDate <= thisUpdate);
  return isYounger && thisUpdate <= now && now < nextUpdate;
}
