import { compactDecrypt, compactVerify } from 'jose';
import { p256KeyOf } from '../p256-key.ts';

/** The keys that open the tokens of one app (Play Console, "self-managed keys"). */
export interface PlayKeys {
  /** AES, 32 bytes; needed for a token that is still encrypted. */
  readonly decryptionKey?: Uint8Array | undefined;
  /** P-256, SubjectPublicKeyInfo in DER; without it no token opens. */
  readonly verificationKey?: Uint8Array | undefined;
}

/** The content of a token as parsed JSON, not validated; or why it cannot be opened. */
export type OpenedToken =
  | { readonly payload: unknown }
  | { readonly fault: 'malformed' | 'signature_invalid' };

/** Limit of a received token; genuine ones have a few thousand characters. */
export const playTokenLengthMax = 16 * 1024;

const encryptedParts = 5;

/**
 * Whether a token is still encrypted (RFC 7516 §7.1): it has five parts, a signed one has three.
 */
export const isEncrypted = (token: string): boolean => token.split('.').length === encryptedParts;

/**
 * Decrypts a token and returns the signed token inside: JWE with A256KW and A256GCM only, never
 * compressed. The signed token can be judged without the secret key. Null if it does not decrypt.
 */
export async function decryptPlayToken(
  token: string,
  decryptionKey: Uint8Array,
): Promise<string | null> {
  if (token.length > playTokenLengthMax) return null;
  try {
    const { plaintext } = await compactDecrypt(token, decryptionKey, {
      keyManagementAlgorithms: ['A256KW'],
      contentEncryptionAlgorithms: ['A256GCM'],
      maxDecompressedLength: 0,
    });
    return new TextDecoder('utf-8', { fatal: true }).decode(plaintext);
  } catch {
    return null;
  }
}

/**
 * Opens a token, encrypted or only signed: a JWS with ES256 by the vendor's key for this app. Never
 * throws, even for hostile bytes.
 */
export async function openPlayToken(
  token: string,
  { verificationKey, decryptionKey }: PlayKeys,
): Promise<OpenedToken> {
  const signed =
    isEncrypted(token) && decryptionKey ? await decryptPlayToken(token, decryptionKey) : token;
  const key = verificationKey && p256KeyOf(verificationKey);
  if (!signed || signed.length > playTokenLengthMax || !key) return { fault: 'malformed' };
  try {
    const { payload } = await compactVerify(signed, key, { algorithms: ['ES256'] });
    return { payload: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)) };
  } catch (error) {
    const isForged = Object(error).code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';
    return { fault: isForged ? 'signature_invalid' : 'malformed' };
  }
}
