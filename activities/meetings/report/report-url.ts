import { createHmac, timingSafeEqual } from 'node:crypto';
import { bytesOfBase64url } from '../../../domain/tokens/canonical-base64url.ts';

/** Milliseconds that a report URL is valid, for anyone who has it. */
export const reportUrlLifeMs = 10 * 60_000;

const keyForm = String.raw`(?<key>reports/\d{1,10}/[A-Za-z0-9_-]{22,64}\.pdf)`;
const form = new RegExp(
  String.raw`^${keyForm}\?expires=(?<expires>\d{1,12})&signature=(?<signature>[A-Za-z0-9_-]{43})$`,
);
const encodedLengthMax = 1024;

/** Returns a token with the report's key, its expiry and a signature, for use in a URL. */
export function writeReportUrl(secret: Uint8Array, key: string, until: Date): string {
  const expires = Math.floor(until.getTime() / 1000);
  const signature = sign(secret, key, expires).toString('base64url');
  return Buffer.from(`${key}?expires=${expires}&signature=${signature}`).toString('base64url');
}

/**
 * Reads such a token. `isGranted` is false once it has expired. Returns null for a token that we
 * have not written. The result is an object key, never a redirect target.
 * @param secrets accepted secrets
 */
export function readReportUrl(
  secrets: readonly Uint8Array[],
  encoded: string,
  now: Date,
): { readonly key: string; readonly isGranted: boolean } | null {
  if (encoded.length > encodedLengthMax) return null;
  const text = bytesOfBase64url(encoded)?.toString('latin1');
  const { key, expires, signature } = (text && form.exec(text)?.groups) || {};
  if (key === undefined || expires === undefined || signature === undefined) return null;
  const given = bytesOfBase64url(signature);
  const isGood = secrets.some(
    (secret) => given && timingSafeEqual(given, sign(secret, key, Number(expires))),
  );
  if (!isGood) return null;
  return { key, isGranted: Number(expires) * 1000 > now.getTime() };
}

function sign(secret: Uint8Array, key: string, expires: number): Buffer {
  return createHmac('sha256', secret).update(`${key}\n${expires}`).digest();
}
