import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Names of address ranges in Express. */
const namedRanges: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];
const { IPv4, IPv6 } = ipaddr;
const forms: readonly ((text: string) => boolean)[] = [
  (text) => namedRanges.includes(text),
  (text) => IPv4.isValidFourPartDecimal(text) || IPv4.isValidCIDRFourPartDecimal(text),
  (text) => IPv6.isValid(text) || IPv6.isValidCIDR(text),
];

interface Range {
  readonly bits: 32 | 128;
  readonly first: bigint;
  /** The first address after the range. */
  readonly end: bigint;
}

/** Setting: addresses or CIDR ranges of proxies, which together must not cover every address. */
export const trustedProxies = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .refine(
    (all) => all.every((text) => forms.some((isOf) => isOf(text))),
    'must be addresses or CIDR ranges with commas between',
  )
  .refine((all) => !coversEveryAddress(all), 'must not be every address there is');

/**
 * Whether the ranges cover all of IPv4 or of IPv6: then every caller could choose its own address.
 */
function coversEveryAddress(texts: readonly string[]): boolean {
  const ranges = texts.flatMap((text) => rangeOf(text) ?? []);
  return ([32, 128] as const).some((bits) => {
    let reached = 0n;
    const ofFamily = ranges.filter((range) => range.bits === bits);
    for (const { first, end } of ofFamily.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
      if (first > reached) return false;
      if (end > reached) reached = end;
    }
    return reached === 1n << BigInt(bits);
  });
}

/** Returns the addresses of a range; null for a named one. IPv4-mapped IPv6 counts as IPv4. */
function rangeOf(text: string): Range | null {
  if (!ipaddr.isValid(text) && !ipaddr.isValidCIDR(text)) return null;
  const [address, prefix] = text.includes('/')
    ? ipaddr.parseCIDR(text)
    : [ipaddr.parse(text), undefined];
  const bytes = address.toByteArray();
  const value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const bits = bytes.length === 4 ? 32 : 128;
  const kept = prefix ?? bits;
  if (bits === 128 && kept >= 96 && value >> 32n === 0xffffn) {
    return between(32, value & 0xffff_ffffn, kept - 96);
  }
  return between(bits, value, kept);
}

function between(bits: Range['bits'], value: bigint, prefix: number): Range {
  const size = 1n << BigInt(bits - prefix);
  const first = (value / size) * size;
  return { bits, first, end: first + size };
}
