import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { proxyRenewal } from '../vendor-proxies.ts';
import type { RenewalCounts, RenewalInput } from './messages.ts';

const { renewDueArchives } = proxyRenewal();

/**
 * Renews the archive timestamps of affidavits before their proof expires, and archives those that
 * have none yet.
 */
export async function archiveRenewal(input: RenewalInput): Promise<RenewalCounts> {
  let { after, ...counts } = input;
  const told = (): string =>
    `**${counts.renewed}** affidavits archived, ${counts.waiting} wait, ${counts.failed} failed`;
  for (let isLast = false; !isLast;) {
    setCurrentDetails(told());
    const step = await renewDueArchives({ after });
    counts = {
      renewed: counts.renewed + step.renewed,
      waiting: counts.waiting + step.waiting,
      failed: counts.failed + step.failed,
    };
    ({ after, is_done: isLast } = step);
    if (!isLast && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof archiveRenewal>({ after, ...counts });
    }
  }
  setCurrentDetails(told());
  return counts;
}
