import { z } from 'zod';
import { firstVersion } from '../../domain/secret-purposes.ts';
import { originForm } from '../../domain/transparency/note.ts';

/** What the public log is called. Who has it pinned takes another name for another log. */
export const logConfig = z.object({
  LOG_ORIGIN: z.string().regex(originForm, 'no space, no +, ASCII alone').optional(),
  /** Version of the master secret that the key is derived from; another one is another log. */
  LOG_SECRET_VERSION: z.coerce.number().int().min(1).default(firstVersion),
  /** How many witnesses a proof should have; it is laid without them once it has waited. */
  LOG_WITNESSES_WANTED: z.coerce.number().int().min(0).max(16).default(0),
});

/** The name of the log: the one that is set, or its address without the scheme. */
export function logOriginOf({
  LOG_ORIGIN,
  BASE_URL,
}: {
  readonly LOG_ORIGIN?: string | undefined;
  readonly BASE_URL: string;
}): string {
  return LOG_ORIGIN ?? `${BASE_URL.replace(/^https?:\/\//, '')}/log`;
}
