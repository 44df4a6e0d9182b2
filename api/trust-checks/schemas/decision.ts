import { z } from 'zod';
import { assuranceLevels } from '../../../domain/names.ts';
import { decisionRules } from '../../../domain/trust-checks/decide.ts';

/** The decision of the rules on the proofs of a check. */
export const decisionBody = z.object({
  outcome: z.enum(['pass', 'fail', 'review']).describe('A review may come out otherwise'),
  rule: z
    .string()
    .nullable()
    .describe(
      `The rule that spoke: ${decisionRules.join(', ')}; null where none did and it passed, and ` +
        'for the check token',
    ),
  level: z.enum(assuranceLevels).describe('What the proofs that passed amount to'),
  policy_version: z.string().describe('Of the rules: the same facts decide alike under it'),
});
