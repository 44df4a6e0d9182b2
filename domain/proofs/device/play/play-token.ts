import { compactDecrypt, compactVerify } from 'jose';
import { p256KeyOf } from '../p256-key.ts';

/** The keys of one app whose tokens are opened here (Play Console, "self-managed keys"). */
export interface PlayKeys {
  /** AES, 32 bytes; needed for a token that is still encrypted. */
  readonly decryptionKey?: Uint8Array | undefined;
  /** P-256, SubjectPublicKeyInfo in DER; without it nothing opens. */
  readonly verificationKey?: Uint8Array | undefined;
}

/** What a token holds, read as JSON and no further; or why it holds nothing. */
export type OpenedToken =
  | { readonly payload: unknown }
  | { readonly fault: 'malformed' | 'signature_invalid' };

/** Of a token as it comes; genuine ones have a few thousand characters. */
export const playTokenLengthMax = 16 * 1024;

const encryptedParts = 5;

/** Whether a token is encrypted still (RFC 7516 §7.1): five parts, a signed one has three. */
export const isEncrypted = (token: string): boolean => token.split('.').length === encryptedParts;

/**
 * The signed token inside an encrypted one: JWE with A256KW and A256GCM alone, never compressed.
 * It can be judged for good without the secret key. Null when it does not open.
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
 * Opens a token, encrypted or signed only: a JWS with ES256 by the vendor's key for this app.
 * Answers for hostile bytes; never throws.
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
