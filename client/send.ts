import { asksForNonce, type BrowserKey } from './browser-key.ts';
import { ApiError, ConnectionError } from './errors.ts';
import type { Request } from './request.ts';
import { isWorthRepeating, readRetryAfter, waitMsBefore, type RetryPolicy } from './retry.ts';

/** External dependencies of a call. */
export interface ClientDeps {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly nowMs: () => number;
  readonly random: () => number;
  /** Resolves after `ms`. Rejects early with the reason of the signal if it aborts. */
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly makeKey: () => string;
}

/** Data of one response, errors included: for logs, an ETag, the rest of a rate limit. */
export interface AnswerFacts {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | null;
  /** Starts at 1. */
  readonly attempt: number;
}

/** Input of the `attest` header (the reference: /docs/reference/attest-header). */
export interface AttestFacts {
  readonly method: string;
  /** The path with its query, as sent. */
  readonly path: string;
  readonly body: Uint8Array;
}

export interface SendOptions {
  /** A session token, an API key, or the token of a check. */
  readonly token?: string | null | (() => string | null | Promise<string | null>);
  /** Aborts the call and its delays. The call then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Maximum duration of one attempt, until its response is read completely, in milliseconds. */
  readonly timeoutMs?: number;
  readonly retries?: Partial<RetryPolicy>;
  readonly onAnswer?: (facts: AnswerFacts) => void;
  /** Signs the call of a phone, again for each attempt, because a nonce is valid for one. */
  readonly attest?: (facts: AttestFacts) => string | Promise<string>;
  /** Signs the calls of a browser or an app, again for each attempt. */
  readonly browserKey?: BrowserKey;
}

/** Options with all defaults applied. */
export interface SendPolicy extends SendOptions {
  readonly timeoutMs: number;
  readonly policy: RetryPolicy;
}

const answerBytesMax = 32 * 1024 * 1024;

/**
 * Sends a request with the retries of the policy. Returns the parsed JSON, or the `Response` of any
 * other content. Retries only requests that are safe to repeat.
 * @throws ApiError for an error response, ConnectionError without a response
 */
export async function send(
  deps: ClientDeps,
  baseUrl: string,
  request: Request,
  options: SendPolicy,
): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    let { fault, value } = await tryOnce(deps, baseUrl, request, options, attempt);
    // The service has not processed the call; the response contains the required nonce.
    if (options.browserKey && fault instanceof ApiError && asksForNonce(fault.status, fault.code)) {
      ({ fault, value } = await tryOnce(deps, baseUrl, request, options, attempt));
    }
    if (fault === null) return value;
    options.signal?.throwIfAborted();
    const waitMs = repeatAfterMs(deps, request, options.policy, attempt, fault);
    if (waitMs === null) throw fault;
    await deps.wait(waitMs, options.signal);
  }
}

type Outcome =
  | { readonly fault: null; readonly value: unknown }
  | { readonly fault: ApiError | ConnectionError; readonly value?: undefined };

function repeatAfterMs(
  { random }: ClientDeps,
  { isRepeatable }: Request,
  policy: RetryPolicy,
  attempt: number,
  fault: ApiError | ConnectionError,
): number | null {
  if (!isRepeatable) return null;
  const isAnswered = fault instanceof ApiError;
  if (isAnswered && !isWorthRepeating(fault.status, fault.code)) return null;
  return waitMsBefore(policy, attempt - 1, isAnswered ? fault.retryAfterMs : null, random);
}

async function tryOnce(
  deps: ClientDeps,
  baseUrl: string,
  request: Request,
  options: SendPolicy,
  attempt: number,
): Promise<Outcome> {
  const headers = await headersOf(baseUrl, request, options);
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort(new DOMException(`no answer within ${options.timeoutMs} ms`, 'TimeoutError'));
  }, options.timeoutMs);
  const signals = options.signal ? [late.signal, options.signal] : [late.signal];
  let answer: Answer;
  try {
    const response = await deps.fetch(`${baseUrl}${request.target}`, {
      method: request.method,
      headers,
      signal: AbortSignal.any(signals),
      ...(request.body === null ? {} : { body: request.body as Uint8Array<ArrayBuffer> }),
    });
    answer = { response, value: await readAnswer(response) };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { fault: new ConnectionError(attempt, error) };
  } finally {
    clearTimeout(timer);
  }
  // An error thrown by the caller's code is the caller's, and no reason for a retry.
  options.browserKey?.takeNonce(answer.response.headers.get('dpop-nonce'));
  options.onAnswer?.({ ...factsOf(answer.response), attempt });
  return judge(answer, deps.nowMs());
}

interface Answer {
  readonly response: Response;
  readonly value: unknown;
}

function factsOf({ status, headers }: Response): Omit<AnswerFacts, 'attempt'> {
  return { status, headers, requestId: headers.get('request-id') };
}

async function judge({ response, value }: Answer, nowMs: number): Promise<Outcome> {
  if (response.status < 400) return { fault: null, value };
  const { status, headers, requestId } = factsOf(response);
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), nowMs);
  const isRead = !(value instanceof Response);
  if (!isRead) await value.body?.cancel();
  const body = isRead ? value : null;
  return { fault: new ApiError({ status, requestId, retryAfterMs, body }) };
}

async function headersOf(
  baseUrl: string,
  { method, target, headers, body }: Request,
  { token, attest, browserKey }: SendOptions,
): Promise<Record<string, string>> {
  const held = typeof token === 'function' ? await token() : token;
  const facts = { method, path: target, body: body ?? new Uint8Array() };
  const attested = await attest?.(facts);
  const url = `${baseUrl}${target}`;
  const proof = await browserKey?.sign({ method, url, token: held, body });
  return {
    ...headers,
    ...(held ? { authorization: `Bearer ${held}` } : {}),
    ...(attested === undefined ? {} : { attest: attested }),
    ...(proof === undefined ? {} : { dpop: proof }),
  };
}

/**
 * Parses JSON. Returns undefined for an empty response, and the `Response` for other content.
 * @throws if the response is incomplete
 */
async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 304) return undefined;
  if (!/[/+]json\b/.test(response.headers.get('content-type') ?? '')) return response;
  const text = await readText(response);
  if (response.status < 400) return JSON.parse(text);
  // An error body is parsed if possible. Its status is reported in any case.
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let sizeBytes = 0;
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return text + decoder.decode();
    sizeBytes += value?.length ?? 0;
    if (sizeBytes > answerBytesMax) {
      await reader?.cancel();
      throw new RangeError(`an answer of more than ${answerBytesMax} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
