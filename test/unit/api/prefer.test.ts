import { describe, expect, it } from 'vitest';
import { prefersLenient } from '../../../api/http/parse/prefer.ts';

describe('the Prefer header', () => {
  it.each([
    'handling=lenient',
    'Handling = lenient',
    'handling="lenient"',
    'respond-async, handling=lenient',
    'handling=lenient; note=x, wait=10',
    'handling=lenient, handling=strict',
  ])('requests lenient handling with %j', (header) => {
    expect(prefersLenient(header)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'handling',
    'handling=strict',
    'handling=strict, handling=lenient',
    'lenient',
    'x-handling=lenient',
    'handling=lenient-ish',
    'handling=lenient'.padEnd(2_000, ' '),
  ])('does not request it with %j', (header) => {
    expect(prefersLenient(header)).toBe(false);
  });
});
