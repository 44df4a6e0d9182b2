import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { Failure } from '../../workflows/failures.ts';

/** Kinds of number a text message reaches without costing its receiver anything. */
const reachable = new Set(['MOBILE', 'FIXED_LINE_OR_MOBILE', 'VOIP', 'PERSONAL_NUMBER']);

/**
 * Reads an E.164 number. Throws `phone_refused` for anything else: other spellings, premium,
 * shared-cost and unallocated ranges, landlines.
 */
export function readPhoneNumber(text: string): string {
  const number = /^\+[1-9]\d{6,14}$/.test(text) ? parsePhoneNumberFromString(text) : undefined;
  const type = number?.getType();
  if (!number?.isValid() || type === undefined || !reachable.has(type)) {
    throw new Failure('phone_refused', { extra: { loc: ['body', 'phone_number'] } });
  }
  return number.number;
}

/** A number with all but its country code and last two digits hidden: `+49 •••••••• 34`. */
export function maskPhoneNumber(number: string): string {
  const country = parsePhoneNumberFromString(number)?.countryCallingCode ?? '';
  const hidden = Math.max(0, number.length - 1 - country.length - 2);
  return `+${country} ${'•'.repeat(hidden)} ${number.slice(-2)}`;
}
