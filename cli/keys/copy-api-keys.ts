import { join } from 'node:path';
import { copyKeys } from '../../activities/keys/changes/copy-keys.ts';
import { heldKeys } from '../../activities/keys/directory/held-keys.ts';
import { environment } from '../environment.ts';

/**
 * Copies the files that an API needs from DATA_DIR/keys, and prints the names of the private keys
 * among them.
 */
export async function copyApiKeys(dataDir: string, to: string): Promise<number> {
  await copyKeys(join(dataDir, 'keys'), to, heldKeys.api);
  process.stdout.write(`${to}: private keys of ${heldKeys.api.join(', ')} alone\n`);
  return 0;
}

/** Updates API_KEYS_DIR, if it is set, after a change of keys. */
export async function followApiKeys(dataDir: string, exitCode: number): Promise<number> {
  const to = environment()['API_KEYS_DIR'];
  if (to && exitCode === 0) await copyKeys(join(dataDir, 'keys'), to, heldKeys.api);
  return exitCode;
}
