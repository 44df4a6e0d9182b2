import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { kept, removeDrafts } from '../data-directory/data-directory.ts';
import { refuseDirectory } from '../data-directory/directory-fault.ts';
import { lockFile } from '../data-directory/state.ts';
import { environment } from '../environment.ts';
import { AlreadyRunning, endChildren, openLedger, workWords } from '../platform/ledger.ts';
import { clearDrafts } from '../platform/postgres-drafts.ts';
import { clusterOf } from '../platform/postgres-place.ts';
import { passwordFile, removeCluster } from '../platform/postgres-roots-place.ts';
import { reasonOf } from '../platform/reason.ts';
import { findStrays } from '../platform/strays.ts';

/**
 * Forgets everything the local platform has kept, and ends what a killed start has left running.
 * Refused while it runs.
 */
export async function reset(dataDir: string): Promise<number> {
  await refuseDirectory(dataDir);
  const ledger = await openLedger(lockFile(dataDir), 'reset').catch((error: unknown) => {
    if (error instanceof AlreadyRunning) return error;
    throw new Error(`cannot write to ${dataDir} (${reasonOf(error)})`, { cause: error });
  });
  if (ledger instanceof AlreadyRunning) {
    const fault =
      ledger.work === 'start'
        ? `the platform runs as process ${ledger.pid}; stop it first: npm run stop`
        : `process ${ledger.pid} ${workWords(ledger)}; try again once it has ended`;
    process.stderr.write(`${fault}\n`);
    return 1;
  }
  try {
    await endChildren(await findStrays(dataDir));
    const cluster = join(dataDir, 'postgres');
    await removeCluster(await clusterOf(cluster).catch(() => cluster));
    await clearDrafts(cluster);
    const paths = [...kept.map((name) => join(dataDir, name)), passwordFile(cluster)];
    for (const path of paths) await rm(path, { recursive: true, force: true });
    await removeDrafts(dataDir);
  } finally {
    await ledger.close();
  }
  // It stays when somebody has put something else into it.
  await rmdir(dataDir).catch(() => undefined);
  process.stdout.write('forgotten\n');
  for (const name of ['DATABASE_ADMIN_URL', 'TEMPORAL_ADDRESS', 'S3_ENDPOINT']) {
    if (environment()[name]) process.stdout.write(`what ${name} names is left as it is\n`);
  }
  return 0;
}
