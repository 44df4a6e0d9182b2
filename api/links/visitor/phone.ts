import type { Phone } from '../../../db/queries/opened-imports.ts';
import type { DevicePlatform } from '../../../domain/names.ts';
import type { Deps } from '../../deps.ts';
import type { CallFacts } from '../../http/contract.ts';
import { networkOf } from '../../http/server/network-of.ts';

type PhoneDeps = Pick<Deps, 'sealer' | 'settings'>;

/**
 * Identifies the phone of a call by address and platform; null if either is unknown. A prefetch
 * does not count as opening.
 */
export function phoneOf({ sealer, settings }: PhoneDeps, call: CallFacts): Phone | null {
  const platform = platformOf(call);
  const isAhead = (call.header('sec-purpose') ?? '').includes('prefetch');
  if (!platform || !settings.isClientAddressKnown || isAhead || call.method !== 'GET') return null;
  return { addressBlind: sealer.blind('phone-address', networkOf(call.address)), platform };
}

/** Returns the platform according to the browser or HTTP client. */
function platformOf({ header }: Pick<CallFacts, 'header'>): DevicePlatform | null {
  const hint = header('sec-ch-ua-platform')?.replaceAll('"', '').toLowerCase();
  if (hint === 'android' || hint === 'ios') return hint;
  const agent = header('user-agent') ?? '';
  if (/iPhone|iPod|iPad|CFNetwork\//.test(agent)) return 'ios';
  return /Android|okhttp\//.test(agent) ? 'android' : null;
}
