import { isIP } from 'node:net';
import { z } from 'zod';
import { isPublicAddress } from '../../../activities/vendors/guard.ts';
import { forbiddenNames } from '../json.ts';
import { emailForm, hasYear, notBlank, webAddress, yearForm, yearWords } from './declared-rules.ts';

/** The one spelling of it that is taken. */
const thisMachine = '127.0.0.1';

export const shortText = (max: number) => z.string().trim().min(1).max(max).meta(notBlank);
/** One plain address, as the library reads it. */
export const emailText = z.email().max(254).meta(emailForm);
/** Of a year with four digits, as it is written and in UTC. */
export const instant = z.iso
  .datetime({ offset: true })
  .refine(hasYear, yearWords)
  .meta(yearForm)
  .transform((text) => new Date(text));
export function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/**
 * Whether every reader takes an address for the same: those that follow RFC 3986 and those of
 * WHATWG differ over backslashes, blanks, controls and how a number may be written. Never with
 * credentials, nor of a network that is not the internet, but of 127.0.0.1, this very machine.
 */
export function isPlainUrl(text: string): boolean {
  const url = addressForm.test(text) ? URL.parse(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return false;
  const origin = `${url.protocol}//${url.hostname}`;
  const rest = text.slice(origin.length);
  const isSpelled = text.toLowerCase().startsWith(origin) && afterHost.test(rest);
  return isSpelled && isHost(url.hostname);
}

/** The same, and https anywhere; http only on this very machine. */
export function isSafeUrl(text: string): boolean {
  if (!isPlainUrl(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || hostname === 'localhost' || hostname === thisMachine;
}

/** An address as it comes, for who judges it later. */
export const anyUrl = z.string().max(2048).meta({ format: 'uri' });

export const safeUrl = anyUrl
  .refine(
    isSafeUrl,
    'must be a public https address in ASCII without credentials; percent-encode other characters',
  )
  .meta(webAddress);

/** The characters of RFC 3986 §2, each `%` with two hex digits after it. */
const addressForm = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;

/** A port, if any, in its one spelling. */
const afterHost = /^(:[1-9]\d{0,4})?([/?#]|$)/;

function isHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) return host.split('.').every((label) => label !== '');
  return host === thisMachine || isPublicAddress(host);
}

/** Where the reference explains reason codes. */
export const reasonHint = {
  description: 'What each code means, and what to do: /docs/reference/reason-codes',
};
/** Text, not one of a list: rows on record keep the codes of their time. */
export const reasonCode = z.string().nullable().meta(reasonHint);

const metadataName = /^[A-Za-z0-9_.-]{1,40}$/;
export const metadata = z
  .record(
    z
      .string()
      .regex(metadataName)
      .refine((name) => !forbiddenNames.has(name), 'is not allowed as a name'),
    z.string().max(500),
  )
  .refine((record) => Object.keys(record).length <= 50, 'must have at most 50 keys')
  .meta({
    propertyNames: { pattern: metadataName.source, not: { enum: [...forbiddenNames] } },
    maxProperties: 50,
  });
