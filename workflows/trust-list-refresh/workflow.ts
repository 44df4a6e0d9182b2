import { setCurrentDetails } from '@temporalio/workflow';
import { proxyTrustLists } from '../proxies.ts';
import type { RefreshedLists } from './messages.ts';

const { refreshTrustLists } = proxyTrustLists();

/** Updates the master list and the CRLs that passports are validated against. */
export async function trustListRefresh(): Promise<RefreshedLists> {
  const counts = await refreshTrustLists();
  const { taken, unchanged, refused } = counts;
  setCurrentDetails(`**${taken}** lists taken, ${unchanged} unchanged, ${refused} refused`);
  return counts;
}
