import { createHmac, timingSafeEqual } from 'node:crypto';

export const codeLifeMs = 10 * 60_000;
export const resendAfterMs = 60_000;
export const sendsMax = 5;
export const guessesMax = 5;

const digits = 6;
const range = 10 ** digits;
/** The largest multiple of the range below 2^32: values above it would make low codes likelier. */
const unbiasedBelow = Math.floor(2 ** 32 / range) * range;

/**
 * The code of a session and series: derived from the server's secret, never stored, so that a
 * repeated send carries the same code and no table holds one.
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

/** Compares in constant time; spaces and dashes between the digits are forgiven. */
export function isCode(expected: string, offered: string): boolean {
  const given = Buffer.from(offered.replaceAll(/[\s-]/g, ''));
  const wanted = Buffer.from(expected);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The text of the message. Its last line lets a browser offer the code (WebOTP). */
export function codeMessage(code: string, appName: string, host: string, locale: string): string {
  const name = appName
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 40);
  const say = messages[locale.slice(0, 2)] ?? english;
  return `${say(code, name)}\n\n@${host} #${code}`;
}

type Say = (code: string, name: string) => string;
const english: Say = (code, name) => `${code} is your code for ${name}. Do not share it.`;
const messages: Readonly<Record<string, Say>> = {
  en: english,
  de: (code, name) => `${code} ist dein Code für ${name}. Gib ihn nicht weiter.`,
  fr: (code, name) => `${code} est votre code pour ${name}. Ne le partagez pas.`,
  es: (code, name) => `${code} es tu código para ${name}. No lo compartas.`,
};
