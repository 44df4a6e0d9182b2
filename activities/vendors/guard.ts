import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The allocated range (RFC 4291 §2.5.4, IANA). Below it are forms that embed an IPv4 address. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Reports whether an address belongs to the public internet: not private, local or reserved, and
 * not an IPv6 address that embeds an IPv4 address, which could be any of these.
 */
export function isPublicAddress(address: string): boolean {
  // The library accepts more spellings than a resolver returns. An octal one is ambiguous.
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  // Parses without conversion: a mapped address (RFC 4291 §2.5.5.2) is not IPv4, and is rejected.
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}

/** @throws `FORBIDDEN_TARGET` unless `isAllowedTarget` */
export function assertAllowedUrl(text: string, allowPrivate: boolean): void {
  if (!isAllowedTarget(text, allowPrivate)) throw refusal();
}

/**
 * Checks the URL of an endpoint, at its registration and before each attempt: https and a public
 * host name or address. With `allowPrivate`, http and private addresses are allowed too. A literal
 * address is checked here, because it has no lookup that could guard it.
 */
export function isAllowedTarget(text: string, allowPrivate: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return false;
  return allowPrivate || isPublicHost(url);
}

/**
 * Reports whether the host of a URL is a public name or a literal public address. A literal address
 * has no lookup that could guard it. The addresses of a name are checked at its lookup.
 */
export function isPublicHost(url: URL): boolean {
  // The URL parser normalizes every spelling of an IPv4 address to four decimal numbers.
  const host = hostOf(url);
  return isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host);
}

/** Reports whether an error says that the address is not public. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === refusedCode;
}

/** Returns the host without the brackets of IPv6 and without the final dot of an absolute name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, '');

/**
 * Top-level names that do not resolve on the public internet. They are reserved (RFC 6761, RFC
 * 7686, RFC 9476), for infrastructure and homes (RFC 3172, RFC 8375), or for the local link (RFC
 * 6762, also its appendix G). Home routers and clouds answer the others themselves.
 */
const privateSuffixes = new Set([
  'alt',
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
]);

/** RFC 1035 §2.3.1, with the digits of RFC 1123 and the underscores that some names have. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/** Reports whether a name has at least two labels, all valid, and no private suffix. */
function isPublicName(host: string): boolean {
  const labels = host.split('.');
  const last = labels.at(-1)?.toLowerCase() ?? '';
  return (
    labels.length > 1 && labels.every((each) => label.test(each)) && !privateSuffixes.has(last)
  );
}

/** Resolves all addresses of a name, like `dns.promises.lookup` with `all`. */
export type Lookup = (hostname: string) => Promise<readonly { readonly address: string }[]>;

const lookupMsMax = 2_000;

/**
 * Reports whether the host of an allowed target resolves to an address that is not public, now. A
 * name that does not resolve within two seconds is not reported: it may resolve later, and each
 * attempt resolves it again and connects only to the checked address.
 */
export async function leadsInside(text: string, lookUp: Lookup): Promise<boolean> {
  const host = hostOf(new URL(text));
  if (isIP(host) !== 0) return !isPublicAddress(host);
  const late = AbortSignal.timeout(lookupMsMax);
  const unknown = new Promise<[]>((resolve) => {
    late.addEventListener('abort', () => resolve([]), { once: true });
  });
  const found = await Promise.race([lookUp(host).catch(() => []), unknown]);
  return !found.every(({ address }) => isPublicAddress(address));
}

const refusedCode = 'FORBIDDEN_TARGET';

/** Returns the error for an address that is not public. */
export function refusal(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is not public'), { code: refusedCode });
}
