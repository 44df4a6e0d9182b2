import { z } from 'zod';
import { dpopProofBytesMax } from '../../domain/tokens/dpop-proof.ts';
import { apiVersion } from '../../workflows/events.ts';
import type { FailureCode } from '../../workflows/failures.ts';
import { readsProof } from './auth/dpop/prove-key.ts';
import type { Contract } from './contract.ts';
import { errorsOf } from './implied-errors.ts';
import { refusesBody } from './parse/body.ts';
import { refusesUnknownFields } from './parse/parse.ts';
import { failureAnswers } from './problem/failure-answers.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer' } as const;

/** The response headers, as components of the OpenAPI document. */
export const answerHeaders = {
  'Request-Id': {
    description: 'The id of this request, as sent or made; it stands in the log',
    schema: text,
  },
  'Trustcheck-Version': {
    description: 'The version of the interface that this answer follows',
    schema: text,
  },
  'RateLimit-Limit': {
    description: 'How many calls one window has for this address or caller',
    schema: count,
  },
  'RateLimit-Remaining': { description: 'How many of them are left', schema: count },
  'RateLimit-Reset': {
    description: 'Seconds until the window ends and all of them are there again',
    schema: count,
  },
  'Retry-After': { description: 'Seconds after which another call may be made', schema: count },
  'WWW-Authenticate': {
    description: 'What is taken: `Bearer` (RFC 6750)',
    schema: text,
  },
  'Attest-Nonce': {
    description:
      'What the next attest header is made over, in refusals too: /docs/reference/attest-header',
    schema: text,
  },
  'DPoP-Nonce': {
    description:
      'What the next DPoP header is made over, in refusals too: /docs/reference/dpop-header',
    schema: text,
  },
  ETag: {
    description: 'The version of what is answered, for If-Match and If-None-Match',
    schema: text,
  },
  'Email-Code': {
    description: 'Six digits to show where a mail was asked for, for who reads it elsewhere',
    schema: text,
  },
  'Set-Cookie': {
    description: 'Sets or deletes a cookie that binds the flow to this browser',
    schema: text,
  },
  'Idempotent-Replayed': {
    description: 'true where this is the first answer to its Idempotency-Key, given again',
    schema: text,
  },
  'Preference-Applied': {
    description: '`handling=lenient` when the caller preferred it (RFC 7240)',
    schema: text,
  },
  'X-Ignored-Fields': {
    description:
      'Unknown members of the body and parameters of the query that were ignored, separated by ' +
      'commas: nested ones as `outer.inner`, names percent-encoded except for letters, digits ' +
      "and `-_~!*'()`; after 20 names the last item is `N more`",
    schema: text,
  },
} as const;

type HeaderName = keyof typeof answerHeaders;

/** Failures that end by themselves. Their responses carry Retry-After. */
const waitedFor: readonly FailureCode[] = [
  'dependency_unavailable',
  'idempotency_in_progress',
  'rate_limited',
  'resend_too_soon',
];

/** Returns the headers that a response of an operation with that status may carry. */
export function answerHeadersOf(contract: Contract, status: number): HeaderName[] {
  const isSuccess = status < 300;
  const reply = contract.replies[status];
  const read = contract.request.headers?.shape ?? {};
  // A caller without a valid credential is refused before the request is parsed.
  const isParsed =
    status !== 401 || contract.errors.some((code) => failureAnswers[code].status === 401);
  const has: Readonly<Record<HeaderName, boolean>> = {
    'Request-Id': true,
    'Trustcheck-Version': true,
    'WWW-Authenticate': status === 401,
    'RateLimit-Limit': contract.limit !== undefined,
    'RateLimit-Remaining': contract.limit !== undefined,
    'RateLimit-Reset': contract.limit !== undefined,
    'Retry-After': errorsOf(contract).some(
      (code) => waitedFor.includes(code) && failureAnswers[code].status === status,
    ),
    'Attest-Nonce': contract.attest !== undefined,
    'DPoP-Nonce': readsProof(contract),
    ETag:
      (reply?.kind === 'json' && reply.isTagged === true) || (!!reply && 'if-none-match' in read),
    'Email-Code': status === 202 && contract.id.startsWith('email.'),
    'Set-Cookie': contract.setsCookie === true && reply !== undefined,
    'Idempotent-Replayed': isSuccess && contract.idempotent === true,
    'Preference-Applied': isParsed,
    'X-Ignored-Fields': isParsed,
  };
  return (Object.keys(answerHeaders) as HeaderName[]).filter((name) => has[name]);
}

const requestId = z
  .string()
  .optional()
  .describe(
    'An id of the caller for this request: 8 to 64 letters, digits, `-` or `_`. The server makes ' +
      'one where none of this form is sent',
  );
const idempotencyText =
  'Repeated with the same key and body, the call is made once and answered alike. A random UUID: ' +
  'without a credential fewer than 22 characters are refused';
const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .optional()
  .describe(idempotencyText);
/** For an operation that admits no credential and no signing phone. */
const anonymousKey = z
  .string()
  .regex(/^[\x21-\x7e]{22,255}$/)
  .optional()
  .describe(idempotencyText);
const isAnonymous = ({ auth, attest: signed }: Contract): boolean =>
  signed === undefined && auth.every((kind) => kind === 'public');
const prefer = z
  .string()
  .optional()
  .describe(
    '`handling=lenient` (RFC 7240): unknown members, or a body that the operation does not take, ' +
      'are ignored instead of refused; members are named in `X-Ignored-Fields`',
  );
const version = z
  .literal(apiVersion)
  .optional()
  .describe('The version of the interface that the caller expects; without it, the newest one');
const attest = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .max(16 * 1024)
  .describe(
    'This request signed by an enrolled phone, with the last Attest-Nonce: /docs/reference/attest-header',
  );
const dpop = z
  .string()
  .max(dpopProofBytesMax)
  .optional()
  .describe(
    'This request signed by the key of a browser (RFC 9449), with the last DPoP-Nonce. Needed ' +
      'with a check token that is bound to a key, and to begin with `client: web`: ' +
      '/docs/reference/dpop-header',
  );

/** The headers an operation reads: those of its contract, and those that `mount` reads. */
export function requestHeadersOf(contract: Contract): z.ZodObject {
  return z.object({
    ...contract.request.headers?.shape,
    ...(contract.attest
      ? { attest: contract.attest === 'required' ? attest : attest.optional() }
      : {}),
    ...(readsProof(contract) ? { dpop } : {}),
    ...(contract.idempotent
      ? { 'idempotency-key': isAnonymous(contract) ? anonymousKey : idempotencyKey }
      : {}),
    ...(refusesUnknownFields(contract) || refusesBody(contract) ? { prefer } : {}),
    'request-id': requestId,
    'trustcheck-version': version,
  });
}
