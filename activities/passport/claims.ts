import type { Verdict } from '../evidence/verdict.ts';
import type { Claims } from '../trust-checks/proof.ts';
import { mrzLinesOf } from './lds.ts';
import { readMrz } from './mrz.ts';

/**
 * What a chip says of its holder: the facts of a verdict that was not `failed`, and the parts of
 * the name, which stand in the EF.DG1 that it was made on.
 */
export function claimsOf({ facts }: Verdict, dg1: Uint8Array | undefined): Claims {
  const person = facts['claims'];
  const named = typeof person === 'object' && person !== null ? { ...person } : {};
  const { issuing_country, document_type, expires_on } = facts;
  const { surname, givenNames: given_names } = dg1 ? readMrz(mrzLinesOf(dg1)) : {};
  const parts = { surname, given_names };
  const claims = {
    ...named,
    ...parts,
    issuing_country,
    document_type,
    document_expires_on: expires_on,
  };
  return Object.fromEntries(
    Object.entries(claims).filter(([, value]) => typeof value === 'string' && value !== ''),
  );
}
