import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Contract } from '../../../api/http/contract.ts';
import { errorsOf } from '../../../api/http/implied-errors.ts';
import { answerHeaders, answerHeadersOf } from '../../../api/http/openapi-headers.ts';
import { failureAnswers } from '../../../api/http/problem/failure-answers.ts';
import { type FailureCode, isFailureCode } from '../../../workflows/failures.ts';
import type { Answer } from './client.ts';
import { contractOf } from './routes.ts';
import { witnessFolder } from './witness-folder.ts';

const validationBody = z.strictObject({
  detail: z
    .array(
      z.strictObject({
        loc: z.array(z.union([z.string(), z.int()])).min(1),
        // The message must be our text, not that of the library.
        msg: z.string().regex(/^(?!Invalid |Too (?:small|big)|Unrecognized )./),
        type: z.string().min(1),
      }),
    )
    .min(1),
});
const problemBody = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  // RFC 9457 §3.1.4: the detail adds to the title, or is omitted.
  detail: z.string().min(1).optional(),
  code: z.string(),
  request_id: z.string(),
});

/**
 * Validates an answer against the contract of its route, and records it for the law of declared
 * answers. A success has a declared status and a body of its schema without other members. A
 * failure is one that the row declares or implies, in the shape of the API.
 * @throws if the answer breaks the contract
 */
export function witness(method: string, target: string, answer: Answer, baseUrl: string): void {
  // The HTTP parser sends this answer before any route is reached.
  if (answer.status === 431) return;
  const contract = contractOf(method, target);
  const where = `${method} ${target} answered ${answer.status}`;
  const requestId = answer.headers.get('request-id');
  if (!requestId) throw new Error(`${where} without a Request-Id`);
  if (contract) checkHeaders(contract, answer, where);
  if (contract) checkLimit(contract, answer, where);
  const type = answer.headers.get('content-type') ?? '';
  // A refusal with its own page is a problem body for callers that prefer one.
  const isProblem = type.startsWith('application/problem+json');
  if (contract && answer.status in contract.replies && !isProblem) {
    checkReply(contract, answer, where);
    note(contract.id, String(answer.status));
    return;
  }
  const codes =
    answer.status === 422
      ? validationCodes(answer, where)
      : [problemCode(answer, where, requestId, baseUrl)];
  for (const code of codes) {
    if (!contract) continue;
    if (!errorsOf(contract).includes(code)) {
      throw new Error(`${contract.id} answered ${code} and does not declare it: ${answer.text}`);
    }
    note(contract.id, code);
  }
}

/** The document must name every header, because clients ignore others. */
function checkHeaders(contract: Contract, { status, headers }: Answer, where: string): void {
  const declared: readonly string[] = answerHeadersOf(contract, status);
  for (const name of Object.keys(answerHeaders)) {
    if (headers.has(name) && !declared.includes(name)) throw new Error(`${where} with ${name}`);
  }
}

/** Answers of a limited operation state the remaining calls, and refusals the time to retry. */
function checkLimit({ limit }: Contract, { status, headers }: Answer, where: string): void {
  const seconds = (name: string): number => Number(headers.get(name) ?? Number.NaN);
  if (status === 429 && !(seconds('retry-after') >= 1)) throw new Error(`${where} without an end`);
  // Counting by credential requires authentication. An unavailable database counts no call.
  const isCounted = limit?.by === 'address' || ![400, 401, 413, 415].includes(status);
  if (!limit || !isCounted || status >= 500) return;
  const left = seconds('ratelimit-remaining');
  const isTold =
    seconds('ratelimit-limit') === limit.points &&
    left >= 0 &&
    left < limit.points &&
    seconds('ratelimit-reset') >= 1 &&
    seconds('ratelimit-reset') <= limit.seconds;
  if (!isTold) throw new Error(`${where} without what is left of its limit`);
}

function checkReply(contract: Contract, answer: Answer, where: string): void {
  const reply = contract.replies[answer.status];
  const type = answer.headers.get('content-type') ?? '';
  const isJson = /^application\/([a-z-]+\+)?json\b/.test(type);
  if (reply?.kind === 'redirect') {
    if (!answer.headers.get('location')) throw new Error(`${where} without a Location`);
    return;
  }
  if (reply?.kind === 'empty') {
    if (answer.text !== '') throw new Error(`${where} with a body`);
    return;
  }
  if (reply?.kind === 'json' && !isJson) throw new Error(`${where} without JSON`);
  const schema = reply && 'schema' in reply ? reply.schema : undefined;
  if (!schema || !isJson) return;
  const parsed = schema.safeParse(answer.body);
  if (!parsed.success) throw new Error(`${where} with a wrong body`, { cause: parsed.error });
  if (!isDeepStrictEqual(parsed.data, answer.body)) {
    throw new Error(`${where} with members its schema does not have: ${answer.text}`);
  }
}

/** Returns our own codes among the faults of a 422. The other faults concern the shape. */
function validationCodes(answer: Answer, where: string): FailureCode[] {
  const parsed = validationBody.safeParse(answer.body);
  if (!parsed.success) throw new Error(`${where} in another shape: ${answer.text}`);
  return parsed.data.detail.map(({ type }) => type).filter(isFailureCode);
}

function problemCode(
  answer: Answer,
  where: string,
  requestId: string,
  baseUrl: string,
): FailureCode {
  const type = answer.headers.get('content-type') ?? '';
  const parsed = problemBody.safeParse(answer.body);
  if (!type.startsWith('application/problem+json') || !parsed.success) {
    throw new Error(`${where}, which is neither declared nor a problem: ${answer.text}`);
  }
  const { code, detail, ...problem } = parsed.data;
  if (!isFailureCode(code)) throw new Error(`${where} with an unknown code ${code}`);
  const expected = {
    type: `${baseUrl}/docs/errors/${code}`,
    title: failureAnswers[code].title,
    status: failureAnswers[code].status,
    request_id: requestId,
  };
  if (detail === problem.title) throw new Error(`${where} with its title as its detail`);
  if (!isDeepStrictEqual(problem, expected) || answer.status !== expected.status) {
    throw new Error(`${where} with another problem than its code says: ${answer.text}`);
  }
  return code;
}

const noted = new Set<string>();

/** Each process writes its own file, so that lines of two processes do not mix. */
function note(operation: string, answer: string): void {
  const folder = process.env[witnessFolder];
  const line = `${operation} ${answer}`;
  if (!folder || noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(folder, `${process.pid}.txt`), `${line}\n`);
}
