import { send, type Call, type Service } from './connection.ts';

/** Why a call was refused: the failure code, and further members of the problem body. */
export interface Fault {
  readonly code: string;
  /** Why a message was not sent (`sms_rejected`), or the fault of the body. */
  readonly reason?: string | undefined;
  /** The version of the terms that now applies (`tos_changed`). */
  readonly tos_version?: string | undefined;
}

export type Answer<Body> =
  | { readonly body: Body; readonly fault?: undefined }
  | { readonly fault: Fault; readonly body?: undefined };

const waitMsMax = 1_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Waits for `ms`, or until the device is online again if that is earlier. */
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
 * Calls the service. Repeats a call without an answer, or with an answer that requests a retry,
 * until another answer arrives.
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
    if (response && !isTemporary(response, fault)) return { fault };
    if (attempt > 0) onLine(false);
    const askedMs = Number(response?.headers.get('retry-after') ?? 0) * 1000;
    // Spreads the retries of many pages after an outage of the service.
    const waitMs = Math.min(250 * 2 ** attempt, waitMsMax) * (0.5 + Math.random());
    await (askedMs > waitMs ? sleep(askedMs) : pause(waitMs));
  }
}

/** Returns true if the call can succeed when it is repeated. */
const isTemporary = ({ status }: Response, { code }: Fault): boolean =>
  status >= 500 || code === 'idempotency_in_progress';

/** A 422 answer has no `code`, but a list of faults. The `type` of the first is the reason. */
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

/** Returns a new unique idempotency key. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
