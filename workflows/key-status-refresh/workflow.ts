import { setCurrentDetails } from '@temporalio/workflow';
import { proxyKeyStatus } from '../vendor-proxies.ts';
import type { RefreshedKeyStatus } from './messages.ts';

const { refreshKeyStatus } = proxyKeyStatus();

/** Fetches the list of revoked Android keys and revokes the phones enrolled by them. */
export async function keyStatusRefresh(): Promise<RefreshedKeyStatus> {
  const counts = await refreshKeyStatus();
  const { listed, revoked } = counts;
  setCurrentDetails(`**${listed}** certificates listed, ${revoked} phones revoked`);
  return counts;
}
