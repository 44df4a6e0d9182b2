import { createHmac, timingSafeEqual } from 'node:crypto';
import { languageOf } from '../../languages/spoken.ts';

/** NIST SP 800-63B-4 §3.1.3: a code is good for ten minutes at most. */
export const codeLifeMs = 10 * 60_000;
/**
 * A code that is sent again keeps its end: with less than this left another takes its place, since
 * one that was extended with each message would live for most of an hour.
 */
export const resendableMs = codeLifeMs / 2;
export const resendAfterMs = 60_000;
/** Sends of one session, over all the numbers it names. */
export const sendsMax = 5;

const digits = 6;
const range = 10 ** digits;
/** The largest multiple of the range below 2^32: values above it would make low codes likelier. */
const unbiasedBelow = Math.floor(2 ** 32 / range) * range;
/** Six digits and room for the spaces or dashes people put between them. */
const offeredLengthMax = 32;

/**
 * The code of a session and series: derived from the server's secret, never stored, so that a
 * repeated send carries the same code and no table holds one.
 * @param secret at least 32 bytes, used for nothing but this and the salts of records
 * @param series rises when the session names another number, and when its code has grown old
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
 * Sixteen bytes that make the record of a code unguessable: an affidavit names the record's hash,
 * and of a number alone all there are could be tried.
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

/** Compares in constant time; spaces and dashes between the digits are forgiven. */
export function isCode(expected: string, offered: string): boolean {
  if (offered.length > offeredLengthMax) return false;
  const given = Buffer.from(offered.replaceAll(/[\s\p{Pd}]/gu, ''));
  const wanted = Buffer.from(expected);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/**
 * The text of the message: the code, who asks, and as its last line the form from which a browser
 * on the same host offers the code (WICG, Origin-bound one-time codes).
 * @param appName as the account wrote it; what could pass for a line, an address or a code of its
 *   own is taken out
 * @param host of the page that asks for the code; a port is left out, the form has none
 * @param locale a BCP 47 tag; English where its language is not spoken
 */
export function codeMessage(code: string, appName: string, host: string, locale: string): string {
  const domain = host.replace(/:\d+$/, '');
  const language = languageOf(locale.replaceAll('_', '-'), [...messages.keys()]) ?? 'en';
  const say = messages.get(language) ?? english;
  return `${say(code, plainName(appName) || domain)}\n\n@${domain} #${code}`;
}

/** A name as a text message may have it: no line, address or code of its own. */
export function plainName(name: string): string {
  const line = name
    .slice(0, 400)
    .replaceAll(/[\p{C}\s@#<>\\/]+/gu, ' ')
    .trim();
  return [...line].slice(0, 40).join('').trim();
}

type Say = (code: string, name: string) => string;
/** Only letters of the GSM alphabet: one other letter halves what a message holds. */
const english: Say = (code, name) => `${code} is your code for ${name}. Do not share it.`;
const messages: ReadonlyMap<string, Say> = new Map([
  ['en', english],
  ['de', (code, name) => `${code} ist Ihr Code für ${name}. Geben Sie ihn nicht weiter.`],
  ['es', (code, name) => `${code} es su clave para ${name}. No la comparta.`],
  ['fr', (code, name) => `${code} est votre code pour ${name}. Ne le partagez pas.`],
]);
