import { judge, type Rule, type RuleAnswer, type Verdict } from '../verdict.ts';
import { readAamva, type AamvaCard } from './aamva.ts';
import type { AamvaFile } from './evidence.ts';
import { issuerOf } from './issuers.ts';

interface Findings {
  readonly text: string;
  readonly at: Date;
  card: AamvaCard | null;
}

/**
 * Judges the barcode of a North American card alone (AAMVA DL/ID Card Design Standard, annex D).
 * The barcode is unsigned: a passed verdict means that it is consistent and in date, never that the
 * card is genuine.
 */
export function verifyAamva(text: string, at: Date): Verdict {
  return judge('aamva', rules, { text, at, card: null }, ({ card }) => (card ? factsOf(card) : {}));
}

const rules: readonly Rule<Findings>[] = [
  { name: 'header', judge: checkHeader },
  { name: 'fields', judge: withCard(checkIssuer) },
  { name: 'dates', judge: withCard(checkCardDates) },
];

function checkHeader(findings: Findings): RuleAnswer {
  findings.card = readAamva(findings.text);
  return { ok: true, detail: `version ${findings.card.version}` };
}

/** Checks that AAMVA lists the issuer, and in the country that the card names. */
export function checkIssuer({ issuerNumber, country }: AamvaCard): RuleAnswer {
  const issuer = issuerOf(issuerNumber);
  if (!issuer) return { fault: 'country_unknown', detail: `issuer ${issuerNumber}` };
  return country !== null && country !== issuer.country
    ? { fault: 'fields_contradict', detail: 'country and issuer' }
    : { ok: true, detail: issuer.jurisdiction };
}

/** Checks that birth, issue and expiry are in this order, and that the card has not expired. */
export function checkCardDates(card: AamvaCard, at: Date): RuleAnswer {
  const { birthDate, issueDate, expiryDate } = card;
  const today = at.toISOString().slice(0, 10);
  if (!birthDate || birthDate > today) return { fault: 'malformed', detail: 'date of birth' };
  if (!expiryDate) return { fault: 'malformed', detail: 'date of expiry' };
  const isOrdered = !issueDate || (birthDate < issueDate && issueDate < expiryDate);
  if (!isOrdered || birthDate >= expiryDate || (issueDate ?? '') > today) {
    return { fault: 'fields_contradict', detail: 'dates' };
  }
  return expiryDate < today ? { fault: 'document_expired', detail: expiryDate } : { ok: true };
}

function withCard(rule: (card: AamvaCard, at: Date) => RuleAnswer) {
  return ({ card, at }: Findings): RuleAnswer => (card ? rule(card, at) : { skipped: 'no card' });
}

function factsOf(card: AamvaCard): Record<string, unknown> {
  const issuer = issuerOf(card.issuerNumber);
  return {
    format: 'AAMVA',
    version: card.version,
    issuer: card.issuerNumber,
    document_type: card.documentType,
    issuing_country: issuer?.country ?? card.country,
    jurisdiction: issuer?.jurisdiction ?? null,
    document_number: card.documentNumber,
    surname: card.surname,
    given_names: card.givenNames,
    full_name: cardNameOf(card),
    is_name_truncated: card.isNameTruncated,
    date_of_birth: card.birthDate,
    sex: card.sex,
    issued_on: card.issueDate,
    expires_on: card.expiryDate,
  };
}

/** Given names first, as people write them. */
export const cardNameOf = ({ givenNames, surname }: AamvaCard): string =>
  `${givenNames} ${surname}`.trim();

/** Judges an evidence file of kind `aamva`. */
export const verifyAamvaFile = ({ input, at }: AamvaFile): Verdict => verifyAamva(input.text, at);
