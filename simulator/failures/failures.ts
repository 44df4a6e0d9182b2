import type { DevicePlatform } from '../../domain/names.ts';
import type { ProofReason } from '../../domain/proofs/reasons.ts';
import type { TrustCheckReason } from '../../workflows/trust-check/state.ts';
import { deviceFailures } from './device.ts';
import { documentFailures } from './document.ts';
import { faceFailures } from './face.ts';
import { passportFailures } from './passport.ts';
import type { ShownDocument } from './shown-document.ts';

/** One way of the phone, or of what is shown to it, to be wrong. */
export interface Wrong {
  readonly does: string;
  /**
   * What a proof, the enrollment of the phone or the check then says; none where all the same it
   * passes.
   */
  readonly reasons: readonly (ProofReason | TrustCheckReason)[];
  /** The phones that can do it; all where it is not said. */
  readonly platform?: DevicePlatform;
  /** The document that can be so; each where it is not said. */
  readonly document?: ShownDocument;
}

const otherFailures = {
  no_code: {
    does: 'types a code and has none sent',
    reasons: ['code_not_sent'],
  },
  slow: {
    does: 'answers once code and challenge ended',
    reasons: ['code_expired', 'challenge_unknown'],
  },
  wrong_code: {
    does: 'types another code than the one sent',
    reasons: ['code_wrong'],
  },
} as const satisfies Readonly<Record<string, Wrong>>;

/** By what is wrong, as the help lists them, with the proofs one of which it spoils. */
const groups = [
  ['the phone', deviceFailures, []],
  ['the passport’s chip', passportFailures, ['nfc_passport']],
  ['the document before the camera', documentFailures, ['document', 'nfc_passport']],
  ['the face', faceFailures, ['biometric']],
  ['the code, or the time', otherFailures, []],
] as const;
const ofCode: readonly string[] = ['no_code', 'wrong_code'];

/** Ways of the phone to go wrong on purpose; docs/guides/simulator.md says what none of them brings. */
export const phoneFailures = {
  ...deviceFailures,
  ...passportFailures,
  ...documentFailures,
  ...faceFailures,
  ...otherFailures,
} as const;
export type PhoneFailure = keyof typeof phoneFailures;

const names = Object.keys(phoneFailures);

/** The failure of that name, if there is one. */
export function failureOf(name: string | undefined): PhoneFailure | undefined {
  return name !== undefined && isFailure(name) ? name : undefined;
}

function isFailure(name: string): name is PhoneFailure {
  return Object.hasOwn(phoneFailures, name);
}

/** Whether the phone itself is wrong: such a one is new each time, and kept by nobody. */
export const isOfPhone = (fail: PhoneFailure | undefined): boolean =>
  fail !== undefined && Object.hasOwn(deviceFailures, fail);

/** Why such a phone, or such a document, cannot go wrong like this; null where it can. */
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

/** Proofs without all of which nothing goes wrong in this way; none where something always does. */
export function spoiledBy(fail: PhoneFailure): readonly string[] {
  if (ofCode.includes(fail)) return ['phone'];
  return groups.find(([, failures]) => Object.hasOwn(failures, fail))?.[2] ?? [];
}

/** The document that is shown: the one asked for, else one that can be wrong in this way. */
export function documentFor(
  fail: PhoneFailure | undefined,
  asked: ShownDocument | undefined,
): ShownDocument {
  const wrong: Wrong | undefined = fail && phoneFailures[fail];
  return asked ?? wrong?.document ?? 'passport';
}

/** A line of help for each: what it does, and the reason codes it ends in. */
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
