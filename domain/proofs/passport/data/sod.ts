import { createHash } from 'node:crypto';
import {
  childrenOf,
  MalformedDer,
  readElement,
  take,
  takeIf,
  tags,
  type Element,
} from '../../../pki/read-der.ts';
import {
  hashLengths,
  hashOf,
  nameOf,
  readAlgorithm,
  schemeOf,
  type Hash,
} from '../../../pki/x509/algorithms.ts';
import type { CountryCertificate } from '../signer/certificate.ts';
import {
  readCountrySigned,
  signerCertificate,
  type CountrySigned,
} from '../signer/country-signed.ts';

/** The Document Security Object of a chip (ICAO 9303-10, EF.SOD), parsed but not verified. */
export interface Sod {
  readonly signed: CountrySigned;
  /** The included document signer certificate; null if its signer's certificate is not included. */
  readonly signer: CountryCertificate | null;
  /** The hash over the data groups; null if unknown. */
  readonly hash: Hash | null;
  readonly hashes: ReadonlyMap<number, Uint8Array>;
  /** Version 0 or 1 of the security object; only 1 states the version of the data structure. */
  readonly version: number;
  /** `1.8`; null if not stated. */
  readonly ldsVersion: string | null;
  /** `ecdsa-sha256`, …; the object identifier if unknown. */
  readonly signatureAlgorithm: string;
}

export const sodBytesMax = 64 * 1024;

/**
 * id-icao-mrtd-security-ldsSecurityObject, and other values that States use instead: plain data
 * (China), and the arcs of drafts from before ICAO had its own (Germany, the Netherlands).
 */
const contentTypes: ReadonlySet<string> = new Set([
  '2.23.136.1.1.1',
  '1.2.840.113549.1.7.1',
  '1.3.27.1.1.1',
  '1.2.528.1.1006.1.20.1',
]);

/**
 * Reads EF.SOD as it is on the chip, tag 0x77 included.
 * @throws `MalformedDer`
 */
export function readSod(bytes: Uint8Array): Sod {
  if (bytes.length > sodBytesMax) throw new MalformedDer('EF.SOD is larger than 64 KiB');
  const signed = readCountrySigned(readElement(bytes, 0x77).contents);
  if (!contentTypes.has(signed.contentType)) throw new MalformedDer('not an LDS security object');
  const { signatureAlgorithm, digestAlgorithm } = signed.signer;
  const scheme = schemeOf(signatureAlgorithm, hashOf(digestAlgorithm));
  return {
    signed,
    signer: signerCertificate(signed),
    signatureAlgorithm: scheme ? nameOf(scheme) : signatureAlgorithm.oid,
    ...readSecurityObject(signed.content),
  };
}

/** Whether the file of a data group is the one that was hashed at issuance. */
export function isListed(sod: Sod, group: number, file: Uint8Array): boolean {
  const stated = sod.hashes.get(group);
  if (!stated || !sod.hash || stated.length !== hashLengths[sod.hash]) return false;
  return createHash(sod.hash).update(file).digest().equals(stated);
}

/**
 * LDSSecurityObject ::= SEQUENCE { version, hashAlgorithm, dataGroupHashValues, ldsVersionInfo? }
 */
function readSecurityObject(
  content: Uint8Array,
): Pick<Sod, 'hash' | 'hashes' | 'version' | 'ldsVersion'> {
  const rest = childrenOf(readElement(content, tags.sequence).contents);
  const version = take(rest, tags.integer).contents;
  const hash = hashOf(readAlgorithm(take(rest, tags.sequence).whole));
  const hashes = new Map<number, Uint8Array>();
  for (const entry of childrenOf(take(rest, tags.sequence).contents)) {
    const fields = childrenOf(entry.contents);
    const group = take(fields, tags.integer).contents;
    const number = group.length === 1 ? (group[0] ?? 0) : 0;
    if (number < 1 || number > 16 || hashes.has(number)) {
      throw new MalformedDer('a data group is listed twice, or is none');
    }
    hashes.set(number, take(fields, tags.octetString).contents);
  }
  const info = takeIf(rest, tags.sequence);
  const [number = 2] = version;
  if (version.length !== 1 || number > 1 || rest.length > 0) {
    throw new MalformedDer('unknown version of the LDS security object');
  }
  return { hash, hashes, version: number, ldsVersion: info && ldsVersionOf(info) };
}

/** LDSVersionInfo ::= SEQUENCE { ldsVersion, unicodeVersion }: `1.8` for 0108. */
function ldsVersionOf(info: Element): string | null {
  const [version] = childrenOf(info.contents);
  const digits = /^(\d\d)(\d\d)$/.exec(Buffer.from(version?.contents ?? []).toString('latin1'));
  return digits && `${Number(digits[1])}.${Number(digits[2])}`;
}
