import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { kept, removeDrafts } from '../data-directory/data-directory.ts';
import { refuseDirectory } from '../data-directory/directory-fault.ts';
import { environment } from '../environment.ts';
import { endLeft } from '../platform/platform-processes.ts';
import { lockOf, takeLock } from '../platform/lock.ts';

/**
 * Deletes all data of the local platform, and ends processes left by a killed start. Refuses while
 * the platform runs.
 */
export async function reset(dataDir: string): Promise<number> {
  await refuseDirectory(dataDir);
  const lock = await takeLock(lockOf(dataDir), 'reset');
  if ('pid' in lock) {
    const fault =
      lock.work === 'start'
        ? `the platform runs as process ${lock.pid}; stop it first: npm run stop`
        : `process ${lock.pid} runs trustcheck ${lock.work} here; try again once it has ended`;
    process.stderr.write(`${fault}\n`);
    return 1;
  }
  try {
    await endLeft(dataDir);
    for (const name of kept) await rm(join(dataDir, name), { recursive: true, force: true });
    await removeDrafts(dataDir);
  } finally {
    lock.release();
  }
  // Keeps the directory if it contains other files.
  await rmdir(dataDir).catch(() => undefined);
  process.stdout.write('forgotten\n');
  for (const name of ['DATABASE_ADMIN_URL', 'TEMPORAL_ADDRESS', 'S3_ENDPOINT']) {
    if (environment()[name]) process.stdout.write(`what ${name} names is left as it is\n`);
  }
  return 0;
}
