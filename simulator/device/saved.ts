import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DevicePlatform } from '../../domain/names.ts';
import type { Device, SavedDevice } from './device.ts';

const placeOf = (dataDir: string, platform: DevicePlatform): string =>
  join(dataDir, 'phones', `${platform}.json`);

/**
 * Returns the phone of an earlier run, or undefined.
 * @throws a one-line error if its file is damaged
 */
export async function readDevice(
  dataDir: string,
  platform: DevicePlatform,
): Promise<SavedDevice | undefined> {
  const path = placeOf(dataDir, platform);
  const text = await readFile(path, 'utf8').catch(() => null);
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} is not JSON: remove it, or run npx trustcheck phone enroll`, {
      cause,
    });
  }
}

/** Saves a phone's keys and counter atomically. */
export async function keepDevice(dataDir: string, device: Device): Promise<void> {
  await mkdir(join(dataDir, 'phones'), { recursive: true, mode: 0o700 });
  const path = placeOf(dataDir, device.platform);
  // Several phones may run concurrently.
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, JSON.stringify(device.save()), { mode: 0o600 });
  await rename(draft, path);
}
