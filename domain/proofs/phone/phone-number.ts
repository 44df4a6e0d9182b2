import {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { Failure } from '../../../workflows/failures.ts';

/**
 * Kinds of number a text message reaches on a device of its own, free for its receiver. Numbers of
 * internet telephony prove no device (NIST SP 800-63B-4 §3.1.3), personal numbers (the British
 * 070, the American 500) forward at their receiver's or sender's cost.
 */
const reachable: ReadonlySet<string> = new Set(['MOBILE', 'FIXED_LINE_OR_MOBILE']);

/**
 * Kinds an operator may admit besides. Never those that are paid by the minute or reach nobody:
 * premium, shared-cost, toll-free, universal access, voicemail, pagers.
 */
export const lineTypes = ['fixed_line', 'personal_number', 'voip'] as const;
export type LineType = (typeof lineTypes)[number];

/** Which numbers get codes. */
export interface NumberPolicy {
  /** The only countries, by ISO 3166-1; null for all of them. */
  readonly countries: ReadonlySet<string> | null;
  /** Kinds of line besides mobile ones. */
  readonly lineTypes: ReadonlySet<LineType>;
}

/** The calling codes (ITU-T E.164) of the countries that get codes, by ISO 3166-1. */
export const callingCodesOf = ({ countries }: NumberPolicy): Record<string, string> =>
  Object.fromEntries(
    getCountries()
      .filter((country) => !countries || countries.has(country))
      .map((country) => [country, getCountryCallingCode(country)]),
  );

/**
 * Reads an E.164 number, and gives it in its one spelling.
 * @param country ISO 3166-1, in which a number without `+` is read as it is written there
 * @throws `phone_refused` for anything else: other spellings, unallocated ranges, premium,
 * shared-cost, toll-free, universal access, voicemail and pager numbers; personal and internet
 * numbers and landlines, where they are not admitted; and for numbers of no country, which are
 * those of satellites and of international networks, the dearest there are (ITU-T E.164.1, codes
 * 870 to 888 and 979).
 */
export function readPhoneNumber(text: string, policy: NumberPolicy, country?: string): string {
  const { countries } = policy;
  const number = isE164(text) ? parsePhoneNumberFromString(text) : readNational(text, country);
  const type = number?.getType();
  if (!number?.isValid() || type === undefined) throw refused();
  const isAdmitted = lineTypes.some((each) => {
    return policy.lineTypes.has(each) && each.toUpperCase() === type;
  });
  if (!reachable.has(type) && !isAdmitted) throw refused('Its kind of line gets no codes here');
  if (number.country === undefined) throw refused();
  if (countries && !countries.has(number.country)) throw refused('Its country gets no codes here');
  return number.number;
}

/** A number as people write it in their country, with its trunk prefix or as E.164 with spaces. */
function readNational(text: string, country: string | undefined) {
  if (country === undefined || !isSupportedCountry(country)) return undefined;
  // A copied number often has invisible marks of direction around it.
  const typed = text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replace(/^tel:/i, '');
  return parsePhoneNumberFromString(typed, { defaultCountry: country, extract: false });
}

function refused(detail?: string): Failure {
  const extra = { loc: ['body', 'phone_number'] };
  return new Failure('phone_refused', { extra, ...(detail === undefined ? {} : { detail }) });
}

/** Whether a text is written as an E.164 number, allocated or not (ITU-T E.164 §6.2.1). */
export function isE164(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}

/**
 * The range a number lies in: its country code and first digits, all but the last four. Ten
 * thousand numbers, about the least an operator is allocated, and what traffic is pumped through.
 */
export const rangeOf = (number: string): string => number.slice(0, -4);

/**
 * Where a number is, from near to far: the million numbers that share all but the last six digits,
 * about what one operator has, and its country as far as one account sends there: what an account
 * has sent in vain stops its own codes in a country, and of others at most those to the million.
 */
export function routesOf(number: string, accountId: number): string[] {
  const country = parsePhoneNumberFromString(number)?.country;
  const prefix = `prefix:${number.slice(0, -6)}`;
  return country === undefined ? [prefix] : [prefix, `account:${accountId}:country:${country}`];
}

/** A number with all but its country code and last two digits hidden: `+49 •••••••• 34`. */
export function maskPhoneNumber(number: string): string {
  const country = parsePhoneNumberFromString(number)?.countryCallingCode ?? '';
  const hidden = Math.max(0, number.length - 1 - country.length - 2);
  return `+${country} ${'•'.repeat(hidden)} ${number.slice(-2)}`;
}
