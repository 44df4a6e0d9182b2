import { z } from 'zod';
import { contract } from '../http/contract.ts';

const rateLimitsBody = z
  .object({
    limits: z.array(
      z.object({
        name: z.string().describe('The operation; `sms.hour` and `sms.day`: codes of the account'),
        limit: z.int().describe('How many calls a window lets through'),
        remaining: z.int().describe('How many of them are left'),
        window_seconds: z.int(),
        resets_at: z.iso.datetime().nullable().describe('Null where nothing has been counted'),
      }),
    ),
  })
  .meta({ id: 'RateLimits' });

export const rateLimitContracts = {
  get: contract({
    id: 'rate-limits.get',
    method: 'get',
    path: '/v2/rate-limits',
    summary: 'What is left of the caller’s own limits',
    description: [
      'Limits that count the credential, or its account. A limit by address is in the',
      '`RateLimit-*` headers of the operations that it limits. This call counts against no limit.',
      'A test key does not see how many codes its account has left.',
    ].join(' '),
    auth: ['key'],
    keyMode: 'self',
    admitsAppKeys: true,
    request: {},
    replies: { 200: { kind: 'json', schema: rateLimitsBody, description: 'The limits' } },
    errors: ['credential_invalid'],
  }),
} as const;
