import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Language } from '../../../domain/languages/languages.ts';
import { wantedLanguage } from '../../../domain/languages/spoken.ts';
import { Failure } from '../../../workflows/failures.ts';
import { preferredType } from './accept.ts';
import { failureAnswers } from './failure-answers.ts';
import { problemPage } from './problem-page.ts';

/** One fault of a 422 body, in the interface's own shape (HTTPValidationError). */
export interface ValidationFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** All faults of a request at once: path, query, headers and body parsed apart. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly faults: readonly ValidationFault[];

  constructor(faults: readonly ValidationFault[]) {
    super('the request does not have the declared shape');
    this.faults = faults;
  }
}

/** zod's issues as faults, each with the part of the request it lies in. */
export function faultsOf(part: string, error: z.ZodError): ValidationFault[] {
  return error.issues.map((issue) => ({
    loc: [part, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))],
    msg: issue.message,
    type: issue.code,
  }));
}

export interface ProblemContext {
  readonly requestId: string;
  /** Says what is missing, in the `detail` of a `not_found` that has none of its own. */
  readonly missingDetail?: string | null;
  readonly baseUrl: string;
}

/**
 * Sends a fault as the interface says: 422 in its own shape, all else as problem+json (RFC 9457),
 * or as a page to a browser that has opened the address.
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
  // RFC 9110 §15.5.2, RFC 6750 §3: what would have been taken.
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
        // RFC 9457 §3.1.4: it explains this occurrence, or is left out.
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

/** The address may name a language, as that of a link's page does. */
function languageOf({ query, headers }: Request): Language {
  const { locale } = query;
  return wantedLanguage([typeof locale === 'string' ? locale : null, headers['accept-language']]);
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Whether an Accept header prefers a page. Without a preference it does not. */
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
