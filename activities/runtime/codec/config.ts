import { z } from 'zod';
import { masterKeyId, type KeyRing } from '../../../db/sealing/key-ring.ts';
import { masterWord, ringOf } from '../ring-settings.ts';

/** Keys that encrypt and decrypt workflow payloads, each `ID:KEY`. */
export const codecConfig = z.object({
  /** The key that encrypts. */
  CODEC_KEY: z.string().default(`${masterKeyId}:${masterWord}`),
  /** Keys that only decrypt: earlier keys, and the next key until every process has it. */
  CODEC_KEYS_RETIRED: z.string().optional(),
});

/**
 * Returns the key ring that the settings define.
 * @param master the key derived from the master secret; settings refer to it as `k1:master`
 * @throws Error with one line that names the wrong setting, never its value
 */
export function codecRing(
  { CODEC_KEY: current, CODEC_KEYS_RETIRED: retired }: z.output<typeof codecConfig>,
  master: Uint8Array,
): KeyRing {
  const names = { what: 'codec', current: 'CODEC_KEY', retired: 'CODEC_KEYS_RETIRED' } as const;
  return ringOf(names, { current, retired }, master);
}
