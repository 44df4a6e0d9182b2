import { join } from 'node:path';
import { loadKeys } from '../activities/certificates/load-keys.ts';

/** Prints the trust anchor of the local platform as PEM. */
export function printRoot(dataDir: string): number {
  process.stdout.write(loadKeys(join(dataDir, 'keys')).trustBundlePem);
  return 0;
}
