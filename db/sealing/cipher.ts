import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals with AES-256-GCM: `version 1 byte ‖ nonce 12 ‖ tag 16 ‖ ciphertext`. The context is bound
 * as AAD.
 */
export function sealWith(key: KeyObject, context: string, plain: string | Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), body]);
}

/**
 * Opens a value of `sealWith`.
 * @throws if the key or the context differs, or the bytes were changed
 */
export function openWith(key: KeyObject, context: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed);
  if (bytes.length < 1 + nonceBytes + tagBytes || bytes[0] !== version) {
    throw new Error('a sealed value has an unknown form');
  }
  const nonce = bytes.subarray(1, 1 + nonceBytes);
  const tag = bytes.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  return Buffer.concat([
    decipher.update(bytes.subarray(1 + nonceBytes + tagBytes)),
    decipher.final(),
  ]);
}
