import { send, type Call, type Service } from './connection.ts';

/** Why a call was refused: the code of the failure, and what the problem body adds. */
export interface Fault {
  readonly code: string;
  /** Why a message was not sent, as in `sms_rejected`, or what is wrong with the body. */
  readonly reason?: string | undefined;
  /** The version of the terms that is asked for now, of `tos_changed`. */
  readonly tos_version?: string | undefined;
}

export type Answer<Body> =
  | { readonly body: Body; readonly fault?: undefined }
  | { readonly fault: Fault; readonly body?: undefined };

const waitMsMax = 1_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Waits, at most until the device is back in a network. */
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
  });

/**
 * Calls the service. A call that got no answer, or one that asks to come again, is repeated until
 * it gets another one.
 */
export async function ask<Body>(
  path: string,
  call: Call,
  { browser: key, onLine }: Service,
): Promise<Answer<Body>> {
  const browser = await key.catch(() => null);
  if (!browser) return { fault: { code: 'dpop_proof_required' } };
  for (let attempt = 0; ; attempt += 1) {
    const response = await send(path, call, browser).catch(() => null);
    const answer: unknown = await response?.json().catch(() => null);
    if (response?.ok && answer) {
      onLine(true);
      return { body: answer as Body };
    }
    const fault = faultOf(answer);
    if (response && !isPassing(response, fault)) return { fault };
    if (attempt > 0) onLine(false);
    const askedMs = Number(response?.headers.get('retry-after') ?? 0) * 1000;
    // Spreads the repeats of many pages after the service was unavailable.
    const waitMs = Math.min(250 * 2 ** attempt, waitMsMax) * (0.5 + Math.random());
    await (askedMs > waitMs ? sleep(askedMs) : pause(waitMs));
  }
}

/** Refusals that a person has to wait for are shown; the others end by themselves. */
const waits = new Set(['resend_too_soon', 'session_limit', 'sends_exhausted', 'sms_rejected']);

const isPassing = ({ status }: Response, { code }: Fault): boolean =>
  (status >= 500 && !waits.has(code)) || code === 'idempotency_in_progress';

/** A 422 answer has no `code`, but a list of faults: the `type` of the first is the reason. */
function faultOf(answer: unknown): Fault {
  const { code, reason, tos_version, detail } = Object(answer) as Partial<Fault> & {
    readonly detail?: readonly { readonly type: string }[];
  };
  return {
    code: code ?? 'unexpected',
    reason: reason ?? detail?.[0]?.type,
    tos_version,
  };
}

/** A key that no other call has. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
