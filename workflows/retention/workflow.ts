import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { proxyRetention } from '../proxies.ts';
import type { RetentionInput } from './messages.ts';

const { removeDueImages } = proxyRetention();

/** Removes the images and uploaded files of checks whose retention time is over. */
export async function retention(
  input: RetentionInput,
): Promise<{ checks: number; failed: number }> {
  let { after, checks, failed } = input;
  for (let isOver = false; !isOver;) {
    setCurrentDetails(`Images of **${checks}** checks removed, ${failed} failed`);
    const step = await removeDueImages({ after });
    checks += step.checks;
    failed += step.failed;
    ({ after, is_done: isOver } = step);
    if (!isOver && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof retention>({ after, checks, failed });
    }
  }
  setCurrentDetails(`Images of **${checks}** checks removed, ${failed} failed`);
  return { checks, failed };
}
