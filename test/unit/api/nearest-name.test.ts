import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../api/http/parse/nearest-name.ts';

const known = ['min_level', 'max_age_days', 'page_size', 'title', 'required_proofs', 'job_id'];

describe('the nearest known name', () => {
  it.each([
    ['min_levle', 'min_level'],
    ['minLevel', 'min_level'],
    ['MIN-LEVEL', 'min_level'],
    ['pagesize', 'page_size'],
    ['titel', 'title'],
    ['tile', 'title'],
    ['require_proof', 'required_proofs'],
    ['jobid', 'job_id'],
  ])('of %s is %s', (given, nearest) => {
    expect(nearestName(given, known)).toBe(nearest);
  });

  it.each(['color', 'x', '', '___', 'toString', 'min_level'.repeat(10), '\ud800', 'ключ'])(
    'is none for %j',
    (given) => {
      expect(nearestName(given, known)).toBeNull();
    },
  );

  it('is the closest of several', () => {
    expect(nearestName('statsu', ['states', 'status', 'start'])).toBe('status');
  });
});
