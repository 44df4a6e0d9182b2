import { devicePlatforms, type DevicePlatform } from '../../domain/names.ts';
import { createDevice, type Device, type SavedDevice } from '../../simulator/device/device.ts';
import { readDevice } from '../../simulator/device/saved.ts';
import { isOfPhone, type PhoneFailure } from '../../simulator/failures/failures.ts';
import { readDevTrust } from '../../simulator/roots/dev-trust.ts';
import { CallFailed } from '../../simulator/session/client.ts';
import { printable } from '../command-line/printable.ts';
import { readState } from '../data-directory/state.ts';

const answerMsMax = 5_000;
export const newPhone = 'enroll a new one: npx trustcheck phone enroll';
export const say = (line: string): void => void process.stdout.write(`${line}\n`);
export const complain = (line: string, code = 2): number => {
  process.stderr.write(`${printable(line)}\n`);
  return code;
};
/** Ends the command after a refused call. Rethrows other errors. */
export const refused = (error: unknown, more = ''): number => {
  if (!(error instanceof CallFailed)) throw error;
  return complain(`refused: ${error.message}${more && `; ${more}`}`, 1);
};

interface Place {
  readonly url: string;
  readonly app: string;
}

/** Returns the platform and the app of a command: the given ones, or those started here. */
export async function placeOf(
  { url, app }: Partial<Place>,
  dataDir: string,
): Promise<Place | { readonly fault: string }> {
  const here = await readState(dataDir, 'status');
  const place = { url: url ?? here?.base_url ?? '', app: app ?? here?.app_id ?? '' };
  if (place.url === '') return { fault: 'no platform is known here: run npm start, or give --url' };
  if (!isWebAddress(place.url)) return { fault: `--url ${place.url}: not an address` };
  if (place.app === '') return { fault: 'no app is known here: run npm start, or give --app' };
  return place;
}

/**
 * Returns the phone of earlier runs. A phone with an intentional failure is always new and not
 * saved.
 */
export async function takePhone(
  dataDir: string,
  platform: DevicePlatform,
  fail: PhoneFailure | undefined,
): Promise<{ device: Device; isKept: boolean }> {
  const trust = await readDevTrust(dataDir);
  const saved = isOfPhone(fail) ? undefined : await readDevice(dataDir, platform);
  const device = createDevice({ platform, trust, now: () => new Date(), fail, saved });
  return { device, isKept: device.enrolled !== null };
}

export async function makerOf(dataDir: string, platform: DevicePlatform): Promise<() => Device> {
  const trust = await readDevTrust(dataDir);
  return () => createDevice({ platform, trust, now: () => new Date() });
}

/**
 * Checks once at the start that the platform responds. Later calls retry, because it may restart.
 */
export async function answers(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(answerMsMax);
  const answer = await fetch(new URL('/livez', url), { signal, redirect: 'manual' }).catch(
    () => null,
  );
  await answer?.body?.cancel();
  return answer !== null;
}

export const nobodyAt = (url: string): string =>
  `no answer from ${new URL(url).origin}; see: npm run status`;

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

export const replaced = ({ deviceId, polyUserId }: SavedDevice): string =>
  `it takes the place of ${deviceId} of ${polyUserId}, which was kept here`;

export const wrongPlatform = `--platform: one of ${devicePlatforms.join(', ')}`;

export function platformOf(name: string): DevicePlatform | undefined {
  return devicePlatforms.find((known) => known === name);
}
