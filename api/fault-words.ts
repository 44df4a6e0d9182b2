import type { z } from 'zod';
import { kinds } from '../activities/evidence/fault-words.ts';

const forms: Readonly<Record<string, string>> = {
  date: 'a date, as 2026-01-31',
  datetime: 'an instant in ISO 8601, with its zone',
  email: 'an email address',
  url: 'an address (URL)',
  uuid: 'a UUID',
};
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

/** What a member of a request must be, where its schema has no words of its own. */
export function requestWords(issue: z.core.$ZodRawIssue): string {
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
    case 'unrecognized_keys':
      return `must not have ${issue.keys.join(', ')}`;
    default:
      return 'must be of the declared form';
  }
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

/** Of a text and a list it is the length that is bounded. */
function sizeWords(origin: string, bound: string, size: number | bigint): string {
  const unit = units[origin];
  return unit ? `must have ${bound} ${size}${unit}` : `must be ${bound} ${size}`;
}
