import type { ProofReason } from '../../activities/evidence/reasons.ts';

interface Wrong {
  readonly does: string;
  /** What a proof, or the enrolment of the phone, then says. */
  readonly reasons: readonly ProofReason[];
}

/** Ways of the phone to go wrong on purpose, as far as the proofs exist. */
export const phoneFailures = {
  document_expired: {
    does: 'the passport has expired, chip and page',
    reasons: ['document_expired'],
  },
  document_unreadable: {
    does: 'the photograph of the page is shaken',
    reasons: ['blur'],
  },
  emulator: {
    does: 'no genuine phone, refused at enrolment',
    reasons: ['environment_mismatch', 'software_key'],
  },
  face: {
    does: 'somebody else looks into the camera',
    reasons: ['face_mismatch'],
  },
  face_switch: {
    does: 'somebody else takes over before the camera',
    reasons: ['identity_switch'],
  },
  liveness: {
    does: 'a photograph is held before the camera',
    reasons: ['challenge_failed'],
  },
  nfc_clone: {
    does: 'the chip is a copy without the key',
    reasons: ['aa_signature_invalid'],
  },
  signer_revoked: {
    does: 'the State has revoked who signed the passport',
    reasons: ['dsc_revoked'],
  },
  slow: {
    does: 'answers once code and challenge ended',
    reasons: ['code_expired', 'challenge_unknown'],
  },
  tamper: {
    does: 'the name in the chip was changed',
    reasons: ['dg_hash_mismatch'],
  },
  wrong_code: {
    does: 'types another code than the one sent',
    reasons: ['code_wrong'],
  },
} as const satisfies Readonly<Record<string, Wrong>>;
export type PhoneFailure = keyof typeof phoneFailures;

const names = Object.keys(phoneFailures);

/** The failure of that name, if there is one. */
export function failureOf(name: string | undefined): PhoneFailure | undefined {
  return name !== undefined && isFailure(name) ? name : undefined;
}

function isFailure(name: string): name is PhoneFailure {
  return Object.hasOwn(phoneFailures, name);
}

/** The names, as the flag lists them. */
export const failureNames = (separator: string): string => names.join(separator);

/** A line of help for each: what it does, and the reason codes it ends in. */
export function failureHelp(): string {
  const width = Math.max(...names.map(({ length }) => length));
  const lines = Object.entries<Wrong>(phoneFailures).map(
    ([name, { does, reasons }]) => `  ${name.padEnd(width)}  ${does}: ${reasons.join(' or ')}`,
  );
  return `What --fail does, and the reason code of the proof it spoils:\n${lines.join('\n')}`;
}
