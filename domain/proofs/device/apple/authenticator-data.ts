import { createHash, timingSafeEqual } from 'node:crypto';
import { bytesAt, MalformedCbor, readCborMap } from '../cbor.ts';

/**
 * The data that App Attest signs. It resembles WebAuthn's authenticator data but deviates from it:
 * assertions set AT without attested data, and ED is not set when extensions follow. So the flags
 * are not read at all.
 */
export interface AuthenticatorData {
  readonly bytes: Uint8Array;
  readonly rpIdHash: Uint8Array;
  /** Unsigned, 32 bits. */
  readonly counter: number;
  readonly extensions: AppExtensions;
}

export interface AttestedData extends AuthenticatorData {
  readonly aaguid: Uint8Array;
  readonly credentialId: Uint8Array;
  /** The COSE_Key, 77 bytes, unchanged. */
  readonly publicKey: Uint8Array;
}

/** Extensions that iOS 27 appends as a CBOR map. Other names are ignored. */
export interface AppExtensions {
  /** How the build reached the device: 2 TestFlight, 3 development, 4 App Store, 5 enterprise. */
  readonly category?: number;
  /** CFBundleVersion of the build. */
  readonly bundleVersion?: string;
}

const counterAt = 33;
const aaguidAt = 37;
const credentialAt = 55;
const coseKeyBytes = 77;
const dataBytesMax = 4096;

/**
 * Reads authData of an attestation.
 * @throws `MalformedCbor`
 */
export function readAttestedData(bytes: Uint8Array): AttestedData {
  if (bytes.length < 87 || bytes.length > dataBytesMax) throw new MalformedCbor('authData length');
  const credentialEnd = credentialAt + viewOf(bytes).getUint16(credentialAt - 2);
  const keyEnd = credentialEnd + coseKeyBytes;
  if (keyEnd > bytes.length) throw new MalformedCbor('authData ends too early');
  return {
    ...readHead(bytes),
    aaguid: bytes.subarray(aaguidAt, aaguidAt + 16),
    credentialId: bytes.subarray(credentialAt, credentialEnd),
    publicKey: bytes.subarray(credentialEnd, keyEnd),
    extensions: readExtensions(bytes.subarray(keyEnd)),
  };
}

/**
 * Reads authenticatorData of an assertion.
 * @throws `MalformedCbor`
 */
export function readAssertedData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < aaguidAt || bytes.length > dataBytesMax) {
    throw new MalformedCbor('authenticatorData length');
  }
  return { ...readHead(bytes), extensions: readExtensions(bytes.subarray(aaguidAt)) };
}

/** Whether the data names this app: SHA-256 of `TEAM.bundle`. */
export function isOfApp({ rpIdHash }: AuthenticatorData, appId: string): boolean {
  return isEqual(rpIdHash, sha256(Buffer.from(appId)));
}

/**
 * Returns the uncompressed point of a COSE_Key, 65 bytes (RFC 9053 §7.1.1).
 * @throws `MalformedCbor`
 */
export function pointOf(coseKey: Uint8Array): Uint8Array {
  const key = readCborMap(coseKey);
  const x = bytesAt(key, -2);
  const y = bytesAt(key, -3);
  const isP256 = key.get(1) === 2 && key.get(3) === -7 && key.get(-1) === 1 && key.size === 5;
  if (!isP256 || x.length !== 32 || y.length !== 32) throw new MalformedCbor('not a P-256 key');
  return Buffer.concat([Buffer.of(0x04), x, y]);
}

/** Returns the SHA-256 over concatenated parts. */
export function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Compares in constant time. */
export const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

function readHead(bytes: Uint8Array): Omit<AuthenticatorData, 'extensions'> {
  return { bytes, rpIdHash: bytes.subarray(0, 32), counter: viewOf(bytes).getUint32(counterAt) };
}

/** Reads nothing, or one map. Known names must have their types; other names are ignored. */
function readExtensions(tail: Uint8Array): AppExtensions {
  if (tail.length === 0) return {};
  const map = readCborMap(tail);
  for (const name of map.keys()) {
    if (typeof name !== 'string') throw new MalformedCbor('an extension has no name');
  }
  return { ...readBundleVersion(map), ...readCategory(map) };
}

/** Occurs as text and as bytes. */
function readBundleVersion(map: ReturnType<typeof readCborMap>): AppExtensions {
  const version = map.get('apple_bundle_version_01');
  if (version === undefined) return {};
  if (typeof version === 'string') return { bundleVersion: version };
  if (!(version instanceof Uint8Array)) throw new MalformedCbor('bundle version');
  return { bundleVersion: Buffer.from(version).toString('utf8') };
}

function readCategory(map: ReturnType<typeof readCborMap>): AppExtensions {
  if (!map.has('apple_validation_category_01')) return {};
  const category = bytesAt(map, 'apple_validation_category_01');
  if (category.length !== 4) throw new MalformedCbor('validation category');
  return { category: viewOf(category).getUint32(0, true) };
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
