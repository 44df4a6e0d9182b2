import { z } from 'zod';
import { outcomeValidities } from '../../domain/names.ts';
import { contract } from '../http/contract.ts';

const affidavitFacts = z
  .object({
    affidavit_id: z.string(),
    sha256: z.string().describe('SHA-256 of the file, in hex'),
    sealed_at: z.iso.datetime(),
    pades_level: z.string().describe('Level of its signature (ETSI EN 319 142-1)'),
    outcome_validity: z.enum(outcomeValidities).describe('Whether the outcome is still valid'),
    livemode: z.boolean().describe('`false` for an app in test mode'),
    log_origin: z.string().describe('The public log with the affidavit'),
    log_key: z.string().describe('Verifier key of the log for signed notes'),
    development: z
      .boolean()
      .nullable()
      .describe(
        'Whether the evidence is simulated, or the platform trusts roots for simulated ' +
          'evidence; null if this was not recorded',
      ),
  })
  .meta({ id: 'AffidavitFacts' });
export type AffidavitFacts = z.output<typeof affidavitFacts>;

/** The verifier, and the page of an affidavit's address. */
export const verifyContracts = {
  page: contract({
    id: 'verify.page',
    method: 'get',
    path: '/verify',
    summary: 'Get the verifier as a page, which verifies an affidavit in the browser, also offline',
    auth: ['public'],
    request: {},
    replies: { 200: { kind: 'page', types: ['text/html'], description: 'The page in one file' } },
    errors: [],
  }),
  affidavit: contract({
    id: 'verify.affidavit',
    method: 'get',
    path: '/verify/{affidavit_id}',
    summary: 'Identify an affidavit, and explain how to verify it',
    auth: ['public'],
    unknownFields: 'ignored',
    request: {
      path: z.object({
        affidavit_id: z
          .string()
          .regex(/^aff_[0-9a-z]{26}$/)
          .describe('ID in the affidavit'),
      }),
    },
    replies: {
      200: {
        kind: 'page',
        types: ['text/html', 'application/json'],
        schema: affidavitFacts,
        description: 'The page, or JSON by Accept',
      },
    },
    errors: ['not_found'],
  }),
} as const;
