import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentUrls } from '../../cli/data-directory/database-urls.ts';
import { compiledDirectory } from '../../cli/platform/cache.ts';
import { createDatabase } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { databaseUrl, dataDir, baseUrl } = ownPlatform();
const entry = new URL('../../workers/main.ts', import.meta.url).pathname;
let database: Awaited<ReturnType<typeof createDatabase>>;

beforeAll(async () => {
  database = await createDatabase(databaseUrl);
});
afterAll(() => database.drop());

/** Runs a worker process until it exits; its workflow server is unavailable. */
function run(url: string): Promise<{ code: number; said: string }> {
  const env = {
    PROFILE: 'development',
    BASE_URL: baseUrl,
    DATA_DIR: dataDir,
    DATABASE_URL: developmentUrls(url).worker,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    NODE_COMPILE_CACHE: compiledDirectory(),
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [entry], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), said: `${stdout}${stderr}` });
    });
  });
}

describe('a worker', () => {
  it('proceeds to the workflow server when the database is of its build', async () => {
    const { code, said } = await run(database.url);
    expect([code, said]).toEqual([1, expect.not.stringContaining('migrat')]);
    expect(said).toContain('127.0.0.1:1');
  });

  it('refuses a database that lacks migrations, in one line', async () => {
    const bare = await createDatabase(databaseUrl);
    await bare.db.query('DELETE FROM drizzle.__drizzle_migrations');
    const { code, said } = await run(bare.url);
    expect(code).toBe(1);
    expect(said).toMatch(/^the database lacks migrations \(\d+\): run "trustcheck migrate" .+\n$/);
    await bare.drop();
  });

  it('refuses a database that a newer build has migrated, in one line', async () => {
    await database.db.query(
      "INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('x', 4102444800000)",
    );
    const { code, said } = await run(database.url);
    expect(code).toBe(1);
    expect(said).toMatch(/^a newer build has migrated the database: .+; start that build\n$/);
  });
});
