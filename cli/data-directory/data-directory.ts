import { existsSync, realpathSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment } from '../environment.ts';

/**
 * Returns the data directory of the local platform: DATA_DIR, else `.data` beside package.json.
 * Symbolic links are resolved, because processes of the platform are found by this path in their
 * command lines.
 */
export function dataDirectory(): string {
  const given = environment()['DATA_DIR'];
  return realPath(given ? resolve(given) : fileURLToPath(new URL('../../.data', import.meta.url)));
}

/** Resolves symbolic links in the existing part of a path. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}

/**
 * Returns the directory in DATA_DIR, for commands that write files of a production platform.
 * @throws a one-line error if DATA_DIR is not set
 */
export function namedDataDirectory(): string {
  if (!environment()['DATA_DIR'])
    throw new Error('set DATA_DIR to the data directory of the service');
  return dataDirectory();
}

/** Files of the platform. Nothing else is removed or closed, whatever DATA_DIR is. */
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

/**
 * Temporary files of keys, phone makers and states. They may contain private keys, and no other
 * code removes them.
 */
const draft = /^(?:keys\.[0-9a-f]{12}|dev-trust\.\d+|(?:ports|seed|status)\.json)\.tmp$/;

/**
 * Removes half-written files of a killed start. The caller holds the lock, so no other process
 * writes there.
 */
export async function removeDrafts(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch(() => []);
  for (const name of names.filter((each) => draft.test(each))) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
