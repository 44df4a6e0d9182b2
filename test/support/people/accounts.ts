import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { hashApiKey } from '../../../api/http/auth/credentials/api-key.ts';
import { newApiKey, seed, type Seed } from '../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../db/ids.ts';
import { addApiKey } from '../../../db/queries/seeding.ts';
import { openTestDb } from '../platform/harness.ts';
import { ownPlatform } from '../platform/own-platform.ts';

/** Creates an account with an app of that name, for tests that count over a whole account. */
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

/** Creates an account in test mode, with a key for it. */
export async function newTrialAccount(
  appId: string,
): Promise<Seed & { readonly test_key: string }> {
  const account = await newAccount(appId);
  const db = openTestDb(ownPlatform().databaseUrl);
  const { id, key: test_key } = newApiKey('test');
  const now = new Date();
  try {
    await db.query('UPDATE apps SET livemode = false WHERE app_id = $1', [account.app_id]);
    await addApiKey(db, [id, account.account_id, 't', hashApiKey(test_key), ['ADMIN'], false, now]);
    return { ...account, test_key };
  } finally {
    await db.end();
  }
}
