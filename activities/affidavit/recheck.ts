import { X509Certificate } from 'node:crypto';
import { chainOf, signedIn } from '../../domain/affidavit/verify/take-signatures.ts';
import { entryOf, readCrl } from '../../domain/pki/revocation/crl.ts';
import { Failure } from '../../workflows/failures.ts';
import type { RenewalDeps } from './activities.ts';
import { judged } from './issue.ts';
import { dataClearing } from './validation-data.ts';

/**
 * Verifies a file with current CRLs after a key was stolen.
 * @returns `listed` if a CRL lists the seal's certificate, and the seal is proven older than the
 * theft; `untouched` if no CRL lists it; `lists_missing` if a needed CRL is unavailable
 * @throws Failure `affidavit_invalid`, with `revoked` or another reason, when the file does not
 * verify
 */
export async function recheck(
  deps: RenewalDeps,
  file: Uint8Array,
): Promise<'listed' | 'untouched' | 'lists_missing'> {
  const { db, keys, clock, stamps } = deps;
  const { seal, token, last, isArchivedAgain } = signedIn(file);
  const besides = token && (await stamps.validationOf(token));
  const isOurs = besides?.certificates.length === 0;
  const chains = [seal, isOurs ? token : null, last].flatMap((cms) => (cms ? chainOf(cms) : []));
  const stolen = keys.retired.filter(({ revoked }) => revoked?.reason === 'compromised');
  const stamp = last ?? token ?? seal;
  const isOfStolenCa = chainOf(stamp).some((der) =>
    stolen.some(({ certificate }) => certificate.raw.equals(der)),
  );
  // A CA whose key was destroyed issues no CRLs. Only the root's CRL exists, and it lists this CA.
  if (isOfStolenCa) throw new Failure('affidavit_invalid', { detail: 'revoked' });
  const none = { certificates: [], crls: [] };
  const needs = { db, keys, now: clock() };
  // A CA whose key was deleted signs no CRL. It is not needed: a later archive covers its leaves.
  const lastAlone = isArchivedAgain && last ? chainOf(last) : null;
  const data =
    (await dataClearing(needs, chains, none)) ??
    (lastAlone && (await dataClearing(needs, lastAlone, none)));
  if (!data) return 'lists_missing';
  const { verdict } = await judged(deps, file, [...data.crls, ...(besides?.crls ?? [])]);
  // An outside authority issued the time stamp, and its CRLs are not available.
  if (verdict.reason_code === 'revocation_unknown') return 'lists_missing';
  if (verdict.result !== 'valid') {
    throw new Failure('affidavit_invalid', { detail: String(verdict.reason_code) });
  }
  const [leaf] = chainOf(seal);
  const serial = leaf ? new X509Certificate(leaf).serialNumber : '';
  const isListed = data.crls.some((der) => entryOf(readCrl(der), serial) !== null);
  return isListed ? 'listed' : 'untouched';
}
