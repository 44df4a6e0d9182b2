import {
  constants,
  createHash,
  createPublicKey,
  privateEncrypt,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { element, integer, octetString, oid, sequence, setOf } from '../der.ts';
import {
  issueSigner,
  newKeyPair,
  digestAlgorithmOf,
  hashOfProfile,
  type DevCsca,
  type DevProfile,
  type DevSigner,
  type Validity,
} from '../roots/passport.ts';
import { mintChipAuth, type DevChipAuth } from './chip-auth.ts';
import { signContent } from './cms.ts';
import { mrzOf, type MrzFields } from './mrz.ts';

export interface PassportRequest extends MrzFields {
  readonly csca: DevCsca;
  readonly now: Date;
  /** The chip's key for active authentication; `none` makes a passport that can be copied. */
  readonly chipKey?: 'ec' | 'rsa' | 'none' | undefined;
  /** Its key for chip authentication; it has none unless said so. */
  readonly chipAuth?: DevChipAuth | undefined;
  /** Validity of the document signer, where it must not be the usual one. */
  readonly signerValidity?: Validity | undefined;
  /** A document signer made before, for several passports of one series. */
  readonly signer?: DevSigner | undefined;
  /** More files of the chip, or others in place of those made; each with its outer tag. */
  readonly files?: Readonly<Record<string, Uint8Array>> | undefined;
}

export interface MintedPassport {
  readonly sod: Uint8Array;
  readonly dataGroups: Readonly<Record<string, Uint8Array>>;
  /** What stays in the chip; null for one without active authentication. */
  readonly chipPrivateKey: KeyObject | null;
  /** Null for one without chip authentication. */
  readonly agreementPrivateKey: Uint8Array | null;
  readonly signer: DevSigner;
}

/** SHA-256 in ISO/IEC 9796-2's trailer (ISO/IEC 10118-3). */
const trailer = Buffer.from([0x34, 0xcc]);
const contentType = '2.23.136.1.1.1';

/**
 * Makes the files of a synthetic passport (ICAO 9303-10): EF.SOD and DG1, DG14 and DG15 for a chip
 * with a key, and whatever files were given. Everything verifies for who pins `csca`.
 */
export function mintPassport(request: PassportRequest): MintedPassport {
  const { csca, now, chipKey = 'ec' } = request;
  const chip = chipKey === 'none' ? null : newChipKey(chipKey, csca.profile);
  const dataGroups: Record<string, Uint8Array> = {
    DG1: element(0x61, element(0x5f1f, Buffer.from(mrzOf(request).join(''), 'latin1'))),
  };
  const agreement = request.chipAuth ? mintChipAuth(request.chipAuth) : null;
  const infos = [...(chipKey === 'ec' ? [activeAuthInfo] : []), ...(agreement?.infos ?? [])];
  if (infos.length > 0) dataGroups['DG14'] = element(0x6e, setOf(...infos));
  if (chip) {
    const spki = createPublicKey(chip).export({ format: 'der', type: 'spki' });
    dataGroups['DG15'] = element(0x6f, spki);
  }
  Object.assign(dataGroups, request.files);
  const signer = request.signer ?? issueSigner(csca, now, request.signerValidity);
  const signedAt = request.signerValidity?.from ?? now;
  const sod = signSod(csca, signer, dataGroups, signedAt);
  const agreementPrivateKey = agreement?.privateKey ?? null;
  return { sod, dataGroups, chipPrivateKey: chip, agreementPrivateKey, signer };
}

/**
 * What a chip answers to INTERNAL AUTHENTICATE over an eight-byte challenge (ICAO 9303-11, Active
 * Authentication): ISO/IEC 9796-2 scheme 1 for RSA, r ‖ s for ECDSA, both with SHA-256.
 */
export function signActiveAuth(chipKey: KeyObject, nonce: Uint8Array): Uint8Array {
  if (chipKey.asymmetricKeyType === 'ec') {
    return sign('sha256', nonce, { key: chipKey, dsaEncoding: 'ieee-p1363' });
  }
  const modulusBytes = (chipKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
  const own = randomBytes(modulusBytes - 1 - 32 - trailer.length);
  const digest = createHash('sha256').update(own).update(nonce).digest();
  const message = Buffer.concat([Buffer.from([0x6a]), own, digest, trailer]);
  return privateEncrypt({ key: chipKey, padding: constants.RSA_NO_PADDING }, message);
}

const activeAuthInfo = sequence(oid('2.23.136.1.1.5'), integer(1), oid('0.4.0.127.0.7.1.1.4.1.3'));

/** Chips of a State with explicit curve parameters carry them in DG15 too. */
function newChipKey(kind: 'ec' | 'rsa', profile: DevProfile): KeyObject {
  if (kind === 'rsa') return newKeyPair('rsa-pss').privateKey;
  return newKeyPair(profile === 'rsa-pss' ? 'p256' : profile).privateKey;
}

/** EF.SOD (ICAO 9303-10): the hashes of the groups, signed as CMS SignedData (RFC 5652). */
function signSod(
  csca: DevCsca,
  signer: DevSigner,
  dataGroups: Readonly<Record<string, Uint8Array>>,
  signedAt: Date,
): Uint8Array {
  const hash = hashOfProfile(signer.profile);
  const hashes = Object.entries(dataGroups)
    .map(([name, file]) => ({ group: Number(name.slice(2)), file }))
    .sort((one, other) => one.group - other.group)
    .map(({ group, file }) =>
      sequence(integer(group), octetString(createHash(hash).update(file).digest())),
    );
  const content = sequence(integer(0), digestAlgorithmOf(signer.profile), sequence(...hashes));
  return element(0x77, signContent({ contentType, content, issuer: csca, signer, signedAt }));
}
