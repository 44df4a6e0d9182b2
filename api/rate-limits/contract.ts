import { z } from 'zod';
import { contract } from '../http/contract.ts';

const rateLimitsBody = z
  .object({
    limits: z.array(
      z.object({
        name: z
          .string()
          .describe('ID of the operation; `sms.hour` and `sms.day` are the codes of the account'),
        limit: z.int().describe('Calls allowed per window'),
        remaining: z.int().describe('Calls left in the window'),
        window_seconds: z.int(),
        resets_at: z.iso
          .datetime()
          .nullable()
          .describe('When the window ends; null if nothing was counted'),
      }),
    ),
  })
  .meta({ id: 'RateLimits' });

export const rateLimitContracts = {
  get: contract({
    id: 'rate-limits.get',
    method: 'get',
    path: '/v2/rate-limits',
    summary: 'Get the caller’s own rate limits',
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
