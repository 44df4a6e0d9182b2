import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { Failure } from '../../workflows/failures.ts';

/**
 * Kinds of number a text message reaches on a device of its own, free for its receiver. Numbers of
 * internet telephony prove no device (NIST SP 800-63B-4 §3.1.3), personal numbers (the British
 * 070, the American 500) forward at their receiver's or sender's cost.
 */
const reachable: ReadonlySet<string> = new Set(['MOBILE', 'FIXED_LINE_OR_MOBILE']);

/**
 * Reads an E.164 number, and gives it in its one spelling. Throws `phone_refused` for anything
 * else: other spellings, unallocated ranges, premium, shared-cost, toll-free, universal access,
 * voicemail, pager, personal and internet numbers, landlines; and for numbers of no country, which
 * are those of satellites and of international networks, the dearest there are (ITU-T E.164.1,
 * codes 870 to 888 and 979).
 * @param countries the only ones that get codes, by ISO 3166-1; null for all of them
 */
export function readPhoneNumber(text: string, countries: ReadonlySet<string> | null): string {
  const number = isE164(text) ? parsePhoneNumberFromString(text) : undefined;
  const type = number?.getType();
  if (!number?.isValid() || type === undefined || !reachable.has(type)) throw refused();
  if (number.country === undefined) throw refused();
  if (countries && !countries.has(number.country)) throw refused('Its country gets no codes here');
  return number.number;
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

/** A number with all but its country code and last two digits hidden: `+49 •••••••• 34`. */
export function maskPhoneNumber(number: string): string {
  const country = parsePhoneNumberFromString(number)?.countryCallingCode ?? '';
  const hidden = Math.max(0, number.length - 1 - country.length - 2);
  return `+${country} ${'•'.repeat(hidden)} ${number.slice(-2)}`;
}
