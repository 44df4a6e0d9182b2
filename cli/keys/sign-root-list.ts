import { changeKeys, finishKeyChange } from '../../activities/keys/changes/change-keys.ts';
import { KeyDirectoryError, rootCrlFile } from '../../activities/keys/directory/key-files.ts';
import { loadKeys, loadRootSigner } from '../../activities/keys/directory/load-keys.ts';
import { revokedCas } from '../../activities/keys/directory/load-retired.ts';
import { transaction, type Db } from '../../db/client.ts';
import { lockCrl } from '../../db/queries/crls.ts';
import { readRootCrl } from '../../domain/pki/revocation/root-crl.ts';
import { signRootCrl } from '../../domain/pki/revocation/sign-root-crl.ts';
import { AdminFault } from '../admin/admin.ts';
import { localPlace } from '../data-directory/keys.ts';

/**
 * Signs the root's CRL again; needs the root's key. It is valid for 180 days. Without a valid one,
 * no affidavit can be archived. Concurrent changes of keys wait.
 * @returns the end of its validity, ISO 8601
 * @throws AdminFault
 */
export async function signRootList(db: Db, dataDir: string, now: Date): Promise<string> {
  const place = localPlace(dataDir);
  try {
    return await transaction(db, async (holding) => {
      const { root } = loadKeys(place);
      await lockCrl(holding, root.kid);
      await finishKeyChange(place.directory);
      const list = await signRootCrl(loadRootSigner(place), now, revokedCas(place), root.crl);
      const read = readRootCrl(list, root.certificate);
      if (!read) throw new AdminFault('root.key.pem is not the key of root.cer.pem');
      await changeKeys(place.directory, new Map([[rootCrlFile, list]]));
      return read.nextUpdate.toISOString();
    });
  } catch (error) {
    if (!(error instanceof KeyDirectoryError)) throw error;
    throw new AdminFault(error.message, { cause: error });
  }
}
