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

/**
 * Sends the login mails requested for one address, up to a limit, until one mail is answered or the
 * window ends.
 */
export function emailLogin(input: EmailFlowInput): Promise<EmailFlowOutcome> {
  return follow(input);
}

/** The same for an address that a signed-in person attaches to their identity. */
export function emailAttach(input: EmailFlowInput): Promise<EmailFlowOutcome> {
  return follow(input);
}

interface Flow {
  readonly asked: string[];
  readonly waiting: string[];
  /** The last request that was or will be mailed. It supersedes the others. */
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
    // A mail that the provider rejects for good is skipped, and the requester is not notified.
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
      // The API sends a late request to the next workflow with this id. This one sends no more
      // mails.
      validator: (_args) => {
        if (flow.consumed || flow.over) refuse('invalid_state', 'the window of the address ends');
      },
    },
  );
  setHandler(
    consumeUpdate,
    ({ request_id }) => {
      // If a later mail was requested meanwhile, the window stays open for its answer.
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
