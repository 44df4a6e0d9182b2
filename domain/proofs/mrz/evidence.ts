import { z } from 'zod';
import { common, list } from '../file-members.ts';
import type { Verdict } from '../verdict.ts';
import { verifyMrz } from './verify-mrz.ts';

/** The lines of a machine-readable zone. */
export const mrzFile = z.object({
  ...common,
  kind: z.literal('mrz'),
  policy: z.object({ development: z.boolean().optional() }).optional(),
  input: z.object({ lines: list(z.string(), 1000) }),
});

/** Judges an evidence file of kind `mrz`. */
export const verifyMrzFile = ({ input, at, policy }: z.output<typeof mrzFile>): Verdict =>
  verifyMrz(input, at, policy);
