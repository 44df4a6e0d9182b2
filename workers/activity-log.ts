import { asyncLocalStorage } from '@temporalio/activity';

/** Names the running activity in each log line that it writes; nothing outside of activities. */
export function runningActivity(): Readonly<Record<string, unknown>> {
  const info = asyncLocalStorage.getStore()?.info;
  if (!info) return {};
  const { workflowExecution, activityType, attempt } = info;
  return { workflow_id: workflowExecution?.workflowId, activity: activityType, attempt };
}
