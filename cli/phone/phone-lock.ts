import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { devicePlatforms } from '../../domain/names.ts';
import { makeDirectory } from '../platform/cache.ts';
import { lockOf, withLock } from '../platform/lock.ts';

/** Returns the name of the lock of the saved phone of a platform. */
export const phoneLock = (dataDir: string, platform: string): string =>
  join(lockOf(dataDir), 'phones', platform);

/**
 * Runs work while no other process uses the saved phone of a platform. A phone does one thing at a
 * time: concurrent runs would send its signatures out of order.
 * @param platform as given; `work` itself rejects an unknown one
 */
export async function withPhoneLock<T>(
  { dataDir, platform, say }: { dataDir: string; platform: string; say: (line: string) => void },
  work: () => Promise<T>,
): Promise<T> {
  const known = devicePlatforms.find((name) => name === platform);
  if (!known) return work();
  makeDirectory(dataDir);
  await mkdir(join(dataDir, 'phones'), { recursive: true, mode: 0o700 });
  const onWait = (pid: number): void => say(`this phone is in use by process ${pid}: waiting`);
  return withLock(phoneLock(dataDir, known), onWait, work);
}
