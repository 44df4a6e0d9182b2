import { element } from '../der.ts';
import type { PhoneFailure } from '../failures/failures.ts';
import type { DevTrust } from '../roots/dev-trust.ts';
import { createDevCsca, importDevSigner, issueSigner } from '../roots/passport.ts';
import { mrzOf } from './mrz.ts';
import type { MintedPassport, PassportRequest } from './passport.ts';

const yearMs = 365.25 * 24 * 3600_000;

/** Returns how a passport with this failure is made. */
export function passportWith(
  fail: PhoneFailure | undefined,
  request: PassportRequest,
  trust: Pick<DevTrust, 'revokedSigner'>,
): Partial<PassportRequest> {
  const { csca, now, files } = request;
  switch (fail) {
    case 'lookalike_csca':
      return { csca: createDevCsca(now) };
    case 'nfc_clone_ca':
    case 'nfc_silent_ca':
      return { chipKey: 'none' };
    case 'nfc_passive':
      return { chipKey: 'none', chipAuth: undefined };
    case 'other_state':
      // The United Nations: no State signs its documents.
      return { issuingState: 'UNO' };
    case 'signer_expired': {
      const [from, to] = [new Date(now.getTime() - 3 * yearMs), new Date(now.getTime() - yearMs)];
      return { signerValidity: { from, to } };
    }
    case 'signer_revoked':
      return { signer: importDevSigner(trust.revokedSigner) };
    case 'weak_algorithm':
      return { signer: issueSigner({ ...csca, profile: 'secp256k1' }, now) };
    case 'wrong_digits':
      return { files: { ...files, DG1: dg1Of(misprinted(mrzOf(request))) } };
    default:
      return {};
  }
}

const dg1Of = (lines: readonly string[]): Uint8Array =>
  element(0x61, element(0x5f1f, Buffer.from(lines.join(''), 'latin1')));

/** Returns the same lines with a wrong last digit, which is a check digit over the lines. */
export function misprinted(lines: readonly string[]): string[] {
  const last = lines.at(-1) ?? '';
  const digit = (Number(last.at(-1)) + 1) % 10;
  return [...lines.slice(0, -1), `${last.slice(0, -1)}${digit}`];
}

/** Returns true for a cloned chip: it has the files but no private key. */
export const isCopy = (fail: PhoneFailure | undefined): boolean =>
  fail === 'nfc_clone' || fail === 'nfc_clone_ca';

/** Returns true for a clone that does not respond to challenges. */
export const isSilent = (fail: PhoneFailure | undefined): boolean =>
  fail === 'nfc_silent' || fail === 'nfc_silent_ca';

type Files = Pick<MintedPassport, 'sod' | 'dataGroups'>;

/** Returns the files of the chip as read, or as falsified. */
export function readWith(fail: PhoneFailure | undefined, { sod, dataGroups }: Files): Files {
  switch (fail) {
    case 'chip_garbled':
      return { sod: sod.subarray(0, sod.length / 2), dataGroups };
    case 'chip_signature':
      return { sod: lastTurned(sod), dataGroups };
    case 'foreign_file':
      return { sod, dataGroups: { ...dataGroups, DG13: element(0x6d, Buffer.of(1)) } };
    case 'tamper':
      return { sod, dataGroups: { ...dataGroups, DG1: renamed(dataGroups['DG1']) } };
    default:
      return { sod, dataGroups };
  }
}

/** Returns the file that is read but not submitted. */
export const leftOutWith = (fail: PhoneFailure | undefined): string | undefined =>
  fail && left[fail];

const left: Readonly<Partial<Record<PhoneFailure, string>>> = {
  chip_without_dg1: 'DG1',
  chip_without_dg14: 'DG14',
  chip_without_dg15: 'DG15',
  chip_without_face: 'DG2',
};

/** The last octets of EF.SOD are its signature. */
function lastTurned(sod: Uint8Array): Uint8Array {
  const turned = Buffer.from(sod);
  turned.writeUInt8(turned.readUInt8(turned.length - 1) ^ 1, turned.length - 1);
  return turned;
}

/** Replaces the name in DG1 with another one of the same length, as a forger would. */
function renamed(dg1: Uint8Array = new Uint8Array()): Uint8Array {
  return Buffer.from(Buffer.from(dg1).toString('latin1').replace('ANNA', 'ANNE'), 'latin1');
}
