import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chipSession } from './chip-session.ts';
import { mintPassport, signActiveAuth } from './passport.ts';
import { newAgreementKey, type DevChipAuth } from './passport-chip-auth.ts';
import { dg2Of, faceRecord } from './passport-face.ts';
import { importDevCsca, importDevSigner } from './passport-pki.ts';
import type { DevTrust } from './dev-trust.ts';

/** What the simulated phone reads over NFC. */
export interface Chip {
  readonly sod: Uint8Array;
  readonly dataGroups: Readonly<Record<string, Uint8Array>>;
  /** INTERNAL AUTHENTICATE over the challenge. */
  answer(challenge: Uint8Array): Uint8Array;
  /** One command and its response, in one session from the reading of its files on. */
  transceive(command: Uint8Array): Uint8Array;
}

/** What the platform asks a chip: a challenge to sign, commands to relay. */
export interface ChipChallenge {
  readonly challenge_id: string;
  readonly challenge: string;
  readonly chip_auth: {
    readonly agreement: readonly string[];
    readonly reading: readonly string[];
  } | null;
  readonly expires_at: string;
}

/** Has the chip answer in every way it was asked, and uploads the answers; gives their ids. */
export async function answersOf(
  chip: Chip,
  { challenge_id, challenge, chip_auth: asked }: ChipChallenge,
  upload: (name: string, bytes: Uint8Array) => Promise<string>,
) {
  const signature = await upload('AA', chip.answer(Buffer.from(challenge, 'base64url')));
  const active_auth = { challenge_id, signature };
  if (!asked) return { active_auth };
  const relay = (apdu: string) => chip.transceive(Buffer.from(apdu, 'base64url'));
  for (const apdu of asked.agreement) relay(apdu);
  const responses: string[] = [];
  for (const [index, apdu] of asked.reading.entries()) {
    responses.push(await upload(`CA${index + 1}`, relay(apdu)));
  }
  return { active_auth, chip_auth: { challenge_id, responses } };
}

/** As the passports of several States have it. */
const usualChipAuth: DevChipAuth = { group: 'brainpoolP256r1', cipher: 'aes-128' };

export const yearMs = 365.25 * 24 * 3600_000;
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The holder is that of ICAO's own specimens (ICAO 9303-4, appendix A), and lives nowhere. */
export const holder = {
  surname: 'Eriksson',
  givenNames: 'Anna Maria',
  dateOfBirth: '1974-08-12',
  sex: 'F',
  nationality: 'UTO',
} as const;

/**
 * A passport of Utopia with its chip, or one that is wrong in one way: expired, a copy of the files
 * in a chip without the key, with a data group that was changed after signing, or signed by what
 * its State has revoked.
 * @param portrait what DG2 shows; where there is none, it was not read
 */
export function insertChip(
  trust: DevTrust,
  now: Date,
  fail: string | undefined,
  portrait?: Uint8Array,
): Chip {
  const years = fail === 'document_expired' ? -0.1 : 6;
  const passport = mintPassport({
    csca: importDevCsca(trust.csca),
    now,
    holder,
    documentNumber: 'L898902C3',
    expiresOn: dayOf(now.getTime() + years * yearMs),
    chipAuth: usualChipAuth,
    files: portrait ? { DG2: dg2Of([faceRecord(portrait)]) } : undefined,
    signer: fail === 'signer_revoked' ? importDevSigner(trust.revokedSigner) : undefined,
  });
  const isCopy = fail === 'nfc_clone';
  const { chipPrivateKey: key, agreementPrivateKey } = passport;
  if (!key || !agreementPrivateKey) throw new Error('the chip has no key');
  const answering: KeyObject = isCopy
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    : key;
  const dataGroups = { ...passport.dataGroups };
  if (fail === 'tamper') dataGroups['DG1'] = renamed(dataGroups['DG1']);
  return {
    sod: passport.sod,
    dataGroups,
    answer: (challenge) => signActiveAuth(answering, challenge),
    transceive: chipSession(
      dataGroups,
      isCopy ? newAgreementKey(usualChipAuth) : agreementPrivateKey,
    ),
  };
}

/** DG1 with another name of the same length: what a forger would write. */
function renamed(dg1: Uint8Array = new Uint8Array()): Uint8Array {
  return Buffer.from(Buffer.from(dg1).toString('latin1').replace('ANNA', 'ANNE'), 'latin1');
}
