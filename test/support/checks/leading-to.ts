import { afterAll, beforeAll } from 'vitest';
import { openTestDb } from '../platform/harness.ts';
import { ownPlatform } from '../platform/own-platform.ts';

/** Adds allowed origins to the app of this process during the tests of a file. */
export function leadingTo(...origins: readonly string[]): void {
  const { own, databaseUrl } = ownPlatform();
  const change = async (verb: 'append' | 'remove'): Promise<void> => {
    const db = openTestDb(databaseUrl);
    for (const origin of origins) {
      await db.query(
        `UPDATE apps SET allowed_origins = array_${verb}(allowed_origins, $2) WHERE app_id = $1`,
        [own.app_id, origin],
      );
    }
    await db.end();
  };
  beforeAll(() => change('append'));
  afterAll(() => change('remove'));
}
