import { loadKeys } from '../activities/certificates/load-keys.ts';
import { seed, type Seed } from '../cli/seed.ts';
import { randomIds } from '../db/ids.ts';
import { openTestDb } from './harness.ts';
import { ownPlatform } from './own-platform.ts';

/** An account of its own, with an app of that name: for what is counted over a whole account. */
export async function newAccount(appId: string): Promise<Seed> {
  const { baseUrl, databaseUrl, dataDir } = ownPlatform();
  const db = openTestDb(databaseUrl);
  const keys = loadKeys(`${dataDir}/keys`);
  try {
    return await seed({ db, keys, ids: randomIds, baseUrl }, appId, new Date());
  } finally {
    await db.end();
  }
}
