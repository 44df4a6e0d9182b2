/** Returns a positive serial of 126 random bits (RFC 5280 §4.1.2.2). */
export function newSerial(randomBytes: (size: number) => Uint8Array): Buffer {
  const bytes = Buffer.from(randomBytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}
