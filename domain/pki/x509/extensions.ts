import { childrenOf, oidOf, readElement, take, takeIf, tags } from '../read-der.ts';

export interface Extension {
  readonly oid: string;
  readonly isCritical: boolean;
  /** The content of the extension's OCTET STRING. */
  readonly value: Uint8Array;
}

/** Extensions by their object identifiers. */
export type Extensions = ReadonlyMap<string, Extension>;

export const extensionOids = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  distributionPoints: '2.5.29.31',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

/** Bits of keyUsage (RFC 5280 §4.2.1.3), in the first octet of the bit string. */
export const keyUsages = {
  digitalSignature: 0x80,
  nonRepudiation: 0x40,
  keyCertSign: 0x04,
  crlSign: 0x02,
} as const;

/**
 * Reads extensions (RFC 5280 §4.1) of a certificate, a CRL or an OCSP request, in their order.
 * @param contents one SEQUENCE OF Extension
 * @throws `MalformedDer`
 */
export const readExtensions = (contents: Uint8Array): Extension[] =>
  childrenOf(readElement(contents, tags.sequence).contents).map((extension) => {
    const rest = childrenOf(extension.contents);
    const oid = oidOf(take(rest, tags.oid).contents);
    const critical = takeIf(rest, tags.boolean);
    const { contents: value } = take(rest, tags.octetString);
    return { oid, isCritical: critical !== null && critical.contents[0] !== 0, value };
  });

/** Returns the first octet of the keyUsage bit string (RFC 5280 §4.2.1.3); null if absent. */
export function keyUsageOf(extensions: Extensions): number | null {
  const usage = extensions.get(extensionOids.keyUsage);
  return usage ? (readElement(usage.value, tags.bitString).contents[1] ?? 0) : null;
}

export interface BasicConstraints {
  readonly isCritical: boolean;
  readonly isAuthority: boolean;
  /** INTEGER contents of pathLenConstraint; null if absent. */
  readonly pathLength: Uint8Array | null;
}

/** Returns basicConstraints (RFC 5280 §4.2.1.9); null if absent. */
export function basicConstraintsOf(extensions: Extensions): BasicConstraints | null {
  const constraints = extensions.get(extensionOids.basicConstraints);
  if (!constraints) return null;
  const rest = childrenOf(readElement(constraints.value, tags.sequence).contents);
  return {
    isCritical: constraints.isCritical,
    isAuthority: takeIf(rest, tags.boolean)?.contents[0] === 0xff,
    pathLength: takeIf(rest, tags.integer)?.contents ?? null,
  };
}

/** Returns the subject key identifier in hexadecimal (RFC 5280 §4.2.1.2); null if absent. */
export function subjectKeyIdOf(extensions: Extensions): string | null {
  const extension = extensions.get(extensionOids.subjectKeyId);
  return extension ? hexOf(readElement(extension.value, tags.octetString).contents) : null;
}

/** Returns the authority key identifier in hexadecimal (RFC 5280 §4.2.1.1); null if absent. */
export function authorityKeyIdOf(extensions: Extensions): string | null {
  const extension = extensions.get(extensionOids.authorityKeyId);
  if (!extension) return null;
  const [keyId] = childrenOf(readElement(extension.value, tags.sequence).contents);
  return keyId?.tag === 0x80 ? hexOf(keyId.contents) : null;
}

/** Returns the purposes of the key (RFC 5280 §4.2.1.12); empty if absent. */
export function extendedKeyUsageOf(extensions: Extensions): readonly string[] {
  const extension = extensions.get(extensionOids.extendedKeyUsage);
  if (!extension) return [];
  return childrenOf(readElement(extension.value, tags.sequence).contents).map((use) =>
    oidOf(use.contents),
  );
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
