import { z } from 'zod';

/**
 * Rules that the server checks by a function, as JSON Schema keywords that state them in the
 * OpenAPI document (docs/decisions/005-requests.md).
 */

/** No two items are equal. */
export const unique = { uniqueItems: true };

/** A comma-separated list of these values. */
export const listOf = (
  values: readonly string[],
  { isGapAllowed = false, max }: { isGapAllowed?: boolean; max?: number } = {},
) => {
  const one = `(?:${values.map((value) => value.replaceAll('.', '\\.')).join('|')})`;
  const item = isGapAllowed ? `${one}?` : one;
  const more = max === undefined ? '*' : `{0,${max - 1}}`;
  return { pattern: `^${item}(?:,${item})${more}$` };
};

/** Base64 (RFC 4648 §4), padded. */
export const base64Form = { pattern: z.regexes.base64.source };

/** Text with at least one character that is not white space. */
export const notBlank = { pattern: '\\S' };

/** An email address, by zod's pattern. */
export const emailForm = { pattern: z.regexes.email.source };

const year = '(?:19[7-9]\\d|[2-8]\\d{3}|9[0-8]\\d{2}|99[0-8]\\d|999[0-8])';

/** A date or an instant with a year, as written, from 1970 to 9998. */
export const yearForm = { pattern: `^${year}-` };
const yearPattern = new RegExp(yearForm.pattern);
export const hasYear = (text: string): boolean => yearPattern.test(text);
export const yearWords = 'must be a date of the years 1970 to 9998';

/** An absolute http or https URL. The description says which hosts are allowed. */
export const webAddress = { pattern: '^[Hh][Tt][Tt][Pp][Ss]?:(?=//)' };
