import { X509Certificate } from 'node:crypto';
import { chainOf, signedIn } from '../../domain/affidavit/verify/take-signatures.ts';
import { entryOf, readCrl } from '../../domain/pki/revocation/crl.ts';
import { Failure } from '../../workflows/failures.ts';
import type { RenewalDeps } from './activities.ts';
import { judged } from './issue.ts';
import { dataClearing } from './validation-data.ts';

/**
 * Judges a file by lists of now, since a key was stolen: `listed` where its seal is by that key and
 * holds all the same, for it was there before; `untouched` where the theft says nothing of it.
 * Throws `affidavit_invalid` with `revoked` where it does not hold.
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
  // Of a CA whose key was destroyed there are no lists but the root's, which names it.
  if (isOfStolenCa) throw new Failure('affidavit_invalid', { detail: 'revoked' });
  const none = { certificates: [], crls: [] };
  const needs = { db, keys, now: clock() };
  // A CA whose key is not kept any more signs no list, and is not asked: a later archive judged it.
  const lastAlone = isArchivedAgain && last ? chainOf(last) : null;
  const data =
    (await dataClearing(needs, chains, none)) ??
    (lastAlone && (await dataClearing(needs, lastAlone, none)));
  if (!data) return 'lists_missing';
  const { verdict } = await judged(deps, file, [...data.crls, ...(besides?.crls ?? [])]);
  // An authority outside has stamped it, whose lists are not to be had.
  if (verdict.reason_code === 'revocation_unknown') return 'lists_missing';
  if (verdict.result !== 'valid') {
    throw new Failure('affidavit_invalid', { detail: String(verdict.reason_code) });
  }
  const [leaf] = chainOf(seal);
  const serial = leaf ? new X509Certificate(leaf).serialNumber : '';
  const isListed = data.crls.some((der) => entryOf(readCrl(der), serial) !== null);
  return isListed ? 'listed' : 'untouched';
}
