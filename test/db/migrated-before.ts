import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';

/** Makes an empty database what a build had that lacked a migration and all that came after it. */
export async function migrateBefore(url: string, tag: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trustcheck-migrations-'));
  const client = new pg.Client({ connectionString: url });
  try {
    cpSync(fileURLToPath(new URL('../../db/migrations', import.meta.url)), folder, {
      recursive: true,
    });
    const path = join(folder, 'meta', '_journal.json');
    const journal = JSON.parse(readFileSync(path, 'utf8')) as { entries: { tag: string }[] };
    const entries = journal.entries.filter((entry) => entry.tag < tag);
    writeFileSync(path, JSON.stringify({ ...journal, entries }));
    await client.connect();
    await migrate(drizzle(client), { migrationsFolder: folder });
    // A column that later migrations remove: the helpers that fill tables do not write it.
    await client.query(`ALTER TABLE links ALTER COLUMN metadata SET DEFAULT '{}'`);
  } finally {
    await client.end();
    rmSync(folder, { recursive: true });
  }
}
