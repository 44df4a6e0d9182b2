import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What is given out at all (RFC 4291 §2.5.4, IANA): below it lie the embedded forms of IPv4. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is of the public internet: nothing private, local or reserved, and no IPv6
 * address that stands for one of IPv4, which can be any of these.
 */
export function isPublicAddress(address: string): boolean {
  // The library takes more spellings than a resolver gives, and an octal one may mean two things.
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  // Parsed as it stands: a mapped address (RFC 4291 §2.5.5.2) is no IPv4 address, and refused.
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}

/** Throws `FORBIDDEN_TARGET` unless `isAllowedTarget`. */
export function assertAllowedUrl(text: string, allowPrivate: boolean): void {
  if (!isAllowedTarget(text, allowPrivate)) throw refusal();
}

/**
 * Checks the address of an endpoint, when it is given and before each attempt: https and a public
 * name; http and loopback only where private addresses are allowed. A literal address has no lookup
 * to guard it.
 */
export function isAllowedTarget(text: string, allowPrivate: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return false;
  return allowPrivate || isPublicHost(url);
}

/**
 * Whether the host of an address is a public name, or a public address that is spelled out: that
 * has no lookup to guard it. What a name stands for is judged when it is looked up.
 */
export function isPublicHost(url: URL): boolean {
  // The parser has brought every spelling of an IPv4 address into the one of four numbers.
  const host = hostOf(url);
  return isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host);
}

/** Whether an error of a guarded agent, or of `mustBeAllowed`, is that the address is private. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === refusedCode;
}

/** A host without the brackets of IPv6 and without the one dot that may end a full name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, '');

/**
 * Names under which nobody is found on the internet: reserved (RFC 6761, RFC 7686, RFC 9476), of
 * the infrastructure and of homes (RFC 3172, RFC 8375), for the local link (RFC 6762, its appendix
 * G too), and what home routers and clouds answer themselves.
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

/** RFC 1035 §2.3.1, with the digits of RFC 1123 and the low lines that some names have. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/** Whether a name is one of the public DNS: of two labels or more, none empty, none reserved. */
function isPublicName(host: string): boolean {
  const labels = host.split('.');
  const last = labels.at(-1)?.toLowerCase() ?? '';
  return (
    labels.length > 1 && labels.every((each) => label.test(each)) && !privateSuffixes.has(last)
  );
}

/** Finds the addresses of a name; `dns.promises.lookup` with all of them, or what acts like it. */
export type Lookup = (hostname: string) => Promise<readonly { readonly address: string }[]>;

const lookupMsMax = 2_000;

/**
 * Whether the name of an allowed target stands for what is not of the public internet, now. One
 * that is not found, or not in two seconds, may be soon: each attempt resolves it again and is
 * bound to what it finds.
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

/** The error of an address that is not public. */
export function refusal(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is not public'), { code: refusedCode });
}
