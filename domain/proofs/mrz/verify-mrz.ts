import { judge, type Rule, type RuleAnswer, type Verdict } from '../verdict.ts';
import { alpha3Of, isIssuer, isState } from './countries.ts';
import { birthDateOf, expiryDateOf, isExpired } from './dates.ts';
import type { MrzFile } from './evidence.ts';
import { readMrz, type Mrz } from './mrz.ts';

export interface MrzInput {
  readonly lines: readonly string[];
}

export interface MrzPolicy {
  /**
   * Whether specimens of the State UTO are accepted; default true. A zone alone proves no person,
   * and readers are tested with the specimens of ICAO 9303.
   */
  readonly development?: boolean | undefined;
}

interface Findings {
  readonly policy: MrzPolicy;
  readonly lines: readonly string[];
  readonly at: Date;
  mrz: Mrz | null;
}

/**
 * Judges a machine-readable zone alone (ICAO 9303-3 and, by its size, -4 to -7). It takes the lines
 * as read, with fillers. The facts of the verdict are the fields. An MRZ is unsigned: a passed
 * verdict means that it is consistent, never that the document is genuine.
 */
export function verifyMrz(input: MrzInput, at: Date, policy: MrzPolicy = {}): Verdict {
  const lines = Array.isArray(input.lines) ? input.lines.map(String) : [];
  const findings = { policy, lines, at, mrz: null };
  return judge('mrz', rules, findings, ({ mrz }: Findings) => (mrz ? factsOf(mrz, at) : {}));
}

const rules: readonly Rule<Findings>[] = [
  { name: 'format', judge: checkFormat },
  { name: 'check_digits', judge: withMrz(checkDigits) },
  { name: 'country', judge: withMrz(checkKnownCountry) },
  { name: 'dates', judge: withMrz(checkDates) },
];

function checkFormat(findings: Findings): RuleAnswer {
  findings.mrz = readMrz(findings.lines);
  return { ok: true, detail: findings.mrz.format };
}

/** ICAO 9303-3, check digits in the MRZ. The detail names the fields with wrong digits. */
export function checkDigits(mrz: Mrz): RuleAnswer {
  const wrong = mrz.wrongCheckDigits;
  return wrong.length > 0 ? { fault: 'mrz_checkdigit', detail: wrong.join(', ') } : { ok: true };
}

/**
 * ICAO 9303-3 §5: its lists contain both codes, and the first one may issue documents. UTO, the
 * State of specimens, passes.
 */
export function checkCountry(mrz: Mrz): RuleAnswer {
  if (!isIssuer(mrz.issuingState)) return { fault: 'country_unknown', detail: mrz.issuingState };
  return isState(mrz.nationality)
    ? { ok: true }
    : { fault: 'country_unknown', detail: mrz.nationality };
}

/** Utopia, the State of ICAO's specimens: anyone can print one of its documents. */
const specimen = 'UTO';
export const isSpecimen = (mrz: Mrz): boolean =>
  [mrz.issuingState, mrz.nationality].includes(specimen);

/** The answer for a specimen where specimens are not accepted. */
export const specimenRefused = { fault: 'country_unknown', detail: specimen } as const;

function checkKnownCountry(mrz: Mrz, { policy }: Findings): RuleAnswer {
  return policy.development === false && isSpecimen(mrz) ? specimenRefused : checkCountry(mrz);
}

function checkDates(mrz: Mrz, { at }: Pick<Findings, 'at'>): RuleAnswer {
  if (!birthDateOf(mrz.birthDate, at)) return { fault: 'malformed', detail: 'date of birth' };
  return checkExpiry(mrz, at);
}

/** Checks that the document has not expired at `at`. It is valid through its last day. */
export function checkExpiry(mrz: Mrz, at: Date): RuleAnswer {
  const expiry = expiryDateOf(mrz.expiryDate, at);
  if (!expiry?.complete) return { fault: 'malformed', detail: 'date of expiry' };
  return isExpired(expiry, at)
    ? { fault: 'document_expired', detail: expiry.text ?? '' }
    : { ok: true };
}

function withMrz(rule: (mrz: Mrz, findings: Findings) => RuleAnswer) {
  return (findings: Findings): RuleAnswer =>
    findings.mrz ? rule(findings.mrz, findings) : { skipped: 'no MRZ' };
}

function factsOf(mrz: Mrz, at: Date): Record<string, unknown> {
  return {
    format: mrz.format,
    document_type: mrz.documentType,
    document_code: mrz.documentCode,
    issuing_country: alpha3Of(mrz.issuingState),
    document_number: mrz.documentNumber,
    surname: mrz.surname,
    given_names: mrz.givenNames,
    full_name: fullNameOf(mrz),
    date_of_birth: birthDateOf(mrz.birthDate, at)?.text ?? null,
    nationality: alpha3Of(mrz.nationality),
    sex: mrz.sex,
    expires_on: expiryDateOf(mrz.expiryDate, at)?.text ?? null,
    optional_data: mrz.optionalData,
  };
}

/** Given names first, as people write them. */
export const fullNameOf = (mrz: Mrz): string => `${mrz.givenNames} ${mrz.surname}`.trim();

/** Judges an evidence file of kind `mrz`. */
export const verifyMrzFile = ({ input, at, policy }: MrzFile): Verdict =>
  verifyMrz(input, at, policy);
