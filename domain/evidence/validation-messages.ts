import type { z } from 'zod';

/** What is expected, by the names the schemas have for it. */
export const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};

/** What is wrong with a member of something handed in, in words of our own and on one line. */
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
