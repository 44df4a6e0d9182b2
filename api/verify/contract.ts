import { z } from 'zod';
import { contract } from '../contract.ts';

/** What an affidavit's own address leads to. */
export const verifyContracts = {
  affidavit: contract({
    id: 'verify.affidavit',
    method: 'get',
    path: '/verify/{affidavit_id}',
    summary: 'Which file an affidavit is, and how to verify it',
    auth: ['public'],
    request: {
      path: z.object({
        affidavit_id: z
          .string()
          .regex(/^aff_[0-9a-z]{26}$/)
          .describe('The number in the affidavit'),
      }),
    },
    replies: { 200: { kind: 'page', types: ['text/html'], description: 'The page' } },
    errors: ['not_found'],
  }),
} as const;
