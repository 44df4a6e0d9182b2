import {
  childrenOf,
  MalformedDer,
  oidOf,
  readElement,
  take,
  takeIf,
  tags,
  type Element,
} from '../../../pki/read-der.ts';
import { readPublicKey, type PublicKey } from './key-agreement.ts';
import type { Cipher } from './secure-messaging.ts';

/** SecurityInfo ::= SEQUENCE { protocol, requiredData, optionalData? } (ICAO 9303-11 §9.2). */
export interface SecurityInfo {
  readonly oid: string;
  /** Contents of the identifier, in the form that commands name a protocol. */
  readonly protocol: Uint8Array;
  /** Elements after the identifier. */
  readonly rest: Element[];
}

/** The protocol and key of EF.DG14 for chip authentication. */
export interface ChipAuthentication {
  readonly cipher: Cipher;
  /** Names the protocol to the chip; null in older documents: their EF.DG14 names none. */
  readonly protocol: Uint8Array | null;
  readonly keyId: Uint8Array | null;
  readonly key: PublicKey;
}

export const dg14BytesMax = 64 * 1024;
const chipAuthentications = '0.4.0.127.0.7.2.2.3.';
const publicKeys: ReadonlySet<string> = new Set(['0.4.0.127.0.7.2.2.1.1', '0.4.0.127.0.7.2.2.1.2']);
/** The last two arcs of the OID: 1 for DH, 2 for ECDH; then the cipher, weaker ones first. */
const ciphers: readonly Cipher[] = ['3des', 'aes-128', 'aes-192', 'aes-256'];
const keyIdBytesMax = 8;
/** Chips have one or two keys; reading one with an explicit curve is slow. */
const keysMax = 8;

/**
 * Reads the SecurityInfos of EF.DG14 (ICAO 9303-10: tag 0x6E around a SET).
 * @throws `MalformedDer`
 */
export function securityInfosOf(dg14: Uint8Array): SecurityInfo[] {
  if (dg14.length > dg14BytesMax) throw new MalformedDer('EF.DG14 is larger than 64 KiB');
  const infos = readElement(readElement(dg14, 0x6e).contents, tags.set);
  return childrenOf(infos.contents).map(({ tag, contents }) => {
    if (tag !== tags.sequence) throw new MalformedDer('no security info');
    const rest = childrenOf(contents);
    const protocol = take(rest, tags.oid).contents;
    return { oid: oidOf(protocol), protocol, rest };
  });
}

interface Offer {
  readonly isEc: boolean;
  readonly cipher: Cipher;
  readonly protocol: Uint8Array | null;
  readonly keyId: Uint8Array | null;
}

/**
 * Returns the strongest chip authentication of EF.DG14 that has a key, the first of equals (ICAO
 * 9303-11 §9.2.5, §9.2.6); null if none is supported. A key without a protocol is for 3DES: older
 * documents have it this way.
 * @throws `MalformedDer`
 */
export function chipAuthenticationOf(dg14: Uint8Array): ChipAuthentication | null {
  const infos = securityInfosOf(dg14);
  const keyInfos = infos.filter(({ oid }) => publicKeys.has(oid));
  if (keyInfos.length > keysMax) throw new MalformedDer('too many keys');
  const keys = keyInfos.map(keyOf);
  const named = infos.filter(({ oid }) => oid.startsWith(chipAuthentications)).map(offerOf);
  const unnamed = named.length > 0 ? [] : keys.map(({ isEc, keyId }) => olderOffer(isEc, keyId));
  const offers = [...named, ...unnamed]
    .filter((offer) => offer !== null)
    .toSorted((one, other) => ciphers.indexOf(other.cipher) - ciphers.indexOf(one.cipher));
  for (const { isEc, cipher, protocol, keyId } of offers) {
    const found = keys.find((key) => key.isEc === isEc && isSame(key.keyId, keyId));
    if (found?.key) return { cipher, protocol, keyId, key: found.key };
  }
  return null;
}

const olderOffer = (isEc: boolean, keyId: Uint8Array | null): Offer => ({
  isEc,
  cipher: '3des',
  protocol: null,
  keyId,
});

/** Reads ChipAuthenticationInfo; null for an unknown protocol. */
function offerOf({ oid, protocol, rest }: SecurityInfo): Offer | null {
  const [kind, strength, ...others] = oid.slice(chipAuthentications.length).split('.').map(Number);
  const cipher = ciphers[(strength ?? 0) - 1];
  if ((kind !== 1 && kind !== 2) || !cipher || others.length > 0) return null;
  const version = take(rest, tags.integer).contents;
  const keyId = keyIdOf(rest);
  return version.length === 1 && version[0] === 1
    ? { isEc: kind === 2, cipher, protocol, keyId }
    : null;
}

/** Reads ChipAuthenticationPublicKeyInfo; its key is null if it is not supported. */
function keyOf({ oid, rest }: SecurityInfo) {
  const key = readPublicKey(take(rest, tags.sequence).whole);
  return { isEc: oid.endsWith('.2'), key, keyId: keyIdOf(rest) };
}

function keyIdOf(rest: Element[]): Uint8Array | null {
  const keyId = takeIf(rest, tags.integer)?.contents ?? null;
  if (rest.length > 0) throw new MalformedDer('too much in a security info');
  if (!keyId) return null;
  const [first = 0x80] = keyId;
  if (first & 0x80 || keyId.length > keyIdBytesMax) throw new MalformedDer('no key identifier');
  return first === 0 && keyId.length > 1 ? keyId.subarray(1) : keyId;
}

/** A protocol that names no key uses the only one. */
const isSame = (ofKey: Uint8Array | null, wanted: Uint8Array | null): boolean =>
  wanted === null || (ofKey !== null && Buffer.compare(ofKey, wanted) === 0);
