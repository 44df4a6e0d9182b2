import { birthDateOf, isOfAge } from '../mrz/dates.ts';
import { checkDigits, checkExpiry } from '../mrz/verify-mrz.ts';
import type { RuleAnswer } from '../verdict.ts';
import { dataGroupNumber } from './data/lds.ts';
import { isListed } from './data/sod.ts';
import { legacyOf, type Findings } from './findings.ts';

/**
 * ICAO 9303-11, passive authentication: EF.SOD lists each submitted file with its hash. DG1 must be
 * among them, since nothing else identifies the holder.
 */
export function checkDataGroups(findings: Findings): RuleAnswer {
  const { sod, input } = findings;
  if (!sod) return { skipped: 'no SOD' };
  const names = Object.keys(input.dataGroups).sort(byNumber);
  findings.unlisted = names.filter((name) => !sod.hashes.has(dataGroupNumber(name) ?? 0));
  if (sod.hash === null || (sod.hash === 'sha1' && legacyOf(findings) === 'refuse')) {
    return { fault: 'algorithm_refused', detail: 'hash of the data groups' };
  }
  if (sod.hash === 'sha1') findings.weak.push('data groups: sha1');
  const mismatched = names.filter((name) => {
    const file = input.dataGroups[name];
    const listed = !findings.unlisted.includes(name);
    return listed && !(file && isListed(sod, dataGroupNumber(name) ?? 0, file));
  });
  if (mismatched.length > 0) return { fault: 'dg_hash_mismatch', detail: mismatched.join(', ') };
  if (findings.unlisted.length > 0) {
    return { fault: 'dg_not_in_sod', detail: findings.unlisted.join(', ') };
  }
  return names.includes('DG1') ? { ok: true } : { fault: 'dg1_missing' };
}

/**
 * ICAO 9303-3: the zone's check digits are right, and the holder has the age that the policy
 * requires.
 */
export function checkDocumentMrz({ mrz, mrzFault, policy, at }: Findings): RuleAnswer {
  if (mrzFault) return { fault: 'malformed', detail: `MRZ: ${mrzFault}` };
  if (!mrz) return { skipped: 'no DG1' };
  if (mrz.documentType === 'visa') return { fault: 'malformed', detail: 'MRZ: a visa has no chip' };
  const digits = checkDigits(mrz);
  if ('fault' in digits) return digits;
  const birth = birthDateOf(mrz.birthDate, at);
  if (!birth) return { fault: 'malformed', detail: 'MRZ: date of birth' };
  const { ageOver } = policy;
  return ageOver !== undefined && !isOfAge(birth, ageOver, at)
    ? { fault: 'underage', detail: `not ${ageOver} yet` }
    : { ok: true };
}

/** Checks that the document has not expired; the signer's certificate is a separate check. */
export function checkDocumentExpiry({ mrz, at }: Findings): RuleAnswer {
  return mrz ? checkExpiry(mrz, at) : { skipped: 'no MRZ' };
}

function byNumber(one: string, other: string): number {
  return (dataGroupNumber(one) ?? 99) - (dataGroupNumber(other) ?? 99) || (one < other ? -1 : 1);
}
