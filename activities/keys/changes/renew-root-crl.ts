import { randomBytes, X509Certificate } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isListed, readRootCrl } from '../../../domain/pki/revocation/root-crl.ts';
import { signRootCrl } from '../../../domain/pki/revocation/sign-root-crl.ts';
import type { IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { rootCrlFile, type KeyPlace } from '../directory/key-files.ts';
import { loadRootSigner } from '../directory/load-keys.ts';
import { revokedCas } from '../directory/load-retired.ts';
import { finishKeyChange, writeFlushed } from './change-keys.ts';

const renewalMs = 30 * 24 * 3600_000;

/**
 * Signs a new root CRL when the one in the directory is a month old, missing, invalid, or lacks a
 * revoked CA. Needs the root's key, but no lock: if it overwrites the CRL of a concurrent key
 * change, the check finds the missing CA and signs again.
 * @returns whether a CRL was signed
 * @throws KeyDirectoryError
 */
export async function renewRootCrl(place: KeyPlace, now: Date): Promise<boolean> {
  const root = loadRootSigner(place);
  await finishKeyChange(place.directory);
  let isRenewed = false;
  while (!isGood(place, root, now)) {
    const aside = join(place.directory, `${rootCrlFile}.${randomBytes(6).toString('hex')}.tmp`);
    const path = join(place.directory, rootCrlFile);
    const before = existsSync(path) ? readFileSync(path) : null;
    await writeFlushed(aside, await signRootCrl(root, now, revokedCas(place), before));
    await rename(aside, path);
    isRenewed = true;
  }
  return isRenewed;
}

/** Reports whether the CRL in the directory is recent, signed by the root, and complete. */
function isGood(place: KeyPlace, root: IssuingSigner, now: Date): boolean {
  const [certificate] = root.certificateChain;
  if (!certificate) throw new TypeError('the root has no certificate');
  const path = join(place.directory, rootCrlFile);
  if (!existsSync(path)) return false;
  const crl = readFileSync(path);
  const last = readRootCrl(crl, new X509Certificate(certificate));
  if (!last || now.getTime() - last.thisUpdate.getTime() >= renewalMs) return false;
  return revokedCas(place).every(({ serial }) => isListed(crl, { serialNumber: serial }));
}
