import type { CalendarConnectionRow } from '../../db/queries/calendar-connections.ts';
import type { CalendarFlowRow } from '../../db/queries/calendar-flows.ts';
import {
  calendarConnectionWorkflowId,
  type CalendarConnectionInput,
} from '../../workflows/calendar-connection/messages.ts';
import {
  calendarOAuthWorkflowId,
  type CalendarOAuthInput,
} from '../../workflows/calendar-oauth/messages.ts';
import * as attributes from '../../workflows/search-attributes.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { calendarFlowMs } from './flow.ts';

/** Often enough to keep the grant alive at every provider, and to notice its end within a day. */
const usualRefreshMs = 24 * 3600_000;
const usualStepsMax = 200;

/** Returns the start options of a flow's workflow. It runs once, for at most ten minutes. */
export function startOfCalendarFlow(
  { flow_id, account_id }: Pick<CalendarFlowRow, 'flow_id' | 'account_id'>,
  windowMs: number = calendarFlowMs,
) {
  const input: CalendarOAuthInput = { flow_id, windowMs };
  return {
    workflowId: calendarOAuthWorkflowId(flow_id),
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    args: [input] as [CalendarOAuthInput],
    staticSummary: `A calendar is connected; ${accountName(account_id)}`,
    staticDetails: 'From the way to the calendar provider to the way back, or ten minutes.',
    typedSearchAttributes: attributesOf('calendarOAuth', account_id),
  };
}

/** Returns the start options of a connection's workflow. A running one is used. */
export function startOfCalendarConnection(
  { connection_id, account_id }: Pick<CalendarConnectionRow, 'connection_id' | 'account_id'>,
  { refreshMs, stepsMax }: Pick<CalendarConnectionInput, 'refreshMs' | 'stepsMax'> = {
    refreshMs: usualRefreshMs,
    stepsMax: usualStepsMax,
  },
) {
  const input: CalendarConnectionInput = { connection_id, refreshMs, stepsMax };
  return {
    workflowId: calendarConnectionWorkflowId(connection_id),
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    args: [input] as [CalendarConnectionInput],
    staticSummary: `A connected calendar; ${accountName(account_id)}`,
    staticDetails: 'From its consent until it is disconnected.',
    typedSearchAttributes: attributesOf('calendarConnection', account_id),
  };
}

const accountName = (accountId: number | null): string =>
  accountId === null ? 'shared by all accounts' : `account ${accountId}`;

function attributesOf(flowKind: string, accountId: number | null) {
  return [
    { key: attributes.flowKindKey, value: flowKind },
    ...(accountId === null ? [] : [{ key: attributes.accountIdKey, value: String(accountId) }]),
  ];
}
