import { portraitProofOf } from '../../workflows/proofs.ts';
import { sameClaimedName } from './name-parts.ts';
import { isComparedWith, type Proven } from './proven.ts';

/** How two proofs relate: `unsure` if neither `same` nor `other` is certain. */
export type Agreement = 'same' | 'unsure' | 'other';

/** From best to worst. */
const agreements: readonly Agreement[] = ['same', 'unsure', 'other'];

/**
 * Whether all proofs of a check are of one person. Compares every two proofs by every field that
 * both have, and a face with its portrait. The worst result counts, so adding a proof never
 * improves it, except the one with the portrait.
 */
export function agreementOf(proven: readonly Proven[]): Agreement {
  const pairs = proven.flatMap((one, index) =>
    proven.slice(index + 1).flatMap((other) => rules.map((rule) => rule(one, other))),
  );
  return worstOf([...pairs, ...proven.map((each) => facesOf(each, proven))]);
}

/**
 * Checks that a face was compared with the portrait of this check's document, of a passport if
 * there is one. Any other comparison says nothing about this person.
 */
function facesOf(one: Proven, proven: readonly Proven[]): Agreement {
  if (one.proof !== 'biometric') return 'same';
  // A face that was not compared is reviewed separately.
  if (one.outcome === 'unsure' && one.comparedWith === null) return 'same';
  const shows = portraitProofOf(proven.map(({ proof }) => proof));
  const portrait = proven.find(({ proof }) => proof === shows);
  return isComparedWith(one, portrait ?? { evidenceHash: null }) ? 'same' : 'other';
}

const worstOf = (found: readonly Agreement[]): Agreement =>
  agreements.findLast((agreement) => found.includes(agreement)) ?? 'same';

const rules: readonly ((one: Proven, other: Proven) => Agreement)[] = [
  datesOfBirth,
  names,
  sexes,
  documentNumbers,
  expiryDates,
];

function datesOfBirth({ claims: one }: Proven, { claims: other }: Proven): Agreement {
  return compare(one.date_of_birth, other.date_of_birth, 'other');
}

/** Letters of a name in the shortest zone (TD1: 30 positions, two of them between the parts). */
const lettersUncut = 28;

/**
 * Compares names by the spellings of ICAO 9303-3 §6, and by their parts. Names too long to compare
 * are `unsure`; so are different ones that fill a document's line, which may have truncated them.
 */
function names({ claims: one }: Proven, { claims: other }: Proven): Agreement {
  if (one.full_name === undefined || other.full_name === undefined) return 'same';
  const isSame = sameClaimedName(one, other);
  const isCut = Math.max(one.full_name.length, other.full_name.length) > lettersUncut;
  if (isSame === undefined || (!isSame && isCut)) return 'unsure';
  return isSame ? 'same' : 'other';
}

/** Documents of one person may differ in it; an unspecified sex matches any. */
function sexes({ claims: one }: Proven, { claims: other }: Proven): Agreement {
  const areBothKnown = [one.sex, other.sex].every((sex) => sex === 'F' || sex === 'M');
  return areBothKnown ? compare(one.sex, other.sex, 'unsure') : 'same';
}

/** A person can have two passports of one country, but one passport has one number. */
function documentNumbers(one: Proven, other: Proven): Agreement {
  if (!areOfOneKind(one, other)) return 'same';
  const of = ({ facts }: Proven): string | undefined => {
    const hash = facts['document_number_hash'];
    return typeof hash === 'string' ? hash : undefined;
  };
  return compare(of(one), of(other), 'unsure');
}

function expiryDates(one: Proven, other: Proven): Agreement {
  if (!areOfOneKind(one, other)) return 'same';
  const of = ({ claims }: Proven): string | undefined => claims.expires_on;
  return compare(of(one), of(other), 'unsure');
}

const areOfOneKind = ({ claims: one }: Proven, { claims: other }: Proven): boolean =>
  one.document_type !== undefined &&
  one.document_type === other.document_type &&
  one.issuing_country === other.issuing_country;

/** A field that only one of them has does not count. */
function compare(one: string | undefined, other: string | undefined, where: Agreement): Agreement {
  return one === undefined || other === undefined || one === other ? 'same' : where;
}
