/** Writes DER (ITU-T X.690), as far as synthetic passports need it. */

/** Returns one element. `tag` is its identifier octets (0x30, 0x7f61, 0xbf8a78). */
export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  const identifier = [tag >> 16, tag >> 8, tag].map((octet) => octet & 0xff);
  while (identifier[0] === 0) identifier.shift();
  return Buffer.concat([Buffer.from([...identifier, ...lengthOf(body.length)]), body]);
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => element(0x30, ...contents);
export const octetString = (...contents: readonly Uint8Array[]): Buffer =>
  element(0x04, ...contents);
export const bitString = (bytes: Uint8Array, unusedBits = 0): Buffer =>
  element(0x03, Buffer.from([unusedBits]), bytes);
export const text = (value: string): Buffer => element(0x0c, Buffer.from(value));
export const printable = (value: string): Buffer => element(0x13, Buffer.from(value, 'latin1'));
export const isTrue = Buffer.from([0x01, 0x01, 0xff]);

/** Returns a SET OF with its members in the order of their encodings (X.690 §11.6). */
export const setOf = (...members: readonly Uint8Array[]): Buffer =>
  element(0x31, ...[...members].sort((one, other) => Buffer.compare(one, other)));

/** Returns an INTEGER from a small number or from unsigned big-endian bytes. */
export function integer(value: number | Uint8Array): Buffer {
  const hex = typeof value === 'number' ? value.toString(16) : Buffer.from(value).toString('hex');
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return (bytes[0] ?? 0) & 0x80 ? element(0x02, Buffer.from([0]), bytes) : element(0x02, bytes);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** Returns UTCTime until 2049 and GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+Z$/g, '');
  return at.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : element(0x18, Buffer.from(`${digits}Z`));
}

function base128(arc: number): number[] {
  const octets = [arc & 0x7f];
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
    octets.unshift((left & 0x7f) | 0x80);
  }
  return octets;
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) octets.unshift(left & 0xff);
  return [0x80 | octets.length, ...octets];
}

/** Returns an Extension (RFC 5280 §4.1). */
export const extension = (type: string, value: Uint8Array, critical = false): Buffer =>
  sequence(oid(type), ...(critical ? [isTrue] : []), octetString(value));
