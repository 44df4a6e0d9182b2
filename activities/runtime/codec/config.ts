import { z } from 'zod';
import { masterKeyId, type KeyRing } from '../../../db/sealing/key-ring.ts';
import { masterWord, ringOf } from '../ring-settings.ts';

/** Keys that encrypt and decrypt workflow payloads, each `ID:KEY`. */
export const codecConfig = z.object({
  CODEC_KEY: z
    .string()
    .default(`${masterKeyId}:${masterWord}`)
    .describe(
      'Key that encrypts the payloads of workflows, as `ID:KEY`. Required in production, ' +
        'which rejects the default, the key derived from the master secret.',
    ),
  CODEC_KEYS_RETIRED: z
    .string()
    .optional()
    .describe(
      'Keys that only decrypt payloads, separated by commas: older keys, and the next key ' +
        'before it becomes `CODEC_KEY`.',
    ),
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
