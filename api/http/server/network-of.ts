import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const networkBits = 64;

/**
 * What tells callers apart by their address, in one spelling: an IPv4 address, be it mapped into
 * IPv6 or translated (RFC 6052); of IPv6 the network, the first 64 bits, since whoever has one may
 * take any of its addresses (RFC 8981). What is no address stays what it is.
 */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const bytes = parsed.toByteArray();
  if (parsed.range() === 'rfc6052') return bytes.slice(12).join('.');
  const front = bytes.map((byte, place) => (place < networkBits / 8 ? byte : 0));
  return `${new ipaddr.IPv6(front).toString()}/${networkBits}`;
}
