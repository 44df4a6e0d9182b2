import { z } from 'zod';
import { outcomeValidities } from '../../domain/names.ts';
import { contract } from '../http/contract.ts';

const affidavitFacts = z
  .object({
    affidavit_id: z.string(),
    sha256: z.string().describe('Of the file, hex'),
    sealed_at: z.iso.datetime(),
    pades_level: z.string().describe('What its signature amounts to (ETSI EN 319 142-1)'),
    outcome_validity: z.enum(outcomeValidities).describe('Whether the outcome still stands'),
    livemode: z.boolean().describe('false for an app in test mode'),
    log_origin: z.string().describe('The public log it stands in'),
    log_key: z.string().describe('What the log is verified by, as verifiers of notes take it'),
    development: z
      .boolean()
      .nullable()
      .describe(
        'Whether it rests on simulated evidence, or comes from a platform that trusts the roots ' +
          'of such; null where that is not on record',
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
    summary: 'The verifier as a page: judges an affidavit in the browser, also once it is saved',
    auth: ['public'],
    request: {},
    replies: { 200: { kind: 'page', types: ['text/html'], description: 'The page, whole' } },
    errors: [],
  }),
  affidavit: contract({
    id: 'verify.affidavit',
    method: 'get',
    path: '/verify/{affidavit_id}',
    summary: 'Which file an affidavit is, and how to verify it',
    auth: ['public'],
    unknownFields: 'ignored',
    request: {
      path: z.object({
        affidavit_id: z
          .string()
          .regex(/^aff_[0-9a-z]{26}$/)
          .describe('The number in the affidavit'),
      }),
    },
    replies: {
      200: {
        kind: 'page',
        types: ['text/html', 'application/json'],
        schema: affidavitFacts,
        description: 'The page, or the same as JSON by Accept',
      },
    },
    errors: ['not_found'],
  }),
} as const;
