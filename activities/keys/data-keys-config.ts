import { z } from 'zod';
import { masterKeyId } from '../../db/sealing/key-ring.ts';
import { ringWrapper, type Wrapper } from '../../db/sealing/wrapper.ts';
import { masterWord, ringOf } from '../runtime/ring-settings.ts';

/** Which keys wrap the data keys of sealed columns, each `ID:KEY`. */
export const masterKeyConfig = z.object({
  /** The key that wraps. */
  MASTER_KEY: z.string().default(`${masterKeyId}:${masterWord}`),
  /** Keys that unwrap only: those of before, and the next one until every process knows it. */
  MASTER_KEYS_RETIRED: z.string().optional(),
});

/**
 * What wraps data keys by these settings.
 * @param master the key derived from the master secret, which settings call `k1:master`
 * @throws one line that names the setting at fault, never its value
 */
export function createWrapper(
  { MASTER_KEY: current, MASTER_KEYS_RETIRED: retired }: z.output<typeof masterKeyConfig>,
  master: Uint8Array,
): Wrapper {
  const names = { what: 'master', current: 'MASTER_KEY', retired: 'MASTER_KEYS_RETIRED' } as const;
  return ringWrapper(ringOf(names, { current, retired }, master));
}
