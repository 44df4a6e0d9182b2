import { createCipheriv, createDecipheriv, createHash, timingSafeEqual } from 'node:crypto';
import { childrenOf, encoded, MalformedDer } from '../../../pki/read-der.ts';

/** Cipher of the messages between chip and terminal with a shared secret (ICAO 9303-11 §9.8). */
export type Cipher = '3des' | 'aes-128' | 'aes-192' | 'aes-256';

export interface SessionKeys {
  readonly cipher: Cipher;
  readonly encryption: Buffer;
  readonly mac: Buffer;
}

/** A command before it is protected (ISO/IEC 7816-4); it expects `le` octets, at most 256. */
export interface Command {
  readonly ins: number;
  readonly p1: number;
  readonly p2: number;
  readonly data?: Uint8Array;
  readonly le?: number;
}

/** A response with a valid MAC. */
export interface Opened {
  readonly status: number;
  readonly data: Buffer;
}

const keyBytes: Readonly<Record<Cipher, number>> = {
  '3des': 16,
  'aes-128': 16,
  'aes-192': 24,
  'aes-256': 32,
};
const blockBytesOf = (cipher: Cipher): number => (cipher === '3des' ? 8 : 16);
const macBytes = 8;
/** Twice the longest response to a command without extended lengths. */
const responseBytesMax = 512;

/** Tags of the data objects of secure messaging (ISO/IEC 7816-4). */
const objects = { cryptogram: 0x87, expected: 0x97, status: 0x99, mac: 0x8e } as const;
const padded = 0x01;

/**
 * Derives the keys of a shared secret (ICAO 9303-11 §9.7.1). Does not set the parity of DES keys,
 * since implementations ignore it.
 */
export function sessionKeysOf(secret: Uint8Array, cipher: Cipher): SessionKeys {
  const hash = keyBytes[cipher] > 20 ? 'sha256' : 'sha1';
  const derive = (counter: number): Buffer =>
    createHash(hash)
      .update(secret)
      .update(Buffer.of(0, 0, 0, counter))
      .digest()
      .subarray(0, keyBytes[cipher]);
  return { cipher, encryption: derive(1), mac: derive(2) };
}

/** Returns the send sequence counter in the width of a block. */
export function counterOf(cipher: Cipher, count: number | bigint): Buffer {
  const octets = Buffer.alloc(blockBytesOf(cipher));
  octets.writeBigUInt64BE(BigInt(count), octets.length - 8);
  return octets;
}

/** Protects a command with the counter that it is sent with (ICAO 9303-11 §9.8.4). */
export function protectCommand(keys: SessionKeys, counter: Uint8Array, command: Command): Buffer {
  const { ins, p1, p2, data, le } = command;
  const header = Buffer.of(0x0c, ins, p1, p2);
  const body = Buffer.concat([
    ...(data ? [cryptogramOf(keys, counter, data)] : []),
    ...(le === undefined ? [] : [encoded(objects.expected, Buffer.of(le & 0xff))]),
  ]);
  const mac = macOf(keys, counter, Buffer.concat([pad(keys.cipher, header), body]));
  const whole = Buffer.concat([body, encoded(objects.mac, mac)]);
  return Buffer.concat([header, Buffer.of(whole.length), whole, Buffer.of(0)]);
}

/**
 * Opens a response with the counter that it arrived with. Null if its MAC is not of these keys, or
 * if it is a bare status, which is all that a party without the keys can send.
 * @throws `MalformedDer` if it is not a response
 */
export function openResponse(
  keys: SessionKeys,
  counter: Uint8Array,
  response: Uint8Array,
): Opened | null {
  if (response.length > responseBytesMax) throw new MalformedDer('the response is too long');
  if (response.length === 2) return null;
  const body = response.subarray(0, -2);
  const parts = childrenOf(body);
  const code = parts.pop();
  const status = parts.pop();
  const [cryptogram] = parts;
  const isShaped =
    code?.tag === objects.mac &&
    code.contents.length === macBytes &&
    status?.tag === objects.status &&
    parts.length <= 1 &&
    (!cryptogram || cryptogram.tag === objects.cryptogram);
  if (!isShaped) throw new MalformedDer('no response of secure messaging');
  if (Buffer.compare(status.contents, response.subarray(-2)) !== 0) {
    throw new MalformedDer('two statuses');
  }
  const covered = body.subarray(0, body.length - code.whole.length);
  if (!timingSafeEqual(macOf(keys, counter, covered), code.contents)) return null;
  const data = cryptogram ? decrypted(keys, counter, cryptogram.contents) : Buffer.alloc(0);
  return { status: Buffer.from(status.contents).readUInt16BE(), data };
}

/** DO'87': data encrypted with the session's key. */
export function cryptogramOf(keys: SessionKeys, counter: Uint8Array, data: Uint8Array): Buffer {
  const cipher = createCipheriv(cbcOf(keys.cipher), keys.encryption, ivOf(keys, counter));
  cipher.setAutoPadding(false);
  const encrypted = cipher.update(pad(keys.cipher, data));
  return encoded(objects.cryptogram, Buffer.of(padded), encrypted);
}

/**
 * Decrypts the contents of DO'87'.
 * @throws `MalformedDer`
 */
export function decrypted(keys: SessionKeys, counter: Uint8Array, contents: Uint8Array): Buffer {
  const encrypted = contents.subarray(1);
  const isWhole = encrypted.length > 0 && encrypted.length % blockBytesOf(keys.cipher) === 0;
  if (contents[0] !== padded || !isWhole) throw new MalformedDer('no whole blocks');
  const decipher = createDecipheriv(cbcOf(keys.cipher), keys.encryption, ivOf(keys, counter));
  decipher.setAutoPadding(false);
  const plain = decipher.update(encrypted);
  const end = plain.lastIndexOf(0x80);
  if (end < 0 || plain.subarray(end + 1).some((octet) => octet !== 0)) {
    throw new MalformedDer('no padding');
  }
  return plain.subarray(0, end);
}

/**
 * Returns an eight-octet MAC over counter and data: ISO/IEC 9797-1 algorithm 3, or CMAC for AES.
 */
export function macOf({ cipher, mac }: SessionKeys, counter: Uint8Array, data: Uint8Array): Buffer {
  const message = Buffer.concat([counter, pad(cipher, data)]);
  return cipher === '3des' ? retailMac(mac, message) : cmac(cipher, mac, message);
}

/** ISO/IEC 9797-1 padding method 2. */
export function pad(cipher: Cipher, data: Uint8Array): Buffer {
  const size = blockBytesOf(cipher);
  const room = size - (data.length % size);
  return Buffer.concat([data, Buffer.of(0x80), Buffer.alloc(room - 1)]);
}

const cbcOf = (cipher: Cipher): string => (cipher === '3des' ? 'des-ede-cbc' : `${cipher}-cbc`);

/** Returns zeros for 3DES, the encrypted counter for AES (ICAO 9303-11 §9.8.6.2). */
function ivOf({ cipher, encryption }: SessionKeys, counter: Uint8Array): Buffer {
  if (cipher === '3des') return Buffer.alloc(8);
  return chained(cbcOf(cipher), encryption, Buffer.alloc(16), counter);
}

function chained(name: string, key: Uint8Array, iv: Uint8Array, blocks: Uint8Array): Buffer {
  const cipher = createCipheriv(name, key, iv);
  cipher.setAutoPadding(false);
  return cipher.update(blocks);
}

/** DES with the first half of the key for all blocks but the last, which takes both halves. */
function retailMac(key: Uint8Array, message: Uint8Array): Buffer {
  const first = key.subarray(0, 8);
  const once = Buffer.concat([first, first, first]);
  const head = chained('des-ede3-cbc', once, Buffer.alloc(8), message.subarray(0, -8));
  return chained('des-ede-cbc', key, head.subarray(-8), message.subarray(-8));
}

/** CMAC (NIST SP 800-38B) of a message of whole blocks; padding always produces whole blocks. */
export function cmac(cipher: Exclude<Cipher, '3des'>, key: Uint8Array, message: Buffer): Buffer {
  const name = cbcOf(cipher);
  const subkey = doubled(chained(name, key, Buffer.alloc(16), Buffer.alloc(16)));
  const last = message.subarray(-16).map((octet, index) => octet ^ (subkey[index] ?? 0));
  const whole = Buffer.concat([message.subarray(0, -16), last]);
  return chained(name, key, Buffer.alloc(16), whole).subarray(-16).subarray(0, macBytes);
}

/** Multiplies by two in GF(2^128), for a subkey of SP 800-38B §6.1. */
function doubled(block: Buffer): Buffer {
  const twice = block.map((octet, index) => (octet << 1) | ((block[index + 1] ?? 0) >> 7));
  twice[15] = (twice[15] ?? 0) ^ ((block[0] ?? 0) & 0x80 ? 0x87 : 0);
  return Buffer.from(twice);
}
