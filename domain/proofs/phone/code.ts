import { createHmac, timingSafeEqual } from 'node:crypto';
import { languageOf } from '../../languages/spoken.ts';

/** A code is valid for at most ten minutes (NIST SP 800-63B-4 §3.1.3). */
export const codeLifeMs = 10 * 60_000;
/**
 * Life that a code must have left to be sent again; below that, a new code replaces it. Sending
 * again does not extend a code, since a code that every message extends would live for most of an
 * hour.
 */
export const resendableMs = codeLifeMs / 2;
export const resendAfterMs = 60_000;
/** Sends per session, over all numbers that it names. */
export const sendsMax = 5;

const digits = 6;
const range = 10 ** digits;
/** The largest multiple of the range below 2^32: values above it would make low codes likelier. */
const unbiasedBelow = Math.floor(2 ** 32 / range) * range;
/** Six digits, and room for spaces or dashes between them. */
const offeredLengthMax = 32;

/**
 * Derives the code of a session and series from the server's secret. It is not stored, so a
 * repeated send carries the same code and no table contains one.
 * @param secret at least 32 bytes, used only for codes and the salts of records
 * @param series increases when the session names another number and when its code is too old
 */
export function deriveCode(secret: Uint8Array, linkSessionId: string, series: number): string {
  for (let round = 0; ; round += 1) {
    const digest = createHmac('sha256', secret)
      .update(JSON.stringify(['sms-code', linkSessionId, series, round]))
      .digest();
    const value = digest.readUInt32BE(0);
    if (value < unbiasedBelow) return String(value % range).padStart(digits, '0');
  }
}

/**
 * Derives 16 bytes that make the record of a code unguessable. An affidavit contains the hash of
 * the record. Without a salt, a search over all phone numbers would find the number.
 */
export function deriveRecordSalt(
  secret: Uint8Array,
  linkSessionId: string,
  series: number,
): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['sms-record', linkSessionId, series]))
    .digest()
    .subarray(0, 16);
}

/** Compares in constant time; ignores spaces and dashes between the digits. */
export function isCode(expected: string, offered: string): boolean {
  if (offered.length > offeredLengthMax) return false;
  const offeredBytes = Buffer.from(offered.replaceAll(/[\s\p{Pd}]/gu, ''));
  const expectedBytes = Buffer.from(expected);
  return (
    offeredBytes.length === expectedBytes.length && timingSafeEqual(offeredBytes, expectedBytes)
  );
}

/**
 * Returns the text of the message: the code, the app, and as its last line the form from which a
 * browser on the same host offers the code (WICG, Origin-bound one-time codes).
 * @param appName from the account; anything that could pass for a line, an address or a code is
 *   removed
 * @param host of the page that requests the code; a port is removed, since the form has none
 * @param locale a BCP 47 tag; the text is English if its language is not supported
 */
export function codeMessage(code: string, appName: string, host: string, locale: string): string {
  const domain = host.replace(/:\d+$/, '');
  const language = languageOf(locale.replaceAll('_', '-'), [...messages.keys()]) ?? 'en';
  const say = messages.get(language) ?? english;
  return `${say(code, plainName(appName) || domain)}\n\n@${domain} #${code}`;
}

/** Returns a name without line breaks, addresses and codes, cut to 40 characters for a message. */
export function plainName(name: string): string {
  const line = name
    .slice(0, 400)
    .replaceAll(/[\p{C}\s@#<>\\/]+/gu, ' ')
    .trim();
  return [...line].slice(0, 40).join('').trim();
}

type Say = (code: string, name: string) => string;
/** Only letters of the GSM alphabet: one other letter halves the capacity of a message. */
const english: Say = (code, name) => `${code} is your code for ${name}. Do not share it.`;
const messages: ReadonlyMap<string, Say> = new Map([
  ['en', english],
  ['de', (code, name) => `${code} ist Ihr Code für ${name}. Geben Sie ihn nicht weiter.`],
  ['es', (code, name) => `${code} es su clave para ${name}. No la comparta.`],
  ['fr', (code, name) => `${code} est votre code pour ${name}. Ne le partagez pas.`],
]);
