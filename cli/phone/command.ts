import { devicePlatforms, type DevicePlatform } from '../../db/names.ts';
import { phoneBundle } from './bundle.ts';
import { failures, phoneCheck, type PhoneFailure } from './check.ts';
import { CallFailed, createClient } from './client.ts';
import { readDevTrust } from './dev-trust.ts';
import { createDevice, type Device } from './device.ts';
import { enroll } from './enroll.ts';
import { keepDevice, readDevice } from './saved.ts';

export interface CheckCommand {
  readonly number: string;
  readonly platform: string;
  readonly fail?: string;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): number => {
  process.stderr.write(`${line}\n`);
  return 2;
};

/** `trustcheck phone check`: 0 when the check passed, 1 when it ended otherwise, 2 for wrong use. */
export async function checkFromCommand(
  link: string,
  options: CheckCommand,
  dataDir: string,
): Promise<number> {
  if (!URL.canParse(link)) return complain('the link is not an address');
  const fail = failures.find((known) => known === options.fail);
  if (options.fail !== undefined && !fail) {
    return complain(`--fail: one of ${failures.join(', ')}`);
  }
  const platform = platformOf(options.platform);
  if (!platform) return complain(`--platform: one of ${devicePlatforms.join(', ')}`);
  const device = await takePhone(dataDir, platform, fail);
  try {
    const session = await phoneCheck({
      link,
      number: options.number,
      trust: await readDevTrust(dataDir),
      device,
      fail,
      say,
      keep: (phone) => (fail === 'emulator' ? Promise.resolve() : keepDevice(dataDir, phone)),
    });
    for (const proof of session.proofs) {
      if (proof.reason_code) say(`${proof.type}: ${proof.reason_code}`);
    }
    say(`${session.status}${session.reason_code ? ` (${session.reason_code})` : ''}`);
    return session.status === 'passed' ? 0 : 1;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    say(`refused: ${error.code}${error.reasonCode ? ` (${error.reasonCode})` : ''}`);
    return 1;
  }
}

export interface EnrollCommand {
  readonly url: string;
  readonly app: string;
  readonly platform: string;
  readonly token?: string;
}

/** `trustcheck phone enroll`: keeps the phone for later checks; 0 when it is enrolled. */
export async function enrollFromCommand(options: EnrollCommand, dataDir: string): Promise<number> {
  const platform = platformOf(options.platform);
  if (!platform) return complain(`--platform: one of ${devicePlatforms.join(', ')}`);
  if (!URL.canParse(options.url)) return complain('the platform’s base URL is not an address');
  const trust = await readDevTrust(dataDir);
  const device = createDevice({ platform, trust, now: () => new Date() });
  try {
    await enroll(createClient(options.url), device, options.app, options.token);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    say(`refused: ${error.code}${error.reasonCode ? ` (${error.reasonCode})` : ''}`);
    return 1;
  }
  await keepDevice(dataDir, device);
  const { deviceId = '', polyUserId = '' } = device.enrolled ?? {};
  say(`${deviceId} of ${polyUserId}`);
  return 0;
}

export interface LoginCommand extends EnrollCommand {
  readonly account?: string;
}

/**
 * `trustcheck phone login`: signs in by the phone's certified key, enrolling the phone first when it
 * is new, and prints the session token and nothing else; 1 when it is refused.
 */
export async function loginFromCommand(options: LoginCommand, dataDir: string): Promise<number> {
  const platform = platformOf(options.platform);
  if (!platform) return complain(`--platform: one of ${devicePlatforms.join(', ')}`);
  if (!URL.canParse(options.url)) return complain('the platform’s base URL is not an address');
  const account = options.account === undefined ? undefined : Number(options.account);
  if (account !== undefined && !Number.isSafeInteger(account)) {
    return complain('--account: the number of an account');
  }
  const baseUrl = options.url.replace(/\/+$/, '');
  const call = createClient(baseUrl);
  const device = await takePhone(dataDir, platform, undefined);
  try {
    await enroll(call, device, options.app, options.token);
    await keepDevice(dataDir, device);
    const { challenge } = await call<{ challenge: string }>('POST', '/v2/devices/challenge');
    const rawJwt = await phoneBundle(device, { baseUrl, now: new Date(), nonce: challenge });
    const session = await call<{ session_token: string }>('POST', '/portal_login', {
      body: { raw_jwt: rawJwt, ...(account === undefined ? {} : { account_id: account }) },
    });
    say(session.session_token);
    return 0;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    complain(`refused: ${error.code}`);
    return 1;
  }
}

/** The phone of earlier runs; an emulator is a new one each time, and is kept by nobody. */
async function takePhone(
  dataDir: string,
  platform: DevicePlatform,
  fail: PhoneFailure | undefined,
): Promise<Device> {
  const trust = await readDevTrust(dataDir);
  const isEmulator = fail === 'emulator';
  const saved = isEmulator ? undefined : await readDevice(dataDir, platform);
  return createDevice({ platform, trust, now: () => new Date(), isEmulator, saved });
}

function platformOf(name: string): DevicePlatform | undefined {
  return devicePlatforms.find((known) => known === name);
}
