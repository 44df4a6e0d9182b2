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
    description: 'ID of this request, from the caller or made by the server. The log has it',
    schema: text,
  },
  'Trustcheck-Version': {
    description: 'Version of the interface that this response follows',
    schema: text,
  },
  'RateLimit-Limit': {
    description: 'Calls allowed in one window for this address or caller',
    schema: count,
  },
  'RateLimit-Remaining': { description: 'Calls left in this window', schema: count },
  'RateLimit-Reset': {
    description: 'Seconds until the window ends and the full limit is available again',
    schema: count,
  },
  'Retry-After': { description: 'Seconds to wait before the next call', schema: count },
  'WWW-Authenticate': {
    description: 'Accepted scheme: `Bearer` (RFC 6750)',
    schema: text,
  },
  'Attest-Nonce': {
    description:
      'Nonce to sign in the next attest header; errors have it too: ' +
      '/docs/reference/attest-header',
    schema: text,
  },
  'DPoP-Nonce': {
    description:
      'Nonce to sign in the next DPoP header; errors have it too: /docs/reference/dpop-header',
    schema: text,
  },
  ETag: {
    description: 'Version of the returned object, for If-Match and If-None-Match',
    schema: text,
  },
  'Email-Code': {
    description:
      'Six digits to show where the mail was requested, for people who open it elsewhere',
    schema: text,
  },
  'Set-Cookie': {
    description: 'Sets or deletes a cookie that binds the flow to this browser',
    schema: text,
  },
  'Idempotent-Replayed': {
    description: '`true` if this repeats the first response to the Idempotency-Key',
    schema: text,
  },
  'Preference-Applied': {
    description: '`handling=lenient` if the caller preferred it (RFC 7240)',
    schema: text,
  },
  'X-Ignored-Fields': {
    description:
      'Ignored unknown members of the body and parameters of the query, separated by ' +
      'commas. Nested members are `outer.inner`. Names are percent-encoded except for ' +
      "letters, digits and `-_~!*'()`. After 20 names the last item is `N more`",
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
    'Your ID for this request: 8 to 64 letters, digits, `-` or `_`. By default, or in ' +
      'another form, the server makes one',
  );
const idempotencyText =
  'Makes a repeat safe: the same key and body get the first response. Use a random ' +
  'UUID: without a credential, the key needs 22 characters';
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
    '`handling=lenient` (RFC 7240) ignores unknown members, or a body that the operation ' +
      'does not accept, instead of refusing them. `X-Ignored-Fields` names the members',
  );
const version = z
  .literal(apiVersion)
  .optional()
  .describe('Version of the interface that the caller expects; the newest by default');
const attest = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .max(16 * 1024)
  .describe(
    'Signature of this request by an enrolled phone, with the last Attest-Nonce: ' +
      '/docs/reference/attest-header',
  );
const dpop = z
  .string()
  .max(dpopProofBytesMax)
  .optional()
  .describe(
    'Signature of this request by the key of the client (RFC 9449), with the last ' +
      'DPoP-Nonce. Required to begin as `web`, and with a bound check token: ' +
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
