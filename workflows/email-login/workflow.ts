import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { proxyEmail, proxyEmailEnd } from '../proxies.ts';
import { refuse } from '../refuse.ts';
import { consumeUpdate, requestUpdate, type EmailFlowInput } from './messages.ts';

const { sendEmail } = proxyEmail();
const { closeEmailRequests } = proxyEmailEnd();

export interface EmailFlowOutcome {
  readonly status: 'consumed' | 'expired';
  readonly sends: number;
}

/** Logins by one address: mails what is asked for, up to a number, until one mail was answered. */
export function emailLogin(input: EmailFlowInput): Promise<EmailFlowOutcome> {
  return follow(input);
}

/** The same for an address that somebody attaches to themselves. */
export function emailAttach(input: EmailFlowInput): Promise<EmailFlowOutcome> {
  return follow(input);
}

interface Flow {
  readonly asked: string[];
  readonly waiting: string[];
  /** The last one that is mailed or will be: the others are superseded by it. */
  newest: string | null;
  sends: number;
  consumed: boolean;
  over: boolean;
}

async function follow(input: EmailFlowInput): Promise<EmailFlowOutcome> {
  const flow: Flow = {
    asked: [],
    waiting: [],
    newest: null,
    sends: 0,
    consumed: false,
    over: false,
  };
  handle(flow, input);
  const until = new Date(Date.now() + input.windowMs).toISOString();
  const timer = new CancellationScope();
  const window = timer.run(() => sleep(input.windowMs, { summary: 'the window of the address' }));
  const closed = overAfter(flow, window);
  while (flow.waiting.length > 0 || (!flow.consumed && !flow.over)) {
    const requestId = flow.waiting.shift();
    setCurrentDetails(`**${flow.sends}** of at most ${input.sendsMax} mails until ${until}`);
    // What the provider refuses for good is mailed to nobody, and nobody is told.
    if (requestId !== undefined) await sendEmail({ request_id: requestId }).catch(unlessCanceled);
    else await condition(() => flow.waiting.length > 0 || flow.consumed || flow.over);
  }
  timer.cancel();
  await closed;
  await condition(allHandlersFinished);
  await closeEmailRequests({ request_ids: flow.asked });
  const status = flow.consumed ? 'consumed' : 'expired';
  setCurrentDetails(`**${status}** after ${flow.sends} mails`);
  return { status, sends: flow.sends };
}

function handle(flow: Flow, { sendsMax }: EmailFlowInput): void {
  setHandler(
    requestUpdate,
    ({ request_id }) => {
      const isTaken = flow.sends < sendsMax;
      flow.asked.push(request_id);
      if (isTaken) {
        flow.sends += 1;
        flow.waiting.push(request_id);
        flow.newest = request_id;
      }
      return { is_taken: isTaken };
    },
    {
      description: 'A mail is asked for; sent with the start.',
      // Whoever comes now is for the next one under this id: the end is near and mails nobody.
      validator: (_args) => {
        if (flow.consumed || flow.over) refuse('invalid_state', 'the window of the address ends');
      },
    },
  );
  setHandler(
    consumeUpdate,
    ({ request_id }) => {
      // Another mail that was asked for meanwhile is still to come, and to be answered.
      if (request_id === flow.newest) flow.consumed = true;
      return { is_consumed: true };
    },
    { description: 'A mail was answered.' },
  );
}

async function overAfter(flow: Flow, window: Promise<void>): Promise<void> {
  try {
    await window;
    flow.over = true;
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
}

function unlessCanceled(error: unknown): void {
  if (isCancellation(error)) throw error;
}
