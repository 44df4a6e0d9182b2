import { sealLoginEmail } from '../../activities/identity/email/answer.ts';
import { createWrapper, masterKeyConfig } from '../../activities/keys/data-keys-config.ts';
import { parseConfig } from '../../activities/runtime/config.ts';
import type { Db } from '../../db/client.ts';
import { migrate } from '../../db/migrating/migrate.ts';
import type { InvitedAddress } from '../../db/queries/invited-addresses.ts';
import { createSealer, type Sealer } from '../../db/sealing/sealed.ts';
import type { Address } from '../../domain/identity/email-address.ts';
import { printable } from '../command-line/printable.ts';
import { loadLocalKeys } from '../data-directory/keys.ts';
import { readState } from '../data-directory/state.ts';
import { environment } from '../environment.ts';
import { AdminFault, WrongWord } from './admin.ts';
import { withDatabase } from './with-database.ts';

/**
 * Runs one action on the database, which is already migrated, and prints only its result, for
 * scripts. Exit codes: 0 done, 1 with a one-line reason, 2 for an invalid argument.
 */
export function administer(
  dataDir: string,
  work: (db: Db, now: Date) => Promise<number | string>,
): Promise<number> {
  return withDatabase(dataDir, async (db, url) => {
    await migrate(url);
    try {
      process.stdout.write(`${await work(db, new Date())}\n`);
      return 0;
    } catch (error) {
      if (!(error instanceof AdminFault)) throw error;
      process.stderr.write(`${printable(error.message)}\n`);
      return error instanceof WrongWord ? 2 : 1;
    }
  });
}

/**
 * Returns a function that seals an address and computes its digest with the keys of the platform.
 */
export function sealEmail(dataDir: string, db: Db): (address: Address) => Promise<InvitedAddress> {
  return async (address) => sealLoginEmail(localSealer(dataDir, db), address);
}

/** Returns a sealer with the keys of the platform. */
export function localSealer(dataDir: string, db: Db): Sealer {
  const keys = loadLocalKeys(dataDir);
  const config = parseConfig(masterKeyConfig, environment());
  const wrapper = createWrapper(config, keys.secret('data-keys'));
  return createSealer(db, wrapper, keys.secret('blind-index'));
}

/**
 * Returns the public URL: `BASE_URL`, else that of the platform started here.
 * @throws a one-line error if there is none
 */
export async function publicAddress(dataDir: string): Promise<string> {
  const url = environment()['BASE_URL'] || (await readState(dataDir, 'status'))?.base_url;
  if (!url || !URL.canParse(url)) throw new Error('set BASE_URL to the public address');
  return url.replace(/\/+$/, '');
}
