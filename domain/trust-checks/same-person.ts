import { portraitProofOf } from '../../workflows/proofs.ts';
import { sameClaimedName } from './name-parts.ts';
import { isComparedWith, type Proven } from './proven.ts';

/** How two proofs stand to each other: `unsure` where neither the one nor the other is certain. */
export type Agreement = 'same' | 'unsure' | 'other';

/** From the best to the worst. */
const agreements: readonly Agreement[] = ['same', 'unsure', 'other'];

/**
 * Whether all proofs of a check tell of one person: every two are held against each other, by every
 * field that both have, and a face against the portrait it was compared with. The worst result
 * counts, so that to add a proof never mends it, but for the one whose portrait that is.
 */
export function agreementOf(proven: readonly Proven[]): Agreement {
  const pairs = proven.flatMap((one, index) =>
    proven.slice(index + 1).flatMap((other) => rules.map((rule) => rule(one, other))),
  );
  return worstOf([...pairs, ...proven.map((each) => facesOf(each, proven))]);
}

/**
 * A face is its document's, as that was judged when they were compared, and of a passport's where
 * there is one: beside any other it is the face of somebody nobody has looked at.
 */
function facesOf(one: Proven, proven: readonly Proven[]): Agreement {
  if (one.proof !== 'biometric') return 'same';
  // Compared with nothing it tells of nobody, and a reviewer is asked for it by itself.
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

/** The names of the shortest zone (TD1: 30 places, two of them between its parts). */
const lettersUncut = 28;

/**
 * By the spellings of ICAO 9303-3 §6, and by their parts. Names too long to be compared are
 * nobody's proof, and one that fills the line of a document may have been cut there.
 */
function names({ claims: one }: Proven, { claims: other }: Proven): Agreement {
  if (one.full_name === undefined || other.full_name === undefined) return 'same';
  const isSame = sameClaimedName(one, other);
  const isCut = Math.max(one.full_name.length, other.full_name.length) > lettersUncut;
  if (isSame === undefined || (!isSame && isCut)) return 'unsure';
  return isSame ? 'same' : 'other';
}

/** Documents of one person may differ in it; an unspecified one differs from none. */
function sexes({ claims: one }: Proven, { claims: other }: Proven): Agreement {
  const areBothKnown = [one.sex, other.sex].every((sex) => sex === 'F' || sex === 'M');
  return areBothKnown ? compare(one.sex, other.sex, 'unsure') : 'same';
}

/** Two passports of one country can be one person's; two numbers of one passport cannot be. */
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

/** What only one of them has says nothing. */
function compare(one: string | undefined, other: string | undefined, where: Agreement): Agreement {
  return one === undefined || other === undefined || one === other ? 'same' : where;
}
