import { existsSync, realpathSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment } from '../environment.ts';

/**
 * Where the local platform keeps its state: DATA_DIR, else `.data` beside package.json. Links are
 * resolved, because processes of the platform are found by this path in their command lines.
 */
export function dataDirectory(): string {
  const given = environment()['DATA_DIR'];
  return realPath(given ? resolve(given) : fileURLToPath(new URL('../../.data', import.meta.url)));
}

/** The path without links, as far as it exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}

/**
 * The directory that DATA_DIR names, for commands that write what a production platform keeps.
 * @throws one line when DATA_DIR is not set
 */
export function namedDataDirectory(): string {
  if (!environment()['DATA_DIR'])
    throw new Error('set DATA_DIR to the data directory of the service');
  return dataDirectory();
}

/** What the platform keeps there: nothing else is removed or closed, whatever DATA_DIR names. */
export const kept = [
  'affidavits',
  'dev-trust',
  'keys',
  'logs',
  'objects',
  'phones',
  'ports.json',
  'postgres',
  'postgres.new',
  'seed.json',
  'status.json',
  'temporal.db',
  'temporal.db-shm',
  'temporal.db-wal',
];

/** Keys, makers and states are written aside first, private keys too: nobody else removes them. */
const draft = /^(?:keys\.[0-9a-f]{12}|dev-trust\.\d+|(?:ports|seed|status)\.json)\.tmp$/;

/**
 * Removes what a start that was killed has left half written. Called by whoever holds the lock, so
 * that nobody else writes there.
 */
export async function removeDrafts(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch(() => []);
  for (const name of names.filter((each) => draft.test(each))) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
