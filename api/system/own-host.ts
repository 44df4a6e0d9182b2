import { isLoopback } from '../../activities/vendors/secure-urls.ts';

/**
 * Whether a `Host` header names this machine, by a name or an address that leads nowhere else, or
 * one of `known`. The port does not matter, nor how an address is spelled.
 */
export function isOwnHost(host: string, known: readonly string[]): boolean {
  const name = plainName(host);
  if (name === null) return false;
  return isLoopback(name) || known.some((one) => plainName(one) === name);
}

/** The name alone as a browser reads it, an IPv6 address without its brackets; null: it is none. */
function plainName(host: string): string | null {
  const whole = /^[0-9a-f:.]*:[0-9a-f:.]*:/i.test(host) ? `[${host}]` : host;
  if (/[/?#@\\]/.test(whole) || !URL.canParse(`http://${whole}`)) return null;
  return new URL(`http://${whole}`).hostname.replaceAll(/^\[|\]$/g, '');
}
