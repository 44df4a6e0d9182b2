import type { z } from 'zod';
import { kinds } from '../../../domain/evidence/validation-messages.ts';

const forms: Readonly<Record<string, string>> = {
  date: 'a date, as 2026-01-31',
  datetime: 'an instant in ISO 8601, with its zone',
  email: 'an email address',
  url: 'an address (URL)',
  uuid: 'a UUID',
};
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

/** Returns what a member of a request must be, where its schema has no message of its own. */
export function requestMessageOf(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'Field required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    case 'invalid_format':
      return formWords(issue);
    case 'too_small':
      return sizeWords(
        issue.origin,
        issue.inclusive === false ? 'more than' : 'at least',
        issue.minimum,
      );
    case 'too_big':
      return sizeWords(
        issue.origin,
        issue.inclusive === false ? 'less than' : 'at most',
        issue.maximum,
      );
    case 'invalid_key':
      return 'must have names of the declared form';
    case 'invalid_union':
      return choiceWords(issue);
    case 'unrecognized_keys':
      return `must not have ${issue.keys.join(', ')}`;
    default:
      return 'must be of the declared form';
  }
}

/** Returns the valid values of the discriminator of a union. */
function choiceWords(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const { options } = issue;
  return Array.isArray(options)
    ? `must be ${options.map(String).join(' or ')}`
    : 'must be of the declared form';
}

function formWords({
  format,
  pattern,
}: {
  readonly format: string;
  readonly pattern?: unknown;
}): string {
  const form = forms[format];
  return form ? `must be ${form}` : `must match ${typeof pattern === 'string' ? pattern : format}`;
}

/** Returns the message for a bound. For a text and a list the bound is on the length. */
function sizeWords(origin: string, bound: string, size: number | bigint): string {
  const unit = units[origin];
  const counted = unit && Number(size) === 1 ? unit.slice(0, -1) : unit;
  return counted ? `must have ${bound} ${size}${counted}` : `must be ${bound} ${size}`;
}
