import { checkWritable, finishKeyChange } from '../../activities/keys/changes/change-keys.ts';
import { CustodyError } from '../../activities/keys/custody/custody-error.ts';
import { KeyDirectoryError, type KeyPlace } from '../../activities/keys/directory/key-files.ts';
import { loadKeys, type PlatformKeys } from '../../activities/keys/directory/load-keys.ts';
import { transaction, type Db } from '../../db/client.ts';
import { lockCrl } from '../../db/queries/crls.ts';
import { Failure } from '../../workflows/failures.ts';
import { AdminFault } from '../admin/admin.ts';
import { localPlace } from '../data-directory/keys.ts';

/**
 * Makes one change of the key directory, after completing an interrupted one. Two changes are
 * serialized by the row of the root's CRL.
 * @throws AdminFault if the key files, or a key in a KMS or token, are unusable
 */
export async function withKeyDirectory<T>(
  db: Db,
  dataDir: string,
  work: (place: KeyPlace, keys: PlatformKeys) => Promise<T>,
): Promise<T> {
  const place = localPlace(dataDir);
  try {
    await checkWritable(place.directory);
    return await transaction(db, async (holding) => {
      await lockCrl(holding, loadKeys(place).root.kid);
      await finishKeyChange(place.directory);
      return work(place, loadKeys(place));
    });
  } catch (error) {
    const { cause } = Object(error);
    const isHeld = error instanceof Failure && cause instanceof CustodyError;
    if (!(error instanceof KeyDirectoryError) && !isHeld) throw error;
    throw new AdminFault(isHeld ? cause.message : error.message, { cause: error });
  }
}
