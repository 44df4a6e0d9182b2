import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterForRoot } from './platform/postgres.ts';
import { runningStart } from './state.ts';

/** Forgets everything the local platform has kept. Refused while it runs. */
export async function reset(dataDir: string): Promise<number> {
  const pid = await runningStart(dataDir);
  if (pid !== null) {
    process.stderr.write(`the platform runs as process ${pid}; stop it first\n`);
    return 1;
  }
  await rm(clusterForRoot(join(dataDir, 'postgres')), { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
  process.stdout.write('forgotten\n');
  return 0;
}
