/** The few DER forms that a signature needs (X.690 §10, §11). */
export type Der = Buffer;

const tags = {
  boolean: 1,
  integer: 2,
  bits: 3,
  octets: 4,
  oid: 6,
  enumerated: 0x0a,
  utcTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export function tlv(tag: number, ...parts: readonly Uint8Array[]): Der {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.of(tag, body.length), body]);
  const length: number[] = [];
  for (let rest = body.length; rest > 0; rest >>>= 8) length.unshift(rest & 0xff);
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length, ...length), body]);
}

export const sequence = (...parts: Uint8Array[]): Der => tlv(tags.sequence, ...parts);
export const octets = (bytes: Uint8Array): Der => tlv(tags.octets, bytes);
/** A BIT STRING of whole octets, such as a signature. */
export const bits = (bytes: Uint8Array): Der => tlv(tags.bits, Buffer.of(0), bytes);
export const enumerated = (value: number): Der => tlv(tags.enumerated, Buffer.of(value));
/** A SET OF, its members in the order of their encodings (X.690 §11.6). */
export const setOf = (...parts: Uint8Array[]): Der =>
  tlv(tags.set, ...[...parts].sort((a, b) => Buffer.compare(a, b)));
export const context = (number: number, ...parts: Uint8Array[]): Der =>
  tlv(0xa0 | number, ...parts);

export function integer(value: number | Uint8Array): Der {
  const bytes = typeof value === 'number' ? fromNumber(value) : Buffer.from(value);
  return tlv(tags.integer, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

function fromNumber(value: number): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const group = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
      group.unshift((left & 0x7f) | 0x80);
    }
    bytes.push(...group);
  }
  return tlv(tags.oid, Buffer.from(bytes));
}

/** A GeneralizedTime in whole seconds, UTC (RFC 5280 §4.1.2.5.2). */
export function generalizedTime(at: Date): Der {
  const text = at.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  return tlv(tags.time, Buffer.from(`${text}Z`));
}

/**
 * A time of a certificate or CRL: UTCTime through 2049, GeneralizedTime after (RFC 5280 §5.1.2.4).
 */
export function time(at: Date): Der {
  const general = generalizedTime(at);
  if (at.getUTCFullYear() >= 2050) return general;
  return tlv(tags.utcTime, general.subarray(4));
}

/** A non-critical extension (RFC 5280 §4.2). */
export const extension = (id: string, value: Uint8Array): Der => sequence(oid(id), octets(value));
