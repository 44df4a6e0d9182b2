import {
  allHandlersFinished,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import { proxyCalendarExchange } from '../proxies.ts';
import { refuse } from '../refuse.ts';
import {
  completeUpdate,
  type CalendarFlowOutcome,
  type CalendarOAuthInput,
  type CompleteArgs,
} from './messages.ts';
import {
  nextCalendarFlowState,
  type CalendarDenial,
  type CalendarFlowMove,
  type CalendarFlowState,
} from './state.ts';

const { exchangeCalendarCode } = proxyCalendarExchange();

interface Flow {
  status: CalendarFlowState;
  reason: CalendarDenial | null;
}

/**
 * Follows one authorization flow with a calendar provider, until the browser returns or the wait
 * ends.
 */
export async function calendarOAuth(input: CalendarOAuthInput): Promise<CalendarFlowOutcome> {
  const flow: Flow = { status: 'started', reason: null };
  // The API returns the provider's authorization URL when it starts the workflow.
  move(flow, 'offer');
  setHandler(completeUpdate, (args) => complete(flow, input.flow_id, args), {
    description: 'The browser has come back.',
    validator: (_args) => {
      if (flow.status !== 'awaiting_consent') {
        refuse('invalid_state', `the flow is ${flow.status}`);
      }
    },
  });
  const isAnswered = (): boolean => flow.status !== 'awaiting_consent';
  const summary = 'until consent is given or refused';
  if (!(await condition(isAnswered, input.windowMs, { summary }))) move(flow, 'expire');
  await condition(allHandlersFinished);
  return { ...flow };
}

async function complete(
  flow: Flow,
  flowId: string,
  args: CompleteArgs,
): Promise<CalendarFlowOutcome> {
  if (args.answer === 'nonce_mismatch') move(flow, 'mismatch');
  else if (args.answer === 'denied') deny(flow, args.reason);
  else await exchange(flow, flowId);
  return { ...flow };
}

async function exchange(flow: Flow, flowId: string): Promise<void> {
  move(flow, 'exchange');
  try {
    const { denial } = await exchangeCalendarCode({ flow_id: flowId });
    if (denial) deny(flow, denial);
    else move(flow, 'connect');
  } catch (error) {
    if (isCancellation(error)) throw error;
    deny(flow, 'provider_unavailable');
  }
}

function deny(flow: Flow, reason: CalendarDenial): void {
  flow.reason = reason;
  move(flow, 'deny');
}

function move(flow: Flow, on: CalendarFlowMove): void {
  const next = nextCalendarFlowState(flow.status, on);
  if (!next) return;
  flow.status = next;
  setCurrentDetails(`**${next}**${flow.reason ? `: ${flow.reason}` : ''}`);
}
