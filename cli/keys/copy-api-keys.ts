import { join } from 'node:path';
import { copyKeys } from '../../activities/keys/changes/copy-keys.ts';
import { heldKeys } from '../../activities/keys/directory/held-keys.ts';
import { environment } from '../environment.ts';

/** Copies from DATA_DIR/keys what an API needs; prints the private keys that it gets. */
export async function copyApiKeys(dataDir: string, to: string): Promise<number> {
  await copyKeys(join(dataDir, 'keys'), to, heldKeys.api);
  process.stdout.write(`${to}: private keys of ${heldKeys.api.join(', ')} alone\n`);
  return 0;
}

/** After a change of keys: brings API_KEYS_DIR up to date, where it is set. */
export async function followApiKeys(dataDir: string, exitCode: number): Promise<number> {
  const to = environment()['API_KEYS_DIR'];
  if (to && exitCode === 0) await copyKeys(join(dataDir, 'keys'), to, heldKeys.api);
  return exitCode;
}
