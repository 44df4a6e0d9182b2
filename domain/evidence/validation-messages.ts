import type { z } from 'zod';

/** Words for the expected types, by their names in the schemas. */
export const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};

/** Returns the error of a submitted member in our own words, on one line. */
export function evidenceMessageOf(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'missing';
  switch (issue.code) {
    case 'invalid_type':
      return `not ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `not ${issue.values.map(String).join(' or ')}`;
    case 'invalid_union':
      return Object(issue.input).kind === undefined ? 'missing' : 'none of the kinds there are';
    case 'invalid_key':
      return 'not a name that is known here';
    case 'invalid_format':
      return issue.format === 'datetime' ? 'not an instant (ISO 8601)' : 'of another form';
    case 'too_big':
      return `over the limit of ${issue.maximum}`;
    case 'too_small':
      return `under the least, ${issue.minimum}`;
    default:
      return 'not understood';
  }
}
