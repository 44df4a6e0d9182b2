import { z } from 'zod';
import { masterKeyId } from '../../db/sealing/key-ring.ts';
import { ringWrapper, type Wrapper } from '../../db/sealing/wrapper.ts';
import { masterWord, ringOf } from '../runtime/ring-settings.ts';

/** Keys that wrap the data keys of encrypted columns, each `ID:KEY`. */
export const masterKeyConfig = z.object({
  MASTER_KEY: z
    .string()
    .default(`${masterKeyId}:${masterWord}`)
    .describe(
      'Key that encrypts the data keys of sealed columns and evidence, as `ID:KEY`. ' +
        'Required in production, which rejects the default, the key derived from the master ' +
        'secret.',
    ),
  MASTER_KEYS_RETIRED: z
    .string()
    .optional()
    .describe(
      'Keys that only decrypt data keys, separated by commas: older keys, and the next ' +
        'key before it becomes `MASTER_KEY`.',
    ),
});

/**
 * Creates the wrapper of data keys from these settings.
 * @param master the key derived from the master secret; settings refer to it as `k1:master`
 * @throws Error with one line that names the wrong setting, never its value
 */
export function createWrapper(
  { MASTER_KEY: current, MASTER_KEYS_RETIRED: retired }: z.output<typeof masterKeyConfig>,
  master: Uint8Array,
): Wrapper {
  const names = { what: 'master', current: 'MASTER_KEY', retired: 'MASTER_KEYS_RETIRED' } as const;
  return ringWrapper(ringOf(names, { current, retired }, master));
}
