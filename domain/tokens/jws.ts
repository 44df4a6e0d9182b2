import type { KeyObject } from 'node:crypto';
import { compactVerify, errors, jwtVerify, type CryptoKey, type JWK } from 'jose';
import { hasLowS, withLowS } from '../pki/low-s.ts';
import type { Signer } from '../pki/signer.ts';
import { bytesOfBase64url } from './canonical-base64url.ts';
import { tokenLifeMsMax, type TokenKeys } from './token-keys.ts';

/** A longer token is refused before it is parsed. */
export const tokenBytesMax = 8 * 1024;

type Members = Readonly<Record<string, unknown>>;

/** A well-formed compact JWS. Its signature is not verified yet. */
export interface ParsedJws {
  readonly token: string;
  readonly header: Members;
  readonly claims: Members;
  readonly signature: Buffer;
}

/** One of the types that the platform issues or accepts, with a key id. */
interface DecodedJws extends ParsedJws {
  readonly header: Members & { readonly kid: string };
}

const algorithm = 'ES256';
const knownHeaders = new Set(['alg', 'typ', 'kid', 'x5c', 'x5t#S256']);
const signatureBytes = 64;

/**
 * Signs claims as a compact JWS (RFC 7515) with low S. The private key can be in a KMS or a token,
 * where `jose` cannot sign: docs/decisions/020-own-code.md.
 */
export async function signJws(signer: Signer, typ: string, claims: Members): Promise<string> {
  const input = `${encode({ alg: signer.algorithm, kid: signer.kid, typ })}.${encode(claims)}`;
  const signature = withLowS(derToRaw(await signer.sign(Buffer.from(input))));
  return `${input}.${signature.toString('base64url')}`;
}

/**
 * Parses a compact JWS in the form that the platform accepts. Returns null for any other text, and
 * for a signature without the length of ES256.
 */
export function parseJws(token: string): ParsedJws | null {
  const jws = takeApart(token, tokenBytesMax);
  return jws?.signature.length === signatureBytes ? jws : null;
}

/**
 * Parses a compact JWS. Returns null for input that `jose` would accept: a text over `bytesMax`,
 * base64url that is not canonical, duplicate members of JSON (RFC 8725 §2.4, RFC 8259 §4). See
 * docs/decisions/020-own-code.md.
 */
export function takeApart(token: string, bytesMax: number): ParsedJws | null {
  if (token.length > bytesMax) return null;
  const parts = token.split('.', 4);
  const [head, body, signature] = parts.map(bytesOfBase64url);
  if (parts.length !== 3 || !head || !body || !signature) return null;
  const header = parseObject(head);
  const claims = parseObject(body);
  return header && claims && { token, header, claims, signature };
}

/**
 * Parses a compact JWS of exactly one type with ES256. Returns null for any other, and for header
 * members that name keys or change the processing (jwk, jku, x5u, crit, zip, b64; RFC 8725 §3.1,
 * §3.10, §3.11).
 */
export function decodeJws(token: string, typ: string): DecodedJws | null {
  const jws = parseJws(token);
  if (!jws || !hasPlainHeader(jws)) return null;
  const { kid } = jws.header;
  if (jws.header['alg'] !== algorithm || jws.header['typ'] !== typ) return null;
  return typeof kid === 'string' ? { ...jws, header: { ...jws.header, kid } } : null;
}

/** Whether the header has only members that this platform writes. */
export function hasPlainHeader({ header }: ParsedJws): boolean {
  return Object.keys(header).every((name) => knownHeaders.has(name));
}

/** Whether a parsed JWS is signed by this key with this algorithm. */
export async function isSignedBy(
  { token }: Pick<ParsedJws, 'token'>,
  key: KeyObject | CryptoKey | JWK,
  alg: string = algorithm,
): Promise<boolean> {
  return (await unlessRefused(compactVerify(token, key, { algorithms: [alg] }))) !== null;
}

export interface TokenKind {
  readonly typ: string;
  readonly issuer: string;
  /** Absent for a kind without an audience. */
  readonly audience?: string;
}

/**
 * Verifies a token of the platform (RFC 7519 §7.2, RFC 8725 §3). Returns its claims, or null for
 * any fault. The platform signs with low S only, so that a token has one form; a high S is refused.
 * See docs/decisions/011-certificates-and-signatures.md.
 */
export async function verifyToken(
  keys: TokenKeys,
  { typ, issuer, audience }: TokenKind,
  token: string,
  now: Date,
): Promise<Members | null> {
  const jws = decodeJws(token, typ);
  const key = jws && hasLowS(jws.signature) ? keys.tokenKey(jws.header.kid, now) : null;
  // `jose` would accept a list that contains our audience.
  if (!key || jws?.claims['aud'] !== audience) return null;
  const verified = await unlessRefused(
    jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer,
      currentDate: now,
      maxTokenAge: tokenLifeMsMax / 1000,
      requiredClaims: ['exp'],
    }),
  );
  return verified && verified.payload;
}

/** Returns null if `jose` refuses a token. */
async function unlessRefused<T>(verified: Promise<T>): Promise<T | null> {
  try {
    return await verified;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a JSON object without duplicate members; null for any other text. */
function parseObject(bytes: Buffer): Record<string, unknown> | null {
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    // Fast path: a text that equals its own serialization has no duplicates.
    const isSound = JSON.stringify(value) === text || !hasDuplicates(text);
    return isSound ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Duplicate members change the number of members between the text and its parsed form. */
function hasDuplicates(text: string): boolean {
  let written = 0;
  const parsed: unknown = JSON.parse(text, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      written += Object.keys(value).length;
    }
    return value;
  });
  const colons = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;
  return parsed === undefined || colons !== written;
}

/** Converts an ECDSA-Sig-Value (DER) to the r‖s of JWS (RFC 7518 §3.4). */
export function derToRaw(der: Uint8Array): Buffer {
  const bytes = Buffer.from(der);
  let at = 2 + ((bytes[1] ?? 0) > 0x80 ? 1 : 0);
  const parts: Buffer[] = [];
  for (let index = 0; index < 2; index += 1) {
    const length = bytes[at + 1] ?? 0;
    const value = bytes.subarray(at + 2, at + 2 + length);
    const trimmed = value[0] === 0 ? value.subarray(1) : value;
    parts.push(Buffer.concat([Buffer.alloc(32 - trimmed.length), trimmed]));
    at += 2 + length;
  }
  return Buffer.concat(parts);
}
