import { isLoopback } from '../../activities/vendors/secure-urls.ts';

/**
 * Whether a `Host` header names this machine, by a loopback name or address, or one of `known`.
 * Ignores the port and the spelling of an address.
 */
export function isOwnHost(host: string, known: readonly string[]): boolean {
  const name = plainName(host);
  if (name === null) return false;
  return isLoopback(name) || known.some((one) => plainName(one) === name);
}

/**
 * Returns the name as a browser reads it, without the brackets of IPv6; null for an invalid one.
 */
function plainName(host: string): string | null {
  const whole = /^[0-9a-f:.]*:[0-9a-f:.]*:/i.test(host) ? `[${host}]` : host;
  if (/[/?#@\\]/.test(whole) || !URL.canParse(`http://${whole}`)) return null;
  return new URL(`http://${whole}`).hostname.replaceAll(/^\[|\]$/g, '');
}
