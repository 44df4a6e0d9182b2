import { z } from 'zod';
import { firstVersion } from '../../domain/secret-purposes.ts';
import { originForm } from '../../domain/transparency/note.ts';

/** Settings of the public log. Clients pin its name, so a different log needs a different name. */
export const logConfig = z.object({
  LOG_ORIGIN: z.string().regex(originForm, 'no space, no +, ASCII alone').optional(),
  /**
   * Version of the master secret that the log's key is derived from. Another version is another
   * log.
   */
  LOG_SECRET_VERSION: z.coerce.number().int().min(1).default(firstVersion),
  /** Number of witnesses a proof should have. After a wait, a proof is issued without them. */
  LOG_WITNESSES_WANTED: z.coerce.number().int().min(0).max(16).default(0),
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
