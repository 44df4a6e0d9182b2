import { z } from 'zod';
import { assuranceLevels } from '../../../domain/names.ts';
import { decisionRules } from '../../../domain/trust-checks/decide.ts';

/** The decision of the rules on the proofs of a check. */
export const decisionBody = z.object({
  outcome: z
    .enum(['pass', 'fail', 'review'])
    .describe('Outcome by the rules. A reviewer can decide a `review` in either way'),
  rule: z
    .string()
    .nullable()
    .describe(
      `Rule that decided: ${decisionRules.join(', ')}. Null if the check passed without ` +
        'one, and for the check token',
    ),
  level: z.enum(assuranceLevels).describe('Assurance level of the passed proofs'),
  policy_version: z
    .string()
    .describe('Version of the rules. One version decides the same facts in the same way'),
});
