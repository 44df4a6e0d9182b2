import {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { Failure } from '../../../workflows/failures.ts';

/**
 * Kinds of number that receive text messages on a device of their own, free for the receiver.
 * Numbers of internet telephony prove no device (NIST SP 800-63B-4 §3.1.3). Personal numbers (the
 * British 070, the American 500) forward at the cost of receiver or sender.
 */
const reachable: ReadonlySet<string> = new Set(['MOBILE', 'FIXED_LINE_OR_MOBILE']);

/**
 * Kinds that an operator may allow in addition. Kinds that are paid by the minute or reach no
 * person are never allowed: premium, shared-cost, toll-free, universal access, voicemail, pagers.
 */
export const lineTypes = ['fixed_line', 'personal_number', 'voip'] as const;
export type LineType = (typeof lineTypes)[number];

/** Which numbers get codes. */
export interface NumberPolicy {
  /** Allowed countries (ISO 3166-1); null for all. */
  readonly countries: ReadonlySet<string> | null;
  /** Allowed kinds of line in addition to mobile. */
  readonly lineTypes: ReadonlySet<LineType>;
}

/** Returns the calling codes (ITU-T E.164) of the allowed countries, by ISO 3166-1 code. */
export const callingCodesOf = ({ countries }: NumberPolicy): Record<string, string> =>
  Object.fromEntries(
    getCountries()
      .filter((country) => !countries || countries.has(country))
      .map((country) => [country, getCountryCallingCode(country)]),
  );

/**
 * Reads a phone number and returns its canonical E.164 spelling.
 * @param country ISO 3166-1; a number without `+` is read as a national number of it
 * @throws `phone_refused` for anything else: other spellings, unallocated ranges, premium,
 *   shared-cost, toll-free, universal access, voicemail and pager numbers; personal and internet
 *   numbers and landlines, unless allowed; and numbers of no country, which belong to satellites
 *   and international networks, the most expensive of all (ITU-T E.164.1, codes 870 to 888 and 979)
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

/** Reads a number as written in its country: with trunk prefix, or as E.164 with spaces. */
function readNational(text: string, country: string | undefined) {
  if (country === undefined || !isSupportedCountry(country)) return undefined;
  // A copied number often has invisible directional marks around it.
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

/** Whether a text has the form of an E.164 number, allocated or not (ITU-T E.164 §6.2.1). */
export function isE164(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}

/**
 * Returns the range of a number: all but its last four digits. Ten thousand numbers are about the
 * smallest range that an operator gets, and SMS pumping uses such ranges.
 */
export const rangeOf = (number: string): string => number.slice(0, -4);

/**
 * Returns the routes of a number, narrow to wide: the million numbers that share all but the last
 * six digits (about one operator), and its country for one account. So unanswered codes of an
 * account block its own codes to a country, and those of other accounts at most to the million.
 */
export function routesOf(number: string, accountId: number): string[] {
  const country = parsePhoneNumberFromString(number)?.country;
  const prefix = `prefix:${number.slice(0, -6)}`;
  return country === undefined ? [prefix] : [prefix, `account:${accountId}:country:${country}`];
}

/** Hides all but the country code and the last two digits: `+49 •••••••• 34`. */
export function maskPhoneNumber(number: string): string {
  const country = parsePhoneNumberFromString(number)?.countryCallingCode ?? '';
  const hidden = Math.max(0, number.length - 1 - country.length - 2);
  return `+${country} ${'•'.repeat(hidden)} ${number.slice(-2)}`;
}
