/**
 * A cursor over DER (ITU-T X.690 §8, §10) that slices and never copies. It reads what is DER by
 * law and comes in bulk (certificates, revocation lists, data groups): a full parse of a national
 * master list builds an object for every one of its 90,000 nodes and takes 200 MB.
 */
export class MalformedDer extends Error {
  override readonly name = 'MalformedDer';
}

export interface Element {
  /** The identifier octets read as one number: 0x30, 0xa0, and 0x5f1f for a tag of two octets. */
  readonly tag: number;
  /** Identifier, length and contents, as they stand in the input. */
  readonly whole: Uint8Array;
  readonly contents: Uint8Array;
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

const childrenMax = 256;

/** Every element of `bytes`, one after the other. Throws `MalformedDer` where one does not fit. */
export function* elementsOf(bytes: Uint8Array): Generator<Element> {
  let offset = 0;
  while (offset < bytes.length) {
    const element = readAt(bytes, offset);
    offset += element.whole.length;
    yield element;
  }
}

/** The one element that `bytes` consists of, nothing after it. */
export function readElement(bytes: Uint8Array, tag?: number): Element {
  const element = readAt(bytes, 0);
  if (element.whole.length !== bytes.length) throw new MalformedDer('bytes follow the element');
  if (tag !== undefined && element.tag !== tag) throw new MalformedDer('another tag is expected');
  return element;
}

/** The elements inside `bytes`, at most 256: for structures, not for lists of unknown length. */
export function childrenOf(bytes: Uint8Array): Element[] {
  const children: Element[] = [];
  for (const element of elementsOf(bytes)) {
    if (children.length === childrenMax) throw new MalformedDer('too many elements');
    children.push(element);
  }
  return children;
}

/** Takes the next element off `rest` when it has this tag. */
export function takeIf(rest: Element[], tag: number): Element | null {
  return rest[0]?.tag === tag ? (rest.shift() ?? null) : null;
}

/** Takes the next element off `rest`, which must have this tag. */
export function take(rest: Element[], tag: number): Element {
  const element = takeIf(rest, tag);
  if (!element) throw new MalformedDer('an element is missing');
  return element;
}

/** OBJECT IDENTIFIER contents in dotted form (X.690 §8.19). */
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

/** UTCTime or GeneralizedTime in the one form RFC 5280 §4.1.2.5 allows: to the second, in Z. */
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

function readAt(bytes: Uint8Array, start: number): Element {
  let offset = start;
  let tag = octetAt(bytes, offset++);
  if ((tag & 0x1f) === 0x1f) {
    const second = octetAt(bytes, offset++);
    if (second & 0x80) throw new MalformedDer('the tag is too long');
    tag = (tag << 8) | second;
  }
  let length = octetAt(bytes, offset++);
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

function octetAt(bytes: Uint8Array, offset: number): number {
  const octet = bytes[offset];
  if (octet === undefined) throw new MalformedDer('the element ends too early');
  return octet;
}
