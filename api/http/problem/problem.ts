import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Language } from '../../../domain/languages/languages.ts';
import { wantedLanguage } from '../../../domain/languages/spoken.ts';
import { Failure } from '../../../workflows/failures.ts';
import { preferredType } from './accept.ts';
import { failureAnswers } from './failure-answers.ts';
import { problemPage } from './problem-page.ts';

/** One fault of a 422 body, in the API's own form (HTTPValidationError). */
export interface ValidationFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** All faults of a request: path, query, headers and body are parsed separately. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly faults: readonly ValidationFault[];

  constructor(faults: readonly ValidationFault[]) {
    super('the request does not have the declared shape');
    this.faults = faults;
  }
}

/** Returns zod's issues as faults, each with its part of the request. */
export function faultsOf(part: string, error: z.ZodError): ValidationFault[] {
  return error.issues.map((issue) => ({
    loc: [part, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))],
    msg: issue.message,
    type: issue.code,
  }));
}

export interface ProblemContext {
  readonly requestId: string;
  /** The `detail` of a `not_found` that has none of its own. */
  readonly missingDetail?: string | null;
  readonly baseUrl: string;
}

/**
 * Sends a failure: 422 in its own form, all others as problem+json (RFC 9457), or as a page to a
 * browser that has opened the address.
 */
export function sendProblem(
  response: Response,
  error: unknown,
  facts: ProblemContext,
): Failure | InvalidRequest {
  response.setHeader('Cache-Control', 'no-store');
  if (error instanceof InvalidRequest) {
    response.status(422).json({ detail: error.faults });
    return error;
  }
  const failure = error instanceof Failure ? error : new Failure('unexpected', { cause: error });
  const { status, title } = failureAnswers[failure.code];
  const detail = detailOf(failure, facts);
  if (status === 422) {
    response.status(422).json({ detail: [faultOf(failure)] });
    return failure;
  }
  // A 401 names the accepted scheme (RFC 9110 §15.5.2, RFC 6750 §3).
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (failure.retryAfterSeconds !== undefined) {
    response.setHeader('Retry-After', String(failure.retryAfterSeconds));
  }
  response.set(failure.headers);
  if (isRead(response.req)) response.vary('Accept');
  if (isOpenedByBrowser(response.req)) {
    const { code } = failure;
    const language = languageOf(response.req);
    const { requestId } = facts;
    const page = problemPage({ status, title, detail, code, requestId, language });
    response.vary('Accept-Language');
    response.status(status).set(page.headers).type(page.type).send(page.content);
    return failure;
  }
  response
    .status(status)
    .type('application/problem+json')
    .send(
      JSON.stringify({
        type: `${facts.baseUrl}/docs/errors/${failure.code}`,
        title,
        status,
        // RFC 9457 §3.1.4: it explains this occurrence; otherwise it is omitted.
        ...(detail === null ? {} : { detail }),
        code: failure.code,
        request_id: facts.requestId,
        ...failure.extra,
      }),
    );
  return failure;
}

function detailOf({ code, message }: Failure, { missingDetail }: ProblemContext): string | null {
  if (message !== code) return message;
  return code === 'not_found' ? (missingDetail ?? null) : null;
}

/** The query may name the language, as on the page of a link. */
function languageOf({ query, headers }: Request): Language {
  const { locale } = query;
  return wantedLanguage([typeof locale === 'string' ? locale : null, headers['accept-language']]);
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Whether an Accept header prefers a page; false without a preference. */
export function prefersPage(accept: string | undefined): boolean {
  const types = ['application/problem+json', 'application/json', 'text/html'] as const;
  return preferredType(accept, types) === 'text/html';
}

const isOpenedByBrowser = (request: Request): boolean =>
  isRead(request) && prefersPage(request.headers.accept);

function faultOf(failure: Failure): ValidationFault {
  const loc = failure.extra['loc'];
  return {
    loc: Array.isArray(loc)
      ? loc.map((step) => (typeof step === 'number' ? step : String(step)))
      : ['body'],
    msg: failure.message === failure.code ? failureAnswers[failure.code].title : failure.message,
    type: failure.code,
  };
}
