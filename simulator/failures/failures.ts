import type { DevicePlatform } from '../../domain/names.ts';
import type { ProofReason } from '../../domain/proofs/reasons.ts';
import type { TrustCheckReason } from '../../workflows/trust-check/state.ts';
import { deviceFailures } from './device.ts';
import { documentFailures } from './document.ts';
import { faceFailures } from './face.ts';
import { passportFailures } from './passport.ts';
import type { ShownDocument } from './shown-document.ts';

/** One failure of the phone, or of what it reads. */
export interface Wrong {
  readonly does: string;
  /**
   * Reason codes of the proof, the enrollment or the check; empty if it passes despite the failure.
   */
  readonly reasons: readonly (ProofReason | TrustCheckReason)[];
  /** The platform that can have it. Default: all. */
  readonly platform?: DevicePlatform;
  /** The document that can have it. Default: each. */
  readonly document?: ShownDocument;
}

const otherFailures = {
  no_code: {
    does: 'types a code that was never sent',
    reasons: ['code_not_sent'],
  },
  slow: {
    does: 'answers after code and challenge expire',
    reasons: ['code_expired', 'challenge_unknown'],
  },
  wrong_code: {
    does: 'types another code than the one that was sent',
    reasons: ['code_wrong'],
  },
} as const satisfies Readonly<Record<string, Wrong>>;

/**
 * Groups of failures, as the help lists them. Each failure of a group affects one of its proofs.
 */
const groups = [
  ['the phone', deviceFailures, []],
  ['the passport’s chip', passportFailures, ['nfc_passport']],
  ['the document before the camera', documentFailures, ['document', 'nfc_passport']],
  ['the face', faceFailures, ['biometric']],
  ['the code, or the time', otherFailures, []],
] as const;
const ofCode: readonly string[] = ['no_code', 'wrong_code'];

/**
 * All intentional failures of the phone. docs/guides/simulator.md lists reason codes that none of
 * them causes.
 */
export const phoneFailures = {
  ...deviceFailures,
  ...passportFailures,
  ...documentFailures,
  ...faceFailures,
  ...otherFailures,
} as const;
export type PhoneFailure = keyof typeof phoneFailures;

const names = Object.keys(phoneFailures);

/** Returns the failure with this name, or undefined. */
export function failureOf(name: string | undefined): PhoneFailure | undefined {
  return name !== undefined && isFailure(name) ? name : undefined;
}

function isFailure(name: string): name is PhoneFailure {
  return Object.hasOwn(phoneFailures, name);
}

/** Returns true if the phone itself is faulty. Such a phone is always new and never saved. */
export const isOfPhone = (fail: PhoneFailure | undefined): boolean =>
  fail !== undefined && Object.hasOwn(deviceFailures, fail);

/** Returns why a phone or document cannot have this failure; null if it can. */
export function unfitOf(
  fail: PhoneFailure,
  platform: DevicePlatform,
  document: ShownDocument | undefined,
): string | null {
  const wrong: Wrong = phoneFailures[fail];
  if (wrong.platform && wrong.platform !== platform) return `--platform ${wrong.platform}`;
  const isOther = wrong.document && document && wrong.document !== document;
  return isOther ? `--document ${wrong.document}` : null;
}

/**
 * Returns the proofs that a failure can affect: at least one must be required. Empty if it always
 * has an effect.
 */
export function spoiledBy(fail: PhoneFailure): readonly string[] {
  if (ofCode.includes(fail)) return ['phone'];
  return groups.find(([, failures]) => Object.hasOwn(failures, fail))?.[2] ?? [];
}

/** Returns the document to show: the requested one, else one that can have this failure. */
export function documentFor(
  fail: PhoneFailure | undefined,
  asked: ShownDocument | undefined,
): ShownDocument {
  const wrong: Wrong | undefined = fail && phoneFailures[fail];
  return asked ?? wrong?.document ?? 'passport';
}

/** Returns a help line for each failure: its effect and its reason codes. */
export function failureHelp(): string {
  const width = Math.max(...names.map(({ length }) => length));
  const lineOf = ([name, { does, reasons }]: [string, Wrong]): string =>
    `  ${name.padEnd(width)}  ${does}: ${reasons.join(' or ') || 'passes'}`;
  const blocks = groups.map(([title, failures]) =>
    [`Of ${title}:`, ...Object.entries<Wrong>(failures).map(lineOf)].join('\n'),
  );
  const head = 'What --fail does, and the reason code of the proof or check it spoils.';
  return [head, ...blocks].join('\n\n');
}
