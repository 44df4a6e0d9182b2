import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { devicePlatforms } from '../../domain/names.ts';
import { AlreadyRunning, openLedger, type Ledger } from '../platform/ledger.ts';
import { makeDirectory } from '../platform/make-directory.ts';

const askAgainMs = 100;

/**
 * Runs work while nobody else uses the phone that is kept for a platform: a phone does one thing at
 * a time, and what two runs of it sign at once would come out of order. Says once that it waits.
 * @param platform as it was given; of what is none the work itself complains
 */
export async function holdPhone<T>(
  { dataDir, platform, say }: { dataDir: string; platform: string; say: (line: string) => void },
  work: () => Promise<T>,
): Promise<T> {
  const known = devicePlatforms.find((name) => name === platform);
  if (!known) return work();
  const folder = join(dataDir, 'phones');
  makeDirectory(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const ledger = await whenFree(join(folder, `${known}.lock`), say);
  try {
    return await work();
  } finally {
    await ledger.close();
  }
}

async function whenFree(path: string, say: (line: string) => void): Promise<Ledger> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await openLedger(path, 'check');
    } catch (error) {
      if (!(error instanceof AlreadyRunning)) throw error;
      if (!isTold) say(`this phone is in use by process ${error.pid}: waiting`);
    }
    await wait(askAgainMs);
  }
}
