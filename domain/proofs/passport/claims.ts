import { MalformedDer } from '../../pki/read-der.ts';
import type { Claims } from '../claims.ts';
import { readMrz } from '../mrz/mrz.ts';
import type { Verdict } from '../verdict.ts';
import { mrzLinesOf, placeOfBirthOf } from './data/lds.ts';

/**
 * Returns the claims of a chip: the facts of a verdict that is not `failed`, and values that the
 * facts omit (parts of the name, number, place of birth). That verdict guarantees that EF.SOD lists
 * each data group given here.
 */
export function claimsOf(
  { facts }: Verdict,
  { DG1: dg1, DG11: dg11 }: Readonly<Record<string, Uint8Array>>,
): Claims {
  const person = facts['claims'];
  const named = typeof person === 'object' && person !== null ? { ...person } : {};
  const { issuing_country, document_type, expires_on } = facts;
  const mrz = dg1 ? readMrz(mrzLinesOf(dg1)) : null;
  const claims = {
    ...named,
    surname: mrz?.surname,
    given_names: mrz?.givenNames,
    document_number: mrz?.documentNumber,
    place_of_birth: dg11 && readablePlaceOf(dg11),
    issuing_country,
    document_type,
    expires_on,
  };
  return Object.fromEntries(
    Object.entries(claims).filter(([, value]) => typeof value === 'string' && value !== ''),
  );
}

/** A malformed EF.DG11 is the State's fault, not the holder's: the place stays unknown. */
function readablePlaceOf(dg11: Uint8Array): string | null {
  try {
    return placeOfBirthOf(dg11);
  } catch (error) {
    if (error instanceof MalformedDer) return null;
    throw error;
  }
}
