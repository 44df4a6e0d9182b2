import { z } from 'zod';
import { firstVersion } from '../../domain/secret-purposes.ts';
import { originForm } from '../../domain/transparency/note.ts';

/** Settings of the public log. */
export const logConfig = z.object({
  LOG_ORIGIN: z
    .string()
    .regex(originForm, 'no space, no +, ASCII alone')
    .optional()
    .describe(
      'Name of the public log of affidavits. Without it, the name is `BASE_URL` without ' +
        'the scheme, followed by `/log`. Another name is another log.',
    ),
  LOG_SECRET_VERSION: z.coerce
    .number()
    .int()
    .min(1)
    .default(firstVersion)
    .describe(
      'Version of `master.secret` from which the service derives the key of the public ' +
        'log. Change it only together with `LOG_ORIGIN`.',
    ),
  LOG_WITNESSES_WANTED: z.coerce
    .number()
    .int()
    .min(0)
    .max(16)
    .default(0)
    .describe(
      'Number of witness signatures that a log proof waits for, at most 16 and at most ' +
        'the witnesses in `LOG_WITNESSES`. After 10 minutes the service issues the proof ' +
        'without them.',
    ),
});

/** Returns the name of the log: `LOG_ORIGIN`, or the base URL without its scheme. */
export function logOriginOf({
  LOG_ORIGIN,
  BASE_URL,
}: {
  readonly LOG_ORIGIN?: string | undefined;
  readonly BASE_URL: string;
}): string {
  return LOG_ORIGIN ?? `${BASE_URL.replace(/^https?:\/\//, '')}/log`;
}
