import { z } from 'zod';
import { common, list } from '../file-members.ts';

/** The lines of a machine-readable zone. */
export const mrzFile = z.object({
  ...common,
  kind: z.literal('mrz'),
  policy: z.object({ development: z.boolean().optional() }).optional(),
  input: z.object({ lines: list(z.string(), 1000) }),
});

export type MrzFile = z.output<typeof mrzFile>;
