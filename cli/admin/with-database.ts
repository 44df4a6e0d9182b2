import { openDb, type Db } from '../../db/client.ts';
import { readState } from '../data-directory/state.ts';
import { environment } from '../environment.ts';

/**
 * Runs work on the database of `MIGRATIONS_DATABASE_URL`, else on that of the platform started
 * here, as its owner.
 * @throws a one-line error if neither is known
 */
export async function withDatabase<T>(
  dataDir: string,
  work: (db: Db, url: string) => Promise<T>,
): Promise<T> {
  const here = await readState(dataDir, 'status');
  const url = environment()['MIGRATIONS_DATABASE_URL'] || here?.database_url;
  if (!url)
    throw new Error('no database is known here: set MIGRATIONS_DATABASE_URL, or run npm start');
  const options = { url, connectionsMax: 2, applicationName: 'trustcheck-cli' };
  // A query on a broken connection fails and reports the error itself.
  const db = openDb({ ...options, queryTimeoutMs: 60_000 }, () => undefined);
  try {
    return await work(db, url);
  } finally {
    await db.end();
  }
}
