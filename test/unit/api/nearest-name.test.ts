import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../api/http/parse/nearest-name.ts';

const known = ['min_level', 'max_age_days', 'page_size', 'title', 'required_proofs', 'job_id'];

describe('nearestName', () => {
  it.each([
    ['min_levle', 'min_level'],
    ['minLevel', 'min_level'],
    ['MIN-LEVEL', 'min_level'],
    ['pagesize', 'page_size'],
    ['titel', 'title'],
    ['tile', 'title'],
    ['require_proof', 'required_proofs'],
    ['jobid', 'job_id'],
  ])('corrects %s to %s', (given, nearest) => {
    expect(nearestName(given, known)).toBe(nearest);
  });

  it.each(['color', 'x', '', '___', 'toString', 'min_level'.repeat(10), '\ud800', 'ключ'])(
    'returns null for %j',
    (given) => {
      expect(nearestName(given, known)).toBeNull();
    },
  );

  it('returns the closest of several names', () => {
    expect(nearestName('statsu', ['states', 'status', 'start'])).toBe('status');
  });
});
