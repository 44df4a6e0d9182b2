import { Client, Connection } from '@temporalio/client';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createDataConverter } from '../../../activities/runtime/codec/data-converter.ts';
import { masterRing } from '../../../db/sealing/key-ring.ts';
import { ownPlatform } from './own-platform.ts';

/**
 * Connects to the platform's Temporal server, with the data converter of the platform's processes.
 * The caller closes the connection.
 */
export async function connectClient(): Promise<Client> {
  const { dataDir, temporalAddress } = ownPlatform();
  const secret = loadKeys(`${dataDir}/keys`).secret('temporal-codec');
  return new Client({
    connection: await Connection.connect({ address: temporalAddress }),
    dataConverter: createDataConverter({
      ring: masterRing(secret),
      namespace: 'default',
      failClosed: false,
    }),
  });
}
