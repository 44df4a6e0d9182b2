import { X509Certificate } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { unique, type ValidationData } from '../../domain/pdf/signature/archive.ts';
import { readRootCrl } from '../../domain/pki/revocation/root-crl.ts';
import { isCertifiedBy } from '../../domain/pki/x509/is-certified-by.ts';
import type { IssuingSigner } from '../../domain/pki/x509/key-signer.ts';
import { issueCrl } from '../keys/certificates/issue-crl.ts';
import type { PlatformKeys } from '../keys/directory/load-keys.ts';

const none: ValidationData = { certificates: [], crls: [] };

/**
 * Returns the certificates of seal and time stamps, and the CRL of each CA above them: our own,
 * which need no network, and those of the outside authority that stamped the seal. Returns null if
 * a CRL is not available that is in force and newer than its certificates: the root's key may be
 * offline.
 */
export function validationDataOf(
  db: Db,
  keys: PlatformKeys,
  now: Date,
  besides: ValidationData = none,
): Promise<ValidationData | null> {
  return dataClearing({ db, keys, now }, keys.seal.certificateChain, besides);
}

interface ListNeeds {
  readonly db: Db;
  readonly keys: PlatformKeys;
  readonly now: Date;
}

/**
 * Like `validationDataOf`, for our certificates in DER. They may be under retired keys: such a CA
 * signs CRLs as long as its key is kept. The certificates of the next time stamp are included.
 */
export async function dataClearing(
  needs: ListNeeds,
  judged: readonly Uint8Array[],
  besides: ValidationData,
): Promise<ValidationData | null> {
  const { tsa, root } = needs.keys;
  const own = unique([...judged, ...tsa.certificateChain]).map((der) => new X509Certificate(der));
  const lists = await listsOfCas(needs, own);
  const underRoot = own.filter((one) => isCertifiedBy(one, root.certificate));
  const ofRoot = root.crl && readRootCrl(root.crl, root.certificate);
  if (!lists || !root.crl || !ofRoot || !clears(ofRoot, underRoot, needs.now)) return null;
  if (lists.cleared + underRoot.length !== own.length) return null;
  return {
    certificates: unique([...judged, ...besides.certificates, ...tsa.certificateChain]),
    crls: [...lists.crls, root.crl, ...besides.crls],
  };
}

/**
 * Returns the CRLs of issuing CAs, and how many certificates they cover; null if one is missing.
 */
async function listsOfCas(
  { db, keys, now }: ListNeeds,
  own: readonly X509Certificate[],
): Promise<{ readonly crls: readonly Buffer[]; readonly cleared: number } | null> {
  const { certificate, ...signer } = keys.servicesCa;
  const cas: { certificate: X509Certificate; signer: IssuingSigner | null }[] = [
    { certificate, signer },
    ...keys.retired,
    ...keys.nextCas,
  ];
  const crls: Buffer[] = [];
  let cleared = 0;
  for (const ca of cas) {
    const leaves = own.filter((one) => !one.ca && isCertifiedBy(one, ca.certificate));
    if (leaves.length === 0) continue;
    if (!ca.signer) return null;
    // A leaf rotated today is newer than the daily CRL.
    const since = new Date(Math.max(...leaves.map(({ validFromDate }) => validFromDate.getTime())));
    const list = await issueCrl({ db, issuer: ca.signer, since }, now);
    if (!clears(list, leaves, now)) return null;
    crls.push(list.der);
    cleared += leaves.length;
  }
  return { crls, cleared };
}

/** Validators require a CRL that was made after the certificate and is not expired. */
function clears(
  { thisUpdate, nextUpdate }: { readonly thisUpdate: Date; readonly nextUpdate: Date },
  certificates: readonly X509Certificate[],
  now: Date,
): boolean {
  const isYounger = certificates.every(({ validFromDate }) => validFromDate <= thisUpdate);
  return isYounger && thisUpdate <= now && now < nextUpdate;
}
