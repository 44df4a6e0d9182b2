import { X509Certificate } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finishKeyChange } from './change-keys.ts';
import { rootCrlFile, type KeyPlace } from './key-files.ts';
import { loadRootSigner } from './load-keys.ts';
import { revokedCas } from './load-retired.ts';
import { readRootCrl, signRootCrl } from './root-crl.ts';

const renewalMs = 30 * 24 * 3600_000;

/**
 * Signs the root's CRL anew when the one of the directory is a month old, missing or no CRL of the
 * root. Needs the root's key.
 * @returns whether it did
 * @throws KeyDirectoryError
 */
export async function renewRootCrl(place: KeyPlace, now: Date): Promise<boolean> {
  const root = loadRootSigner(place);
  const [certificate] = root.certificateChain;
  if (!certificate) throw new TypeError('the root has no certificate');
  await finishKeyChange(place.directory);
  const path = join(place.directory, rootCrlFile);
  const last = existsSync(path)
    ? readRootCrl(readFileSync(path), new X509Certificate(certificate))
    : null;
  if (last && now.getTime() - last.thisUpdate.getTime() < renewalMs) return false;
  await writeFile(`${path}.tmp`, await signRootCrl(root, now, revokedCas(place)), { mode: 0o600 });
  await rename(`${path}.tmp`, path);
  return true;
}
