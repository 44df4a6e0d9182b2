import {
  childrenOf,
  MalformedDer,
  oidOf,
  readElement,
  take,
  takeIf,
  tags,
  timeOf,
  type Element,
} from '../../../domain/pki/read-der.ts';
import { Buffer } from './buffer.ts';

export const oids = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  distributionPoints: '2.5.29.31',
} as const;

/** The parsed fields of a certificate. */
export interface Parts {
  readonly tbs: Element;
  readonly serial: Uint8Array;
  readonly innerAlgorithm: Uint8Array;
  readonly outerAlgorithm: Uint8Array;
  readonly issuer: Element;
  readonly subject: Element;
  readonly validity: readonly [Element, Element];
  readonly spki: Uint8Array;
  readonly extensions: ReadonlyMap<string, Uint8Array>;
  readonly signature: Uint8Array;
}

/** Returns the result of a rule, or `fallback` if the rule throws, as for malformed bytes. */
export function orElse<T>(fallback: T, rule: () => T): T {
  try {
    return rule();
  } catch {
    return fallback;
  }
}

/** Returns an invalid date for a malformed time: no instant is before or after it. */
export const dateOf = (time: Element): Date => orElse(new Date(Number.NaN), () => timeOf(time));

/**
 * Whether the extensions in use can be parsed. OpenSSL trusts no certificate with malformed ones.
 */
export function areGood(extensions: Parts['extensions']): boolean {
  return [...extensions].every(([oid, value]) =>
    orElse(false, () => {
      forms.get(oid)?.(value);
      return true;
    }),
  );
}

/** Parses distribution points (RFC 5280 §4.2.1.13) up to the start of the names. */
function readDistributionPoints(value: Uint8Array): void {
  for (const point of childrenOf(readElement(value, tags.sequence).contents)) {
    const rest = childrenOf(point.contents);
    const named = takeIf(rest, 0xa0);
    for (const tag of [0x81, 0xa2]) takeIf(rest, tag);
    const [names, more] = named ? childrenOf(named.contents) : [];
    const isNames = !named || (!more && (names?.tag === 0xa0 || names?.tag === 0xa1));
    const isKnown = names?.tag !== 0xa0 || childrenOf(names.contents).every(isGeneralName);
    if (point.tag !== tags.sequence || rest.length > 0 || !isNames || !isKnown) {
      throw new MalformedDer('not a distribution point');
    }
  }
}

/** Checks the tag only (RFC 5280 §4.2.1.6). */
const isGeneralName = ({ tag }: Element): boolean =>
  [0xa0, 0x81, 0x82, 0xa3, 0xa4, 0xa5, 0x86, 0x87, 0x88].includes(tag);

const forms = new Map<string, (value: Uint8Array) => void>([
  [oids.distributionPoints, readDistributionPoints],
  [oids.subjectKeyId, (value) => void readElement(value, tags.octetString)],
  [oids.keyUsage, (value) => void bitsOf(readElement(value, tags.bitString))],
  [
    oids.basicConstraints,
    (value) => {
      const rest = childrenOf(readElement(value, tags.sequence).contents);
      const isCa = takeIf(rest, tags.boolean);
      const depth = takeIf(rest, tags.integer);
      const isBelowZero = depth && ((integerOf(depth)[0] ?? 0) & 0x80) !== 0;
      if (rest.length > 0 || isBelowZero || (isCa && isCa.contents.length !== 1))
        throw new MalformedDer('more');
    },
  ],
  [
    oids.authorityKeyId,
    (value) => {
      const rest = childrenOf(readElement(value, tags.sequence).contents);
      for (const tag of [0x80, 0xa1, 0x82]) takeIf(rest, tag);
      if (rest.length > 0) throw new MalformedDer('more');
    },
  ],
  [
    oids.extendedKeyUsage,
    (value) => {
      for (const { tag, contents } of childrenOf(readElement(value, tags.sequence).contents)) {
        if (tag !== tags.oid) throw new MalformedDer('not a purpose');
        oidOf(contents);
      }
    },
  ],
]);

/**
 * Parses a certificate (RFC 5280 §4.1).
 * @throws MalformedDer
 */
export function partsOf(der: Buffer): Parts {
  const whole = childrenOf(readElement(der, tags.sequence).contents);
  const tbs = take(whole, tags.sequence);
  const outerAlgorithm = algorithmOf(take(whole, tags.sequence));
  const signature = bitsOf(take(whole, tags.bitString));
  const rest = childrenOf(tbs.contents);
  const version = takeIf(rest, 0xa0);
  if (version) integerOf(readElement(version.contents, tags.integer));
  const serial = integerOf(take(rest, tags.integer));
  const innerAlgorithm = algorithmOf(take(rest, tags.sequence));
  const issuer = nameOf(take(rest, tags.sequence));
  const [from, to, ...more] = childrenOf(take(rest, tags.sequence).contents);
  const subject = nameOf(take(rest, tags.sequence));
  const spki = take(rest, tags.sequence);
  keyOf(spki);
  takeIf(rest, 0x81);
  takeIf(rest, 0x82);
  const field = takeIf(rest, 0xa3);
  const isTime = [from, to].every((each) => each && timeTags.has(each.tag));
  if (!from || !to || !isTime || more.length + rest.length + whole.length > 0) {
    throw new MalformedDer('not a certificate');
  }
  return {
    tbs,
    serial,
    innerAlgorithm,
    outerAlgorithm,
    issuer,
    subject,
    validity: [from, to],
    spki: spki.whole,
    extensions: field ? extensionsOf(field) : new Map(),
    signature,
  };
}

const timeTags: ReadonlySet<number> = new Set([tags.utcTime, tags.generalizedTime]);

/** Requires the minimal number of octets (X.690 §8.3.2). */
function integerOf({ contents }: Element): Uint8Array {
  const [first, second = 0] = contents;
  const isPadded = contents.length > 1 && first === (second & 0x80 ? 0xff : 0);
  if (first === undefined || isPadded) throw new MalformedDer('not an integer');
  return contents;
}

/**
 * Formats as uppercase hexadecimal in whole bytes. A negative integer is a sign and its magnitude.
 */
export function integerText(contents: Uint8Array): string {
  const value = BigInt(`0x${Buffer.from(contents).toString('hex')}`);
  const isNegative = ((contents[0] ?? 0) & 0x80) !== 0;
  const magnitude = isNegative ? (1n << BigInt(contents.length * 8)) - value : value;
  const hex = magnitude.toString(16).toUpperCase();
  return `${isNegative ? '-' : ''}${hex.length % 2 === 0 ? hex : `0${hex}`}`;
}

function algorithmOf({ whole, contents }: Element): Uint8Array {
  const [oid, parameters, more] = childrenOf(contents);
  if (oid?.tag !== tags.oid || more) throw new MalformedDer('not an algorithm');
  oidOf(oid.contents);
  if (parameters?.tag === tags.oid) oidOf(parameters.contents);
  if (parameters?.tag === 0x05 && parameters.contents.length > 0) {
    throw new MalformedDer('a null that is none');
  }
  return whole;
}

function bitsOf({ contents }: Element): Uint8Array {
  const [unused = 8] = contents;
  if (unused > 7 || (unused > 0 && contents.length === 1)) throw new MalformedDer('no bit string');
  return contents.subarray(1);
}

function keyOf({ contents }: Element): void {
  const parts = childrenOf(contents);
  algorithmOf(take(parts, tags.sequence));
  bitsOf(take(parts, tags.bitString));
  if (parts.length > 0) throw new MalformedDer('not a public key');
}

/** Validates the structure of a name (RFC 5280 §4.1.2.4). The values are decoded on demand. */
function nameOf(name: Element): Element {
  for (const rdn of childrenOf(name.contents)) {
    if (rdn.tag !== tags.set) throw new MalformedDer('not a name');
    for (const attribute of childrenOf(rdn.contents)) {
      const [type, value, more] = childrenOf(attribute.contents);
      const isText = value && !more && nameTags.has(value.tag);
      if (attribute.tag !== tags.sequence || type?.tag !== tags.oid || !isText) {
        throw new MalformedDer('not a name');
      }
      oidOf(type.contents);
    }
  }
  return name;
}

/** Tags allowed for the value of an attribute: all string types, bit string, sequence. */
const nameTags: ReadonlySet<number> = new Set([
  0x03, 0x0c, 0x12, 0x13, 0x14, 0x16, 0x1c, 0x1e, 0x30,
]);

/**
 * Parses the extensions.
 * @throws MalformedDer also if one occurs twice
 */
function extensionsOf(field: Element): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const extension of childrenOf(readElement(field.contents, tags.sequence).contents)) {
    const rest = childrenOf(extension.contents);
    const oid = oidOf(take(rest, tags.oid).contents);
    const critical = takeIf(rest, tags.boolean);
    const value = take(rest, tags.octetString).contents;
    const isWhole = extension.tag === tags.sequence && rest.length === 0;
    if (!isWhole || (critical && critical.contents.length !== 1) || found.has(oid)) {
      throw new MalformedDer('not an extension');
    }
    found.set(oid, value);
  }
  return found;
}
