import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requestMessageOf } from '../../../api/http/parse/validation-messages.ts';
import { call } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();
const page = z.coerce.number().int().min(1).max(9);

describe('validation messages', () => {
  it.each([
    [page, 'abc', 'must be a number'],
    [page, '1.5', 'must be a whole number'],
    [page, '0', 'must be at least 1'],
    [page, '10', 'must be at most 9'],
    [z.string(), undefined, 'Field required'],
    [z.string(), 1, 'must be a text'],
    [z.boolean(), 'yes', 'must be true or false'],
    [z.string().min(1), '', 'must have at least 1 character'],
    [z.string().min(2), 'a', 'must have at least 2 characters'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
    [z.enum(['a', 'b']), 'c', 'must be a or b'],
    [z.iso.date(), 'x', 'must be a date, as 2026-01-31'],
    [z.string().regex(/^a$/), 'b', 'must match /^a$/'],
    [z.string().regex(/^a$/, 'must be an a'), 'b', 'must be an a'],
    [z.strictObject({}), { a: 1 }, 'must not have a'],
    [z.union([z.string(), z.boolean()]), 1, 'must be of the declared form'],
    [
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a') }),
        z.object({ kind: z.literal('b') }),
      ]),
      { kind: 'c' },
      'must be a or b',
    ],
  ])('describe the fault of case %#', (schema, given, words) => {
    const { error } = schema.safeParse(given, { error: requestMessageOf });
    expect(error?.issues.map(({ message }) => message)).toEqual([words]);
  });

  it.each(['abc', '0x1', '1e0', '+1', '01', '1.0', ' 1', ''])(
    'require decimal digits instead of the number %j',
    async (page) => {
      const path = `/v2/trust-checks?page=${encodeURIComponent(page)}`;
      const { status, body } = await call('GET', path, { token: own.api_key });
      const msg = 'must be a whole number in decimal digits';
      const fault = { loc: ['query', 'page'], msg, type: 'invalid_type' };
      expect([status, body]).toEqual([422, { detail: [fault] }]);
    },
  );

  it.each([
    [
      '/v2/trust-checks/x',
      ['path', 'id'],
      'must be tc_ and 26 lowercase letters and digits',
      'invalid_format',
    ],
  ])('are returned by %s', async (path, loc, msg, type) => {
    const { status, body } = await call('GET', path, { token: own.api_key });
    expect([status, body]).toEqual([422, { detail: [{ loc, msg, type }] }]);
  });
});
