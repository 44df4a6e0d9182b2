import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment } from './environment.ts';

/** Where the local platform keeps its state: DATA_DIR, else `.data` beside package.json. */
export function dataDirectory(): string {
  const given = environment()['DATA_DIR'];
  return given ? resolve(given) : fileURLToPath(new URL('../.data', import.meta.url));
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
  'seed.json',
  'status.json',
  'temporal.db',
  'temporal.db-shm',
  'temporal.db-wal',
];
