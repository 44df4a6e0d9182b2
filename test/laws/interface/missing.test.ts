import { describe, expect, it } from 'vitest';
import { errorsOf } from '../../../api/http/implied-errors.ts';
import { missingDetail } from '../../../api/http/routes/missing.ts';
import { contracts } from '../../support/http/routes.ts';

describe('the detail of not_found', () => {
  it('names a kind of object for every operation with that error', () => {
    const looking = contracts.filter((row) => errorsOf(row).includes('not_found'));
    const silent = looking.filter((row) => missingDetail(row) === null).map(({ id }) => id);
    expect([silent, looking.length > 80]).toEqual([[], true]);
  });

  it('knows the object of each id in a path', () => {
    const ids = contracts
      .filter((row) => errorsOf(row).includes('not_found'))
      .flatMap(({ path }) => [...path.matchAll(/\{(\w*(?:id|uuid))\}/g)])
      .map(([, name = '']) => name);
    const unknown = ids.filter((name) => missingDetail({ id: '', path: `/{${name}}` }) === null);
    expect([unknown, ids.length > 80]).toEqual([[], true]);
  });

  it.each([
    ['recoveries.deny', 'No such account, person, or recovery, or this caller may not see it.'],
    ['links.raw', 'No such link, or this caller may not see it.'],
    ['links.preview', 'No such link, or this caller may not see it.'],
    ['apps.status', 'No such app, or this caller may not see it.'],
    ['apps.get', 'No such account or app, or this caller may not see it.'],
    ['logs.affidavit', 'No such affidavit, or this caller may not see it.'],
    [
      'deliveries.replay',
      'No such account, webhook endpoint, or delivery, or this caller may not see it.',
    ],
    ['trust-checks.begin', 'No such link, or this caller may not see it.'],
  ])('of %s is correct', (id, detail) => {
    const row = contracts.find((each) => each.id === id);
    expect(row && missingDetail(row)).toBe(detail);
  });
});
