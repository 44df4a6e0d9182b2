import { verify as verifySignature, type KeyObject } from 'node:crypto';
import { hasLowS, withLowS } from '../pki/low-s.ts';
import type { Signer } from '../pki/signer.ts';
import { bytesOfBase64url } from './canonical-base64url.ts';
import type { TokenKeys } from './token-keys.ts';

/** A token longer than this is refused before anything of it is parsed. */
export const tokenBytesMax = 8 * 1024;

export interface JwsHeader {
  readonly alg: string;
  readonly typ: string;
  readonly kid: string;
  readonly x5c?: readonly string[];
}

/** A compact JWS in its three parts, none of which is believed yet. */
export interface ParsedJws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signingInput: Buffer;
  readonly signature: Buffer;
}

export interface DecodedJws extends ParsedJws {
  readonly header: JwsHeader & Readonly<Record<string, unknown>>;
}

const knownHeaders = new Set(['alg', 'typ', 'kid', 'x5c', 'x5t#S256']);
const signatureBytes = 64;

/** Signs claims as a compact JWS (RFC 7515) with an ES256 signer; the signature has a low S. */
export async function signJws(
  signer: Signer,
  header: {
    readonly typ: string;
    readonly x5c?: readonly string[];
    readonly 'x5t#S256'?: string;
  },
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const head = { alg: signer.algorithm, kid: signer.kid, ...header };
  const input = `${encode(head)}.${encode(claims)}`;
  const signature = withLowS(derToRaw(await signer.sign(Buffer.from(input))));
  return `${input}.${signature.toString('base64url')}`;
}

/**
 * Takes a compact JWS of ours apart without trusting any of it: null for anything out of form, and
 * for a signature that cannot be one of ES256.
 */
export function parseJws(token: string): ParsedJws | null {
  const jws = takeApart(token, tokenBytesMax);
  return jws?.signature.length === signatureBytes ? jws : null;
}

/**
 * Takes any compact JWS apart without trusting any of it. Null for anything out of form: size,
 * parts, base64url that is not canonical, JSON that is no object or has duplicate members (RFC 8725
 * §3).
 */
export function takeApart(token: string, bytesMax: number): ParsedJws | null {
  if (token.length > bytesMax) return null;
  const parts = token.split('.', 4);
  const [head, body, tail] = parts.map(bytesOfBase64url);
  if (parts.length !== 3 || !head || !body || !tail) return null;
  const header = parseObject(head);
  const claims = parseObject(body);
  if (!header || !claims) return null;
  const signingInput = Buffer.from(`${parts[0]}.${parts[1]}`);
  return { header, claims, signingInput, signature: tail };
}

/**
 * A compact JWS of one type with ES256. Null for anything else, and for header members that point
 * to keys or change the processing (jwk, jku, x5u, crit, zip, b64; RFC 8725 §3.1, §3.10, §3.11).
 */
export function decodeJws(token: string, typ: string): DecodedJws | null {
  const jws = parseJws(token);
  if (!jws || !hasPlainHeader(jws)) return null;
  const { alg, kid, x5c } = jws.header;
  if (alg !== 'ES256' || jws.header['typ'] !== typ || typeof kid !== 'string') return null;
  if (x5c !== undefined && !isTextList(x5c)) return null;
  return { ...jws, header: { ...jws.header, alg, typ, kid, ...(x5c ? { x5c } : {}) } };
}

/** Whether the header holds nothing but what this platform writes. */
export function hasPlainHeader({ header }: ParsedJws): boolean {
  return Object.keys(header).every((name) => knownHeaders.has(name));
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * Whether the signature of a decoded token is that of the key (ES256, r‖s). OpenSSL takes DER; with
 * an object of options in place of the key Node makes it that itself, at a third more.
 */
export function isSignedBy({ signingInput, signature }: ParsedJws, key: KeyObject): boolean {
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
  if (signature.length !== signatureBytes) return false;
  return verifySignature('sha256', signingInput, key, rawToDer(signature));
}

/**
 * Whether the platform signed a decoded token with an accepted key. A high S is refused: the
 * platform signs with a low S only, so a token has one form.
 * See docs/decisions/163-low-s-signatures.md.
 */
export function isSignedByOne(keys: TokenKeys, jws: DecodedJws, now: Date): boolean {
  const key = keys.tokenKey(jws.header.kid, now);
  return key !== null && hasLowS(jws.signature) && isSignedBy(jws, key);
}

/** The instants of a token hold now, give or take the skew (RFC 7519 §4.1.4–4.1.6). */
export function isCurrent(
  claims: Readonly<Record<string, unknown>>,
  now: Date,
  skewSeconds = 60,
): boolean {
  const { exp, nbf, iat } = claims;
  const at = now.getTime() / 1000;
  if (typeof exp !== 'number' || typeof iat !== 'number') return false;
  if (at >= exp + skewSeconds || iat > at + skewSeconds) return false;
  return nbf === undefined || (typeof nbf === 'number' && nbf <= at + skewSeconds);
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A JSON object that reads the same after being written again: no duplicates, no odd spellings. */
function parseObject(bytes: Buffer): Record<string, unknown> | null {
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    // Mostly it is spelled as we spell it, and nothing is written twice there.
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

/** ECDSA-Sig-Value (DER) as the r‖s of JWS (RFC 7518 §3.4). */
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

/** The r‖s of JWS as ECDSA-Sig-Value (DER). */
function rawToDer(raw: Uint8Array): Buffer {
  const half = raw.length / 2;
  const body = [...derInteger(raw.subarray(0, half)), ...derInteger(raw.subarray(half))];
  return Buffer.from([0x30, body.length, ...body]);
}

/** An unsigned number in its shortest form: no zeros ahead, but one where it would be negative. */
function derInteger(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? [0] : [...bytes.subarray(first)];
  const shown = (digits[0] ?? 0) > 0x7f ? [0, ...digits] : digits;
  return [0x02, shown.length, ...shown];
}
