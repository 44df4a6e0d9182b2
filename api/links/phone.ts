import { isIP } from 'node:net';
import type { DevicePlatform } from '../../db/names.ts';
import type { Phone } from '../../db/queries/opened-imports.ts';
import type { CallFacts } from '../contract.ts';
import type { Deps } from '../deps.ts';

type PhoneDeps = Pick<Deps, 'sealer' | 'settings'>;

/**
 * The phone a call comes from, told by address and platform; null where either is not told. A
 * browser that fetches ahead is not yet anybody who opens something.
 */
export function phoneOf({ sealer, settings }: PhoneDeps, call: CallFacts): Phone | null {
  const platform = platformOf(call);
  const isAhead = (call.header('sec-purpose') ?? '').includes('prefetch');
  if (!platform || !settings.isAddressTold || isAhead || call.method !== 'GET') return null;
  return { addressBlind: sealer.blind('phone-address', networkOf(call.address)), platform };
}

/** Browsers and the HTTP clients of either platform, by what they say of themselves. */
function platformOf({ header }: Pick<CallFacts, 'header'>): DevicePlatform | null {
  const hint = header('sec-ch-ua-platform')?.replaceAll('"', '').toLowerCase();
  if (hint === 'android' || hint === 'ios') return hint;
  const agent = header('user-agent') ?? '';
  if (/iPhone|iPod|iPad|CFNetwork\//.test(agent)) return 'ios';
  return /Android|okhttp\//.test(agent) ? 'android' : null;
}

/**
 * What stays the same of an address while a phone goes from its browser to the app: of IPv6 the
 * network (the first 64 bits), since each may be given an interface of its own (RFC 8981).
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = (plain.split('%')[0] ?? '').split('::');
  const groups = (text: string): string[] =>
    text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : group ? [group] : []));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0');
  const whole = [...front, ...zeros, ...back].slice(0, 4);
  return `${whole.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
