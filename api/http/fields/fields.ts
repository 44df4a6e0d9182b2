import { isIP } from 'node:net';
import { z } from 'zod';
import { isPublicAddress } from '../../../activities/vendors/guard.ts';
import { forbiddenNames } from '../json.ts';
import { emailForm, hasYear, notBlank, webAddress, yearForm, yearWords } from './declared-rules.ts';

/** The only accepted spelling of the loopback address. */
const thisMachine = '127.0.0.1';

export const shortText = (max: number) => z.string().trim().min(1).max(max).meta(notBlank);
/** A single email address without a display name, by zod's pattern. */
export const emailText = z.email().max(254).meta(emailForm);
/** An instant with a four-digit year, both as written and in UTC. */
export const instant = z.iso
  .datetime({ offset: true })
  .refine(hasYear, yearWords)
  .meta(yearForm)
  .transform((text) => new Date(text));
export function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/**
 * Whether every URL parser reads the address in the same way. Parsers of RFC 3986 and of WHATWG
 * differ over backslashes, blanks, control characters and the spelling of IP addresses. Refuses
 * credentials, and IP addresses that are not public, except 127.0.0.1.
 */
export function isPlainUrl(text: string): boolean {
  const url = addressForm.test(text) ? URL.parse(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return false;
  const origin = `${url.protocol}//${url.hostname}`;
  const rest = text.slice(origin.length);
  const isSpelled = text.toLowerCase().startsWith(origin) && afterHost.test(rest);
  return isSpelled && isHost(url.hostname);
}

/**
 * Whether an address is plain, and uses https, or http on this machine (localhost or 127.0.0.1).
 */
export function isSafeUrl(text: string): boolean {
  if (!isPlainUrl(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || hostname === 'localhost' || hostname === thisMachine;
}

/** Any text of at most 2048 characters; the handler validates the address. */
export const anyUrl = z.string().max(2048).meta({ format: 'uri' });

export const safeUrl = anyUrl
  .refine(
    isSafeUrl,
    'must be a public https address in ASCII without credentials; percent-encode other characters',
  )
  .meta(webAddress);

/** The characters of RFC 3986 §2. Two hex digits must follow each `%`. */
const addressForm = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;

/** An optional port without leading zeros. */
const afterHost = /^(:[1-9]\d{0,4})?([/?#]|$)/;

function isHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) return host.split('.').every((label) => label !== '');
  return host === thisMachine || isPublicAddress(host);
}

/** Links to the reference of reason codes. */
export const reasonHint = {
  description: 'Reason code. Meanings and remedies: /docs/reference/reason-codes',
};
/** Text instead of an enum: stored rows keep codes that are not in use today. */
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
