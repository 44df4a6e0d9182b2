import {
  childrenOf,
  MalformedDer,
  readElement,
  take,
  takeIf,
  tags,
  type Element,
} from '../../../pki/read-der.ts';

/**
 * The Keystore's description of a key (the KeyDescription of
 * source.android.com/docs/security/features/keystore/attestation, versions 1 to 500).
 */
export interface KeyDescription {
  readonly attestationVersion: number;
  readonly attestationSecurityLevel: number;
  readonly keymintVersion: number;
  readonly keymintSecurityLevel: number;
  readonly challenge: Uint8Array;
  readonly software: AuthorizationList;
  readonly hardware: AuthorizationList;
}

/** The authorizations in one of the two lists; null for absent ones. */
export interface AuthorizationList {
  readonly purposes: readonly number[];
  readonly algorithm: number | null;
  readonly keySize: number | null;
  readonly ecCurve: number | null;
  readonly origin: number | null;
  readonly rootOfTrust: RootOfTrust | null;
  readonly osVersion: number | null;
  /** YYYYMM; on a few phones YYYYMMDD. */
  readonly osPatchLevel: number | null;
  readonly applicationId: ApplicationId | null;
}

export interface RootOfTrust {
  readonly deviceLocked: boolean;
  readonly verifiedBootState: number;
}

/** The app, or the apps that share its user id, and the SHA-256 of their signing certificates. */
export interface ApplicationId {
  readonly packages: readonly string[];
  readonly signatureDigests: readonly Uint8Array[];
}

/** The certificate extension with the key description. */
export const keyDescriptionOid = '1.3.6.1.4.1.11129.2.1.17';

const enumerated = 0x0a;
const contextConstructed = 0xa0;
const integerOctetsMax = 6;

/**
 * Reads the DER of a key description. Unknown tags are ignored, since every KeyMint adds new ones.
 * Their order is not checked, since genuine phones got it wrong. A duplicate tag is refused.
 * @throws `MalformedDer`
 */
export function readKeyDescription(der: Uint8Array): KeyDescription {
  const rest = childrenOf(readElement(der, tags.sequence).contents);
  const description = {
    attestationVersion: numberOf(take(rest, tags.integer)),
    attestationSecurityLevel: numberOf(take(rest, enumerated)),
    keymintVersion: numberOf(take(rest, tags.integer)),
    keymintSecurityLevel: numberOf(take(rest, enumerated)),
    challenge: take(rest, tags.octetString).contents,
    // Only system apps request the unique id.
    uniqueId: take(rest, tags.octetString).contents,
    software: readList(take(rest, tags.sequence)),
    hardware: readList(take(rest, tags.sequence)),
  };
  if (rest.length > 0) throw new MalformedDer('the key description is too long');
  return description;
}

function readList(list: Element): AuthorizationList {
  const entries = new Map<number, Uint8Array>();
  for (const entry of childrenOf(list.contents)) {
    const number = contextNumberOf(entry.tag);
    if (entries.has(number)) throw new MalformedDer('a tag stands twice');
    entries.set(number, entry.contents);
  }
  const read = <T>(number: number, tag: number, reader: (element: Element) => T): T | null => {
    const contents = entries.get(number);
    return contents ? reader(readElement(contents, tag)) : null;
  };
  return {
    purposes: read(1, tags.set, numbersOf) ?? [],
    algorithm: read(2, tags.integer, numberOf),
    keySize: read(3, tags.integer, numberOf),
    ecCurve: read(10, tags.integer, numberOf),
    origin: read(702, tags.integer, numberOf),
    rootOfTrust: read(704, tags.sequence, readRootOfTrust),
    osVersion: read(705, tags.integer, numberOf),
    osPatchLevel: read(706, tags.integer, numberOf),
    applicationId: read(709, tags.octetString, readApplicationId),
  };
}

function readRootOfTrust({ contents }: Element): RootOfTrust {
  const rest = childrenOf(contents);
  take(rest, tags.octetString);
  const deviceLocked = booleanOf(take(rest, tags.boolean));
  const verifiedBootState = numberOf(take(rest, enumerated));
  // The hash of the boot image is present since version 3.
  takeIf(rest, tags.octetString);
  if (rest.length > 0) throw new MalformedDer('the root of trust is too long');
  return { deviceLocked, verifiedBootState };
}

function readApplicationId({ contents }: Element): ApplicationId {
  const rest = childrenOf(readElement(contents, tags.sequence).contents);
  const packages = childrenOf(take(rest, tags.set).contents).map((info) => {
    if (info.tag !== tags.sequence) throw new MalformedDer('not a package');
    return textOf(take(childrenOf(info.contents), tags.octetString).contents);
  });
  const signatureDigests = childrenOf(take(rest, tags.set).contents).map((digest) => {
    if (digest.tag !== tags.octetString) throw new MalformedDer('not a digest');
    return digest.contents;
  });
  return { packages, signatureDigests };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(octets: Uint8Array): string {
  try {
    return utf8.decode(octets);
  } catch {
    throw new MalformedDer('not UTF-8');
  }
}

/** Returns the number of a context-specific, constructed tag (X.690 §8.1.2). */
function contextNumberOf(tag: number): number {
  const octets: number[] = [];
  for (let left = tag; left > 0; left = Math.floor(left / 256)) octets.unshift(left % 256);
  const [first = 0, ...more] = octets;
  if ((first & 0xe0) !== contextConstructed) throw new MalformedDer('not an authorization');
  if (more.length === 0) return first & 0x1f;
  return more.reduce((number, octet) => number * 128 + (octet & 0x7f), 0);
}

const numbersOf = ({ contents }: Element): number[] =>
  childrenOf(contents).map((element) => {
    if (element.tag !== tags.integer) throw new MalformedDer('not a number');
    return numberOf(element);
  });

/** Reads an INTEGER or ENUMERATED; negative values are refused. */
function numberOf({ contents }: Element): number {
  const [first] = contents;
  if (first === undefined || first & 0x80 || contents.length > integerOctetsMax) {
    throw new MalformedDer('not a number');
  }
  return contents.reduce((number, octet) => number * 256 + octet, 0);
}

/** TRUE is 0xff (X.690 §11.1). */
function booleanOf({ contents }: Element): boolean {
  const [octet] = contents;
  if (contents.length !== 1 || (octet !== 0 && octet !== 0xff)) {
    throw new MalformedDer('not a boolean');
  }
  return octet === 0xff;
}
