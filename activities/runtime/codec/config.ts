import { z } from 'zod';
import { masterKeyId, type KeyRing } from '../../../db/sealing/key-ring.ts';
import { masterWord, ringOf } from '../ring-settings.ts';

/** Which keys payloads of workflows are sealed and opened with, each `ID:KEY`. */
export const codecConfig = z.object({
  /** The key that seals. */
  CODEC_KEY: z.string().default(`${masterKeyId}:${masterWord}`),
  /** Keys that open only: those of before, and the next one until every process knows it. */
  CODEC_KEYS_RETIRED: z.string().optional(),
});

/**
 * The ring that settings name.
 * @param master the key derived from the master secret, which settings call `k1:master`
 * @throws one line that names the setting at fault, never its value
 */
export function codecRing(
  { CODEC_KEY: current, CODEC_KEYS_RETIRED: retired }: z.output<typeof codecConfig>,
  master: Uint8Array,
): KeyRing {
  const names = { what: 'codec', current: 'CODEC_KEY', retired: 'CODEC_KEYS_RETIRED' } as const;
  return ringOf(names, { current, retired }, master);
}
