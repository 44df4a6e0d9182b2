import type { Db } from '../../../db/client.ts';
import { createSealer, type Sealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import { platformKeys } from './bundles.ts';

/** Seals and opens stored data with the keys of the test platform. */
export function ownSealer(db: Db): Sealer {
  const keys = platformKeys();
  return createSealer(db, masterWrapper(keys.secret('data-keys')), keys.secret('blind-index'));
}
