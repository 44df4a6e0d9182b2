import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mintPassport, signActiveAuth } from './passport.ts';
import { dg2Of, faceRecord } from './passport-face.ts';
import { importDevCsca, importDevSigner } from './passport-pki.ts';
import type { DevTrust } from './dev-trust.ts';

/** What the simulated phone reads over NFC. */
export interface Chip {
  readonly sod: Uint8Array;
  readonly dataGroups: Readonly<Record<string, Uint8Array>>;
  /** INTERNAL AUTHENTICATE over the challenge. */
  answer(challenge: Uint8Array): Uint8Array;
}

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
    files: portrait ? { DG2: dg2Of([faceRecord(portrait)]) } : undefined,
    signer: fail === 'signer_revoked' ? importDevSigner(trust.revokedSigner) : undefined,
  });
  const key = passport.chipPrivateKey;
  if (!key) throw new Error('the chip has no key');
  const answering: KeyObject =
    fail === 'nfc_clone' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : key;
  const dataGroups = { ...passport.dataGroups };
  if (fail === 'tamper') dataGroups['DG1'] = renamed(dataGroups['DG1']);
  return {
    sod: passport.sod,
    dataGroups,
    answer: (challenge) => signActiveAuth(answering, challenge),
  };
}

/** DG1 with another name of the same length: what a forger would write. */
function renamed(dg1: Uint8Array = new Uint8Array()): Uint8Array {
  return Buffer.from(Buffer.from(dg1).toString('latin1').replace('ANNA', 'ANNE'), 'latin1');
}
