/**
 * A cursor over BER and DER (ITU-T X.690 §8, §10) that slices, never copies, and reads only on
 * demand. Input is untrusted or large: a parser that builds an object per node takes 200 MB for a
 * national master list, and 4 GB for 15 MB of hostile octets. See docs/decisions/020-own-code.md.
 */
export class MalformedDer extends Error {
  override readonly name = 'MalformedDer';
}

export interface Element {
  /** The identifier octets as one number: 0x30, 0xa0; 0x5f1f, 0xbf8540 for longer tags. */
  readonly tag: number;
  /** Identifier, length and contents, as in the input. */
  readonly whole: Uint8Array;
  readonly contents: Uint8Array;
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  octetPieces: 0x24,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Certificates are DER; CMS may also be BER, with indefinite lengths. */
export type Rules = 'der' | 'ber';

const childrenMax = 256;
/** Octets after the first: tag numbers up to 2^21. */
const tagOctetsMax = 3;
const depthMax = 32;
/**
 * Elements that the search for one end may skip: a list of 16 MiB in pieces of 1,000 octets has
 * fewer.
 */
const scannedMax = 50_000;
const piecesMax = 50_000;

/**
 * Yields every element of `bytes`.
 * @throws `MalformedDer` if one does not fit
 */
export function* elementsOf(bytes: Uint8Array, rules: Rules = 'der'): Generator<Element> {
  let offset = 0;
  while (offset < bytes.length) {
    const element = readAt(bytes, offset, rules);
    offset += element.whole.length;
    yield element;
  }
}

/** Returns the only element of `bytes`; nothing may follow it. */
export function readElement(bytes: Uint8Array, tag?: number, rules: Rules = 'der'): Element {
  const element = readAt(bytes, 0, rules);
  if (element.whole.length !== bytes.length) throw new MalformedDer('bytes follow the element');
  if (tag !== undefined && element.tag !== tag) throw new MalformedDer('another tag is expected');
  return element;
}

/**
 * Returns the elements inside `bytes`, at most 256: for structures, not for lists of unknown
 * length.
 */
export function childrenOf(bytes: Uint8Array, rules: Rules = 'der'): Element[] {
  const children: Element[] = [];
  for (const element of elementsOf(bytes, rules)) {
    if (children.length === childrenMax) throw new MalformedDer('too many elements');
    children.push(element);
  }
  return children;
}

/** Removes and returns the next element of `rest` if it has this tag; else null. */
export function takeIf(rest: Element[], tag: number): Element | null {
  return rest[0]?.tag === tag ? (rest.shift() ?? null) : null;
}

/** Removes and returns the next element of `rest`, which must have this tag. */
export function take(rest: Element[], tag: number): Element {
  const element = takeIf(rest, tag);
  if (!element) throw new MalformedDer('an element is missing');
  return element;
}

/** Encodes one element: a tag of one octet, the shortest length (X.690 §10.1). Up to 64 KiB. */
export function encoded(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  const { length } = body;
  const octets = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8];
  if (length >= 0x100) octets.push(length & 0xff);
  return Buffer.concat([Buffer.of(tag, ...octets), body]);
}

/** Returns the contents of an OBJECT IDENTIFIER in dotted form (X.690 §8.19). */
export function oidOf(contents: Uint8Array): string {
  if (contents.length === 0 || contents.length > 64 || (contents.at(-1) ?? 0) & 0x80) {
    throw new MalformedDer('not an object identifier');
  }
  const arcs: number[] = [];
  let arc = 0;
  for (const octet of contents) {
    arc = arc * 128 + (octet & 0x7f);
    if (octet & 0x80) continue;
    if (arcs.length === 0) {
      const first = Math.min(Math.floor(arc / 40), 2);
      arcs.push(first, arc - first * 40);
    } else {
      arcs.push(arc);
    }
    arc = 0;
  }
  return arcs.join('.');
}

/** Returns the contents of an OCTET STRING, in one piece or, in BER, in several (X.690 §8.7). */
export function octetsOf(element: Element): Uint8Array {
  if (element.tag === tags.octetString) return element.contents;
  if (element.tag !== tags.octetPieces) throw new MalformedDer('octets are missing');
  const pieces: Uint8Array[] = [];
  for (const piece of elementsOf(element.contents, 'ber')) {
    if (piece.tag !== tags.octetString) throw new MalformedDer('pieces within pieces');
    if (pieces.length === piecesMax) throw new MalformedDer('too many pieces');
    pieces.push(piece.contents);
  }
  return Buffer.concat(pieces);
}

/** Reads UTCTime or GeneralizedTime in the only form that RFC 5280 §4.1.2.5 allows: seconds, Z. */
export function timeOf(element: Element): Date {
  const text = Buffer.from(element.contents).toString('latin1');
  const digits = element.tag === tags.utcTime ? 12 : 14;
  if (element.tag !== tags.utcTime && element.tag !== tags.generalizedTime) {
    throw new MalformedDer('not a time');
  }
  if (!/^\d+Z$/.test(text) || text.length !== digits + 1) throw new MalformedDer('not a time');
  const century = Number(text.slice(0, 2)) >= 50 ? '19' : '20';
  const full = digits === 12 ? century + text : text;
  const iso = full.replace(/^(....)(..)(..)(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) throw new MalformedDer('not a time');
  return time;
}

interface Scan {
  depth: number;
  scanned: number;
}

function readAt(
  bytes: Uint8Array,
  start: number,
  rules: Rules,
  scan: Scan = { depth: 0, scanned: 0 },
): Element {
  let offset = start;
  let tag = octetAt(bytes, offset++);
  const constructed = (tag & 0x20) !== 0;
  if ((tag & 0x1f) === 0x1f) {
    const last = offset + tagOctetsMax;
    let octet: number;
    do {
      if (offset === last) throw new MalformedDer('the tag is too long');
      octet = octetAt(bytes, offset++);
      tag = tag * 256 + octet;
    } while (octet & 0x80);
  }
  let length = octetAt(bytes, offset++);
  if (length === 0x80 && rules === 'ber' && constructed) {
    const end = endOfContents(bytes, offset, scan);
    return {
      tag,
      whole: bytes.subarray(start, end + 2),
      contents: bytes.subarray(offset, end),
    };
  }
  if (length & 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > 4) throw new MalformedDer('the length is not definite');
    length = 0;
    for (let i = 0; i < count; i += 1) length = length * 256 + octetAt(bytes, offset++);
  }
  const end = offset + length;
  if (end > bytes.length) throw new MalformedDer('the element ends too early');
  return { tag, whole: bytes.subarray(start, end), contents: bytes.subarray(offset, end) };
}

/** Returns the end of an indefinite length: two zero octets on its own level (X.690 §8.1.5). */
function endOfContents(bytes: Uint8Array, start: number, scan: Scan): number {
  if (scan.depth === depthMax) throw new MalformedDer('nested too deeply');
  scan.depth += 1;
  let offset = start;
  while (octetAt(bytes, offset) !== 0 || octetAt(bytes, offset + 1) !== 0) {
    scan.scanned += 1;
    if (scan.scanned > scannedMax) throw new MalformedDer('too many elements');
    offset += readAt(bytes, offset, 'ber', scan).whole.length;
  }
  scan.depth -= 1;
  return offset;
}

function octetAt(bytes: Uint8Array, offset: number): number {
  const octet = bytes[offset];
  if (octet === undefined) throw new MalformedDer('the element ends too early');
  return octet;
}
