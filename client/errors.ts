import type { FailureCode, ValidationFault } from './contracts.ts';

/** The service returned an error (RFC 9457, or 422 with its validation errors). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Code of the problem, type of the first error of a 422, or `unknown_answer`. */
  readonly code: FailureCode | (string & {});
  readonly detail: string;
  /**
   * Identifies the call in the log of the service; null if the response is not from the service.
   */
  readonly requestId: string | null;
  /** All validation errors of a 422, else empty. */
  readonly faults: readonly ValidationFault[];
  /** Delay before a retry, if the service sent one. */
  readonly retryAfterMs: number | null;
  /** The whole body, for further members of a problem. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(answer: {
    readonly status: number;
    readonly requestId: string | null;
    readonly retryAfterMs: number | null;
    readonly body: unknown;
  }) {
    const problem = recordOf(answer.body);
    const faults = faultsOf(problem['detail']);
    const code = textOf(problem['code']) ?? faults[0]?.type ?? 'unknown_answer';
    const summary = faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    const detail = summary || (textOf(problem['detail']) ?? textOf(problem['title']) ?? '');
    super([`${answer.status} ${code}`, detail].filter(Boolean).join(': '));
    this.status = answer.status;
    this.code = code;
    this.detail = detail;
    this.requestId = answer.requestId;
    this.faults = faults;
    this.retryAfterMs = answer.retryAfterMs;
    this.problem = problem;
  }
}

/** No response, or an incomplete one. `cause` is the error of the last attempt. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly attempts: number;

  constructor(attempts: number, cause: unknown) {
    super(`no answer after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`, { cause });
    this.attempts = attempts;
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function recordOf(body: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof body === 'object' && body !== null && !Array.isArray(body);
  return isRecord ? (body as Record<string, unknown>) : {};
}

/** The response may not come from the service, so malformed entries are ignored. */
function faultsOf(detail: unknown): ValidationFault[] {
  if (!Array.isArray(detail)) return [];
  return detail.flatMap((each: unknown) => {
    const { loc, msg, type } = recordOf(each);
    if (!Array.isArray(loc) || typeof msg !== 'string' || typeof type !== 'string') return [];
    const steps = loc.map((step) => (typeof step === 'number' ? step : String(step)));
    return [{ loc: steps, msg, type }];
  });
}
