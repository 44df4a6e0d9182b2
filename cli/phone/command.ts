import { isE164 } from '../../activities/phone/phone-number.ts';
import { devicePlatforms, type DevicePlatform } from '../../db/names.ts';
import { printable } from '../printable.ts';
import { readState } from '../state.ts';
import { phoneBundle } from './bundle.ts';
import { NothingToSpoil, phoneCheck, type CheckedSession } from './check.ts';
import { CallFailed, createClient } from './client.ts';
import { readDevTrust } from './dev-trust.ts';
import { createDevice, type Device, type SavedDevice } from './device.ts';
import { enroll } from './enroll.ts';
import { failureOf, isOfPhone, unfitOf, type PhoneFailure } from './failures.ts';
import { keepDevice, readDevice } from './saved.ts';
import { shownDocumentOf, shownDocuments } from './shown-document.ts';

export interface CheckCommand {
  readonly number: string;
  readonly platform: string;
  readonly document?: string;
  readonly fail?: string;
}

const answerMsMax = 5_000;
const newPhone = 'enroll a new one: npx trustcheck phone enroll';
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string, code = 2): number => {
  process.stderr.write(`${printable(line)}\n`);
  return code;
};
/** A call that was refused ends the command; anything else is not ours to explain. */
const refused = (error: unknown, more = ''): number => {
  if (!(error instanceof CallFailed)) throw error;
  return complain(`refused: ${error.message}${more && `; ${more}`}`, 1);
};

/**
 * `trustcheck phone check`: 0 when the check passed, 1 when it ended otherwise, 2 for wrong use.
 */
export async function checkFromCommand(
  link: string,
  options: CheckCommand,
  dataDir: string,
): Promise<number> {
  if (!isWebAddress(link)) return complain('the link is not an address');
  if (!isE164(options.number)) {
    return complain(`--number ${options.number}: not an E.164 number such as +4915112345678`);
  }
  const fail = failureOf(options.fail);
  if (options.fail !== undefined && !fail) {
    return complain(`--fail ${options.fail}: not one of phone check --help, or docs/simulator.md`);
  }
  const platform = platformOf(options.platform);
  if (!platform) return complain(wrongPlatform);
  const document = options.document === undefined ? undefined : shownDocumentOf(options.document);
  if (options.document !== undefined && !document) {
    return complain(`--document: one of ${shownDocuments.join(', ')}`);
  }
  const unfit = fail && unfitOf(fail, platform, document);
  if (unfit) return complain(`--fail ${fail}: only with ${unfit}`);
  const { device, isKept } = await takePhone(dataDir, platform, fail);
  if (!(await answers(link))) return complain(nobodyAt(link), 1);
  try {
    const session = await phoneCheck({
      link,
      number: options.number,
      trust: await readDevTrust(dataDir),
      device,
      newDevice: isKept ? await makerOf(dataDir, platform) : undefined,
      fail,
      document,
      say,
      keep: (phone) => (isOfPhone(fail) ? Promise.resolve() : keepDevice(dataDir, phone)),
    });
    for (const proof of session.proofs) {
      if (proof.reason_code) say(`${proof.type}: ${proof.reason_code}`);
    }
    if (session.status === 'passed') {
      say(`its affidavit is with whoever asked, within seconds: ${wayToAffidavit(session)}`);
    }
    say(`${session.status}${session.reason_code ? ` (${session.reason_code})` : ''}`);
    return session.status === 'passed' ? 0 : 1;
  } catch (error) {
    if (error instanceof NothingToSpoil) return complain(error.message);
    return refused(error, error instanceof CallFailed ? wayAfter(error.code, isKept) : '');
  }
}

const wayToAffidavit = ({ app_id, link_session_id: id }: CheckedSession): string =>
  `GET /v2/affidavits/${app_id}/${id}/download, then npx trustcheck verify`;

function wayAfter(code: string, isKept: boolean): string {
  if (code === 'link_token_required') {
    return `a mailed link has it at its end: '<link>#t=…', quoted in a shell`;
  }
  if (code === 'already_begun') {
    return `join the page that waits by the address of its code: '<link>#p=…', quoted in a shell`;
  }
  const isOfPhone = ['app_id_mismatch', 'device_revoked'].includes(code);
  return isKept && isOfPhone ? `the phone kept here is no good: ${newPhone}` : '';
}

export interface EnrollCommand {
  readonly url?: string;
  readonly app?: string;
  readonly platform: string;
  readonly token?: string;
}

/** `trustcheck phone enroll`: keeps the phone for later checks; 0 when it is enrolled. */
export async function enrollFromCommand(options: EnrollCommand, dataDir: string): Promise<number> {
  const platform = platformOf(options.platform);
  if (!platform) return complain(wrongPlatform);
  const place = await placeOf(options, dataDir);
  if ('fault' in place) return complain(place.fault);
  const device = (await makerOf(dataDir, platform))();
  // One whose file is damaged is replaced as well.
  const before = await readDevice(dataDir, platform).catch(() => undefined);
  if (!(await answers(place.url))) return complain(nobodyAt(place.url), 1);
  try {
    await enroll(createClient(place.url), device, place.app, options.token);
  } catch (error) {
    return refused(error);
  }
  await keepDevice(dataDir, device);
  const { deviceId = '', polyUserId = '' } = device.enrolled ?? {};
  say(`${deviceId} of ${polyUserId}`);
  if (before?.deviceId) say(replaced(before));
  return 0;
}

export interface LoginCommand extends EnrollCommand {
  readonly account?: string;
}

/**
 * `trustcheck phone login`: signs in by the phone's certified key, enrolling the phone first when
 * it is new, and prints the session token and nothing else; 1 when it is refused. A session to join
 * always makes a new phone: the one kept here is somebody's already.
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
    const { challenge } = await call<{ challenge: string }>('POST', '/v2/devices/challenge');
    const rawJwt = await phoneBundle(device, { baseUrl, now: new Date(), nonce: challenge });
    const session = await call<{ session_token: string }>('POST', '/portal_login', {
      body: { raw_jwt: rawJwt, ...(account === undefined ? {} : { account_id: account }) },
    });
    say(session.session_token);
    return 0;
  } catch (error) {
    const forgotten = `the phone kept here may be unknown to ${baseUrl}; ${newPhone}`;
    const isAccount = account !== undefined;
    const ways = isAccount
      ? `it may have no part in account ${account}, or ${forgotten}`
      : forgotten;
    return refused(error, isKept ? ways : '');
  }
}

interface Place {
  readonly url: string;
  readonly app: string;
}

/** The platform and the app a command speaks of: those given, or those started here. */
async function placeOf(
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

/** The phone of earlier runs; one that is wrong is a new one each time, and is kept by nobody. */
async function takePhone(
  dataDir: string,
  platform: DevicePlatform,
  fail: PhoneFailure | undefined,
): Promise<{ device: Device; isKept: boolean }> {
  const trust = await readDevTrust(dataDir);
  const saved = isOfPhone(fail) ? undefined : await readDevice(dataDir, platform);
  const device = createDevice({ platform, trust, now: () => new Date(), fail, saved });
  return { device, isKept: device.enrolled !== null };
}

async function makerOf(dataDir: string, platform: DevicePlatform): Promise<() => Device> {
  const trust = await readDevTrust(dataDir);
  return () => createDevice({ platform, trust, now: () => new Date() });
}

/** Asked once before all else: later calls are patient, for a platform that restarts. */
async function answers(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(answerMsMax);
  const answer = await fetch(new URL('/livez', url), { signal, redirect: 'manual' }).catch(
    () => null,
  );
  await answer?.body?.cancel();
  return answer !== null;
}

const nobodyAt = (url: string): string =>
  `nobody answers at ${new URL(url).origin}; see: npm run status`;

function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

const replaced = ({ deviceId, polyUserId }: SavedDevice): string =>
  `it takes the place of ${deviceId} of ${polyUserId}, which was kept here`;

const wrongPlatform = `--platform: one of ${devicePlatforms.join(', ')}`;

function platformOf(name: string): DevicePlatform | undefined {
  return devicePlatforms.find((known) => known === name);
}
