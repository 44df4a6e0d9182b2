import { createPublicKey, type KeyObject } from 'node:crypto';
import { childrenOf, MalformedDer, oidOf, readElement, take, tags } from '../../../pki/read-der.ts';
import { schemeOf, type Hash } from '../../../pki/x509/algorithms.ts';
import { securityInfosOf } from '../chip/security-infos.ts';

export const dataGroupBytesMax = 1024 * 1024;

const mrzLineLengths: Readonly<Record<number, number>> = { 88: 44, 72: 36, 90: 30 };
const activeAuthInfo = '2.23.136.1.1.5';

/** Returns 1 to 16 for `DG1` to `DG16`, null for every other name. */
export function dataGroupNumber(name: string): number | null {
  const [, digits] = /^DG([1-9]|1[0-6])$/.exec(name) ?? [];
  return digits ? Number(digits) : null;
}

/**
 * Returns the MRZ lines in EF.DG1 (ICAO 9303-10: tag 0x61 around 0x5F1F).
 * @throws `MalformedDer`
 */
export function mrzLinesOf(dg1: Uint8Array): string[] {
  const field = readElement(readElement(dg1, 0x61).contents, 0x5f1f);
  const text = Buffer.from(field.contents).toString('latin1');
  const length = mrzLineLengths[text.length];
  if (!length) throw new MalformedDer('no MRZ has this length');
  return Array.from({ length: text.length / length }, (_, line) =>
    text.slice(line * length, (line + 1) * length),
  );
}

const textLengthMax = 200;

/**
 * Returns the place of birth in EF.DG11 (ICAO 9303-10 §4.7.11: tag 0x6B, element 0x5F11, UTF-8 with
 * `<` between its parts), or null if the document states none.
 * @throws MalformedDer
 */
export function placeOfBirthOf(dg11: Uint8Array): string | null {
  const elements = childrenOf(readElement(dg11, 0x6b).contents);
  const place = elements.find(({ tag }) => tag === 0x5f11);
  if (!place) return null;
  const parts = utf8Of(place.contents)
    .split('<')
    .map((part) => part.trim());
  const text = parts.filter((part) => part !== '').join(', ');
  return text === '' || text.length > textLengthMax ? null : text;
}

function utf8Of(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).normalize('NFC');
  } catch {
    throw new MalformedDer('not UTF-8');
  }
}

/**
 * Returns the active authentication key in EF.DG15 (ICAO 9303-10: tag 0x6F around a
 * SubjectPublicKeyInfo); null if node:crypto cannot read the key.
 * @throws `MalformedDer` if there is no key
 */
export function activeAuthKeyOf(dg15: Uint8Array): KeyObject | null {
  const spki = readElement(readElement(dg15, 0x6f).contents, tags.sequence).whole;
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}

/**
 * Returns the hash that EF.DG14 names for active authentication by ECDSA (ICAO 9303-11,
 * ActiveAuthenticationInfo); null if it names none.
 */
export function activeAuthHashOf(dg14: Uint8Array): Hash | null {
  const info = securityInfosOf(dg14).find(({ oid }) => oid === activeAuthInfo);
  if (!info) return null;
  const [, algorithm] = [take(info.rest, tags.integer), take(info.rest, tags.oid)];
  return schemeOf({ oid: oidOf(algorithm.contents), parameters: null }, null)?.hash ?? null;
}
