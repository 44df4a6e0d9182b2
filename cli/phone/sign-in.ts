import { phoneBundle } from '../../simulator/device/bundle.ts';
import type { Device } from '../../simulator/device/device.ts';
import { keepDevice, readDevice } from '../../simulator/device/saved.ts';
import { CallFailed, createClient, type Call } from '../../simulator/session/client.ts';
import { enroll } from '../../simulator/session/enroll.ts';
import type { EnrollCommand } from './check.ts';
import {
  answers,
  complain,
  makerOf,
  newPhone,
  nobodyAt,
  placeOf,
  platformOf,
  refused,
  replaced,
  say,
  takePhone,
  wrongPlatform,
} from './command-parts.ts';

export interface LoginCommand extends EnrollCommand {
  readonly account?: string;
}

/**
 * Runs `trustcheck phone login`: signs in with the phone's certified key, enrolls a new phone
 * first, and prints only the session token. Exit code 1 if it is refused. To join an existing
 * session it always creates a new phone, because the saved one already belongs to a person.
 */
export async function loginFromCommand(options: LoginCommand, dataDir: string): Promise<number> {
  const platform = platformOf(options.platform);
  if (!platform) return complain(wrongPlatform);
  const account = options.account === undefined ? undefined : Number(options.account);
  if (account !== undefined && !Number.isSafeInteger(account)) {
    return complain('--account: must be the number of an account');
  }
  const place = await placeOf(options, dataDir);
  if ('fault' in place) return complain(place.fault);
  const baseUrl = place.url.replace(/\/+$/, '');
  const isNew = options.token !== undefined;
  const before = isNew ? await readDevice(dataDir, platform).catch(() => undefined) : undefined;
  const { device, isKept } = isNew
    ? { device: (await makerOf(dataDir, platform))(), isKept: false }
    : await takePhone(dataDir, platform, undefined);
  if (!(await answers(baseUrl))) return complain(nobodyAt(baseUrl), 1);
  const call = createClient(baseUrl);
  try {
    await enroll(call, device, place.app, options.token);
    await keepDevice(dataDir, device);
    if (before?.deviceId) process.stderr.write(`${replaced(before)}\n`);
    const rawJwt = await freshBundle(call, device, baseUrl);
    const session = await call<{ session_token: string }>('POST', '/portal_login', {
      body: { raw_jwt: rawJwt, ...(account === undefined ? {} : { account_id: account }) },
    });
    say(session.session_token);
    return 0;
  } catch (error) {
    if (isNew && error instanceof CallFailed) return refused(error, wayAfterToken(error.code));
    const forgotten = unknownPhone(baseUrl);
    const isAccount = account !== undefined;
    const ways = isAccount
      ? `it may have no part in account ${account}, or ${forgotten}`
      : forgotten;
    return refused(error, isKept ? ways : '');
  }
}

/** Returns the remedy after the session of `--token` was refused; empty if the code is clear. */
function wayAfterToken(code: string): string {
  if (code === 'step_up_required') {
    return (
      'or sign in by the phone that this person has (npx trustcheck phone login without --token) ' +
      'and give that session as --token within 15 minutes'
    );
  }
  if (!code.startsWith('credential_')) return '';
  return (
    '--token must be an open session: npm run -s status -- --secrets --json prints those of the ' +
    'platform started here, and npm start renews them'
  );
}

export type BundleCommand = Omit<EnrollCommand, 'token'>;

/**
 * Runs `trustcheck phone bundle`: signs a verification bundle for the platform, enrolls a new phone
 * first, and prints only the bundle. Exit code 1 if it is refused.
 */
export async function bundleFromCommand(options: BundleCommand, dataDir: string): Promise<number> {
  const platform = platformOf(options.platform);
  if (!platform) return complain(wrongPlatform);
  const place = await placeOf(options, dataDir);
  if ('fault' in place) return complain(place.fault);
  const baseUrl = place.url.replace(/\/+$/, '');
  const { device, isKept } = await takePhone(dataDir, platform, undefined);
  if (!(await answers(baseUrl))) return complain(nobodyAt(baseUrl), 1);
  const call = createClient(baseUrl);
  try {
    await enroll(call, device, place.app);
    await keepDevice(dataDir, device);
    say(await freshBundle(call, device, baseUrl));
    return 0;
  } catch (error) {
    return refused(error, isKept ? unknownPhone(baseUrl) : '');
  }
}

async function freshBundle(call: Call, device: Device, baseUrl: string): Promise<string> {
  const { challenge } = await call<{ challenge: string }>('POST', '/v2/devices/challenge');
  return phoneBundle(device, { baseUrl, now: new Date(), nonce: challenge });
}

const unknownPhone = (baseUrl: string): string =>
  `the phone kept here may be unknown to ${baseUrl}; ${newPhone}`;
