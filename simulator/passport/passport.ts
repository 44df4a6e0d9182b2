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
  /** The chip's key for active authentication; `none` makes a passport that can be cloned. */
  readonly chipKey?: 'ec' | 'rsa' | 'none' | undefined;
  /** The chip's key for chip authentication. Default: none. */
  readonly chipAuth?: DevChipAuth | undefined;
  /** Validity of the document signer, if it must differ from the usual one. */
  readonly signerValidity?: Validity | undefined;
  /** An existing document signer, for several passports of one series. */
  readonly signer?: DevSigner | undefined;
  /** Additional or replaced files of the chip, each with its outer tag. */
  readonly files?: Readonly<Record<string, Uint8Array>> | undefined;
}

export interface MintedPassport {
  readonly sod: Uint8Array;
  readonly dataGroups: Readonly<Record<string, Uint8Array>>;
  /** Secret key in the chip; null without active authentication. */
  readonly chipPrivateKey: KeyObject | null;
  /** Null without chip authentication. */
  readonly agreementPrivateKey: Uint8Array | null;
  readonly signer: DevSigner;
}

/** SHA-256 in the trailer of ISO/IEC 9796-2 (ISO/IEC 10118-3). */
const trailer = Buffer.from([0x34, 0xcc]);
const contentType = '2.23.136.1.1.1';

/**
 * Makes the files of a synthetic passport (ICAO 9303-10): EF.SOD and DG1, DG14 and DG15 if the chip
 * has a key, and the given files. All of them verify against `csca`.
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
 * Returns a chip's response to INTERNAL AUTHENTICATE over an eight-byte challenge (ICAO 9303-11,
 * Active Authentication): ISO/IEC 9796-2 scheme 1 for RSA, r ‖ s for ECDSA, both with SHA-256.
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

/** Chips of a State that uses explicit curve parameters also have them in DG15. */
function newChipKey(kind: 'ec' | 'rsa', profile: DevProfile): KeyObject {
  if (kind === 'rsa') return newKeyPair('rsa-pss').privateKey;
  return newKeyPair(profile === 'rsa-pss' ? 'p256' : profile).privateKey;
}

/** Signs EF.SOD (ICAO 9303-10): the hashes of the data groups as CMS SignedData (RFC 5652). */
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
