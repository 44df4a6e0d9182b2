import { z } from 'zod';
import { wholeOf } from '../runtime/config.ts';

/**
 * Settings that name the organization that runs the service. Each affidavit shows them, see
 * docs/decisions/012-affidavit.md.
 */
export const operatorConfig = z.object({
  OPERATOR_NAME: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Legal name of the operator of the service. Affidavits show it. Required in production.',
    ),
  OPERATOR_ADDRESS: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Postal address of the operator. Affidavits show it. Required in production.'),
  OPERATOR_CONTACT: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Email address or telephone number of the operator. Affidavits show it. Required in ' +
        'production.',
    ),
});

/** The organization that runs the service. */
export interface Operator {
  readonly legal_name: string;
  readonly address: string;
  readonly contact: string;
}

/**
 * Returns the operator from the settings; null when none is set, which only development allows.
 * @throws Error with one line that names the missing settings
 */
export function operatorOf({
  PROFILE,
  OPERATOR_NAME,
  OPERATOR_ADDRESS,
  OPERATOR_CONTACT,
}: z.output<typeof operatorConfig> & {
  readonly PROFILE: 'development' | 'production';
}): Operator | null {
  const set = wholeOf(
    { OPERATOR_NAME, OPERATOR_ADDRESS, OPERATOR_CONTACT },
    { isRequired: PROFILE === 'production' },
  );
  return (
    set && {
      legal_name: set.OPERATOR_NAME,
      address: set.OPERATOR_ADDRESS,
      contact: set.OPERATOR_CONTACT,
    }
  );
}
