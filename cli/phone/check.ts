import { isE164 } from '../../domain/proofs/phone/phone-number.ts';
import { keepDevice, readDevice } from '../../simulator/device/saved.ts';
import { failureOf, isOfPhone, unfitOf } from '../../simulator/failures/failures.ts';
import { shownDocumentOf, shownDocuments } from '../../simulator/failures/shown-document.ts';
import { readDevTrust } from '../../simulator/roots/dev-trust.ts';
import { NothingToSpoil, phoneCheck, type CheckedSession } from '../../simulator/session/check.ts';
import { CallFailed, createClient } from '../../simulator/session/client.ts';
import { enroll } from '../../simulator/session/enroll.ts';
import {
  answers,
  complain,
  isWebAddress,
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

export interface CheckCommand {
  readonly number: string;
  readonly platform: string;
  readonly document?: string;
  readonly fail?: string;
}

/**
 * Runs `trustcheck phone check`. Exit codes: 0 the check passed, 1 it ended otherwise, 2 wrong
 * usage.
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
    return complain(
      `--fail ${options.fail}: not one of phone check --help, or docs/guides/simulator.md`,
    );
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
      say(`the requester gets its affidavit within seconds: ${wayToAffidavit(session)}`);
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

/**
 * Runs `trustcheck phone enroll` and saves the phone for later checks. Exit code 0 if it is
 * enrolled.
 */
export async function enrollFromCommand(options: EnrollCommand, dataDir: string): Promise<number> {
  const platform = platformOf(options.platform);
  if (!platform) return complain(wrongPlatform);
  const place = await placeOf(options, dataDir);
  if ('fault' in place) return complain(place.fault);
  const device = (await makerOf(dataDir, platform))();
  // A phone with a damaged file is replaced too.
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
