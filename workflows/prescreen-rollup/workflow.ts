import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { proxyPrescreen } from '../proxies.ts';
import type { RollupInput } from './messages.ts';

const { rollUpPrescreen } = proxyPrescreen();

/** Updates the daily prescreening counts for summaries, account by account. */
export async function prescreenRollup(input: RollupInput): Promise<{ days: number }> {
  let { after_account_id, days } = input;
  for (;;) {
    setCurrentDetails(`**${days}** days counted, up to account ${after_account_id}`);
    const step = await rollUpPrescreen({ after_account_id });
    days += step.days;
    if (step.is_done) break;
    after_account_id = step.after_account_id;
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof prescreenRollup>({ after_account_id, days });
    }
  }
  setCurrentDetails(`**${days}** days counted, every account`);
  return { days };
}
