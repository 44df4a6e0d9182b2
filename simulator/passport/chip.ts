import { generateKeyPairSync } from 'node:crypto';
import type { PhoneFailure } from '../failures/failures.ts';
import type { DevTrust } from '../roots/dev-trust.ts';
import { importDevCsca } from '../roots/passport.ts';
import { newAgreementKey, type DevChipAuth } from './chip-auth.ts';
import { isCopy, isSilent, passportWith, readWith } from './chip-faults.ts';
import { chipSession } from './chip-session.ts';
import { dg2Of, faceRecord } from './face-record.ts';
import { mintPassport, signActiveAuth, type PassportRequest } from './passport.ts';

/** The data that the simulated phone reads over NFC. */
export interface Chip {
  readonly sod: Uint8Array;
  readonly dataGroups: Readonly<Record<string, Uint8Array>>;
  /** INTERNAL AUTHENTICATE over the challenge; null if the chip does not support it. */
  readonly answer: ((challenge: Uint8Array) => Uint8Array) | null;
  /**
   * One command and its response, in one session that starts with reading the files; null if the
   * chip does not support key agreement.
   */
  readonly transceive: ((command: Uint8Array) => Uint8Array) | null;
}

/** The platform's request to a chip: a challenge to sign, and commands to relay. */
export interface ChipChallenge {
  readonly challenge_id: string;
  readonly challenge: string;
  readonly chip_auth: {
    readonly agreement: readonly string[];
    readonly reading: readonly string[];
  } | null;
  readonly expires_at: string;
}

/** The responses of the chip, with the ids of the uploads. */
export interface ChipAnswers {
  readonly active_auth?: { readonly challenge_id: string; readonly signature: string };
  readonly chip_auth?: { readonly challenge_id: string; readonly responses: readonly string[] };
}

/** Lets the chip respond in every requested way, uploads the responses and returns their ids. */
export async function answersOf(
  chip: Chip,
  { challenge_id, challenge, chip_auth: asked }: ChipChallenge,
  upload: (name: string, bytes: Uint8Array) => Promise<string>,
): Promise<ChipAnswers> {
  const { answer, transceive } = chip;
  const active = answer && {
    active_auth: {
      challenge_id,
      signature: await upload('AA', answer(Buffer.from(challenge, 'base64url'))),
    },
  };
  if (!asked || !transceive) return { ...active };
  const relay = (apdu: string) => transceive(Buffer.from(apdu, 'base64url'));
  for (const apdu of asked.agreement) relay(apdu);
  const responses: string[] = [];
  for (const [index, apdu] of asked.reading.entries()) {
    responses.push(await upload(`CA${index + 1}`, relay(apdu)));
  }
  return { ...active, chip_auth: { challenge_id, responses } };
}

/** Used in passports of several States. */
const usualChipAuth: DevChipAuth = { group: 'brainpoolP256r1', cipher: 'aes-128' };

export const yearMs = 365.25 * 24 * 3600_000;
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The holder of ICAO's own specimens (ICAO 9303-4, appendix A), a fictional person. */
export const holder = {
  surname: 'Eriksson',
  givenNames: 'Anna Maria',
  dateOfBirth: '1974-08-12',
  sex: 'F',
  nationality: 'UTO',
} as const;

/**
 * Returns a passport of Utopia with its chip, genuine or with one of `passportFailures`.
 * @param portrait image in DG2; without it DG2 is not read
 */
export function insertChip(
  trust: DevTrust,
  now: Date,
  fail: PhoneFailure | undefined,
  portrait?: Uint8Array,
): Chip {
  const years = fail === 'document_expired' ? -0.1 : 6;
  const request: PassportRequest = {
    csca: importDevCsca(trust.csca),
    now,
    holder,
    documentNumber: 'L898902C3',
    expiresOn: dayOf(now.getTime() + years * yearMs),
    chipAuth: usualChipAuth,
    files: portrait ? { DG2: dg2Of([faceRecord(portrait)]) } : undefined,
  };
  const passport = mintPassport({ ...request, ...passportWith(fail, request, trust) });
  const { chipPrivateKey, agreementPrivateKey } = passport;
  const key = isCopy(fail)
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    : chipPrivateKey;
  const agreement = isCopy(fail) ? newAgreementKey(usualChipAuth) : agreementPrivateKey;
  const isMute = isSilent(fail);
  const read = readWith(fail, passport);
  return {
    ...read,
    answer: chipPrivateKey && key && !isMute ? (asks) => signActiveAuth(key, asks) : null,
    transceive: agreement && !isMute ? chipSession(read.dataGroups, agreement) : null,
  };
}
