import type { X509Certificate } from 'node:crypto';
import { createDevPki } from '../../activities/keys/changes/dev-pki.ts';
import { renewRootCrl } from '../../activities/keys/changes/renew-root-crl.ts';
import { custodyConfig, keyPlaceOf } from '../../activities/keys/config.ts';
import { KeyDirectoryError, type KeyPlace } from '../../activities/keys/directory/key-files.ts';
import {
  loadKeys,
  loadRoot,
  type PlatformKeys,
} from '../../activities/keys/directory/load-keys.ts';
import { parseConfig } from '../../activities/runtime/config.ts';
import { environment } from '../environment.ts';

/** Prints the trust anchor of the local platform as PEM. Exit code 1 if it has none yet. */
export function printRoot(dataDir: string): number {
  try {
    process.stdout.write(loadLocalRoot(dataDir).toString());
    return 0;
  } catch (error) {
    if (!(error instanceof KeyDirectoryError)) throw error;
    const way = error.fault === 'missing' ? '; the first npm start makes it' : '';
    process.stderr.write(`${error.message}${way}\n`);
    return 1;
  }
}

export function loadLocalRoot(dataDir: string): X509Certificate {
  return loadRoot(localPlace(dataDir));
}

export function loadLocalKeys(dataDir: string): PlatformKeys {
  return loadKeys(localPlace(dataDir));
}

/**
 * Creates the keys of the local platform on its first start, renews the root's CRL and checks that
 * all keys load.
 * @throws an error that says how to start over if the existing files are unusable
 */
export async function prepareKeys(dataDir: string, baseUrl: string, now: Date): Promise<void> {
  const place = localPlace(dataDir);
  try {
    const { directory, ...secret } = place;
    await createDevPki(directory, { now, baseUrl, ...secret });
    await renewRootCrl(place, now);
    loadKeys(place);
  } catch (error) {
    if (!(error instanceof KeyDirectoryError)) throw error;
    throw new Error(
      `${error.message}\nnpm run reset forgets these keys and all else below the data directory; ` +
        'in development only',
      { cause: error },
    );
  }
  // Outside the try block: an unavailable KMS or token does not mean that the files are wrong.
  await loadKeys(place).prove();
}

/** Returns the place of the keys of the local platform. */
export function localPlace(dataDir: string): KeyPlace {
  const { KEYS_PASSPHRASE } = environment();
  const custody = parseConfig(custodyConfig, environment());
  return keyPlaceOf({ ...custody, DATA_DIR: dataDir, KEYS_PASSPHRASE });
}
