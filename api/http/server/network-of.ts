import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const networkBits = 64;

/**
 * Returns the network of an address in one spelling, for counting callers. For IPv4, also mapped
 * into IPv6 or translated (RFC 6052), it is the address. For IPv6 it is the first 64 bits, because
 * a subscriber can use any address in it (RFC 8981). Text that is not an address is returned
 * unchanged.
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
