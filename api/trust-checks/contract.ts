import { z } from 'zod';
import { attestFaults } from '../http/auth/attest/attest-faults.ts';
import { contract } from '../http/contract.ts';
import { integerText } from '../http/fields/integer-text.ts';
import { cursorPageBody } from '../http/fields/paging.ts';
import { eventPage } from './schemas/events.ts';
import { codeContracts } from './code/contract.ts';
import { handOverContracts } from './hand-over/contract.ts';
import { expandedBody, readQuery } from './schemas/expansions.ts';
import { submittedDescription, submittedReplies } from './schemas/proof-body.ts';
import * as schemas from './schemas/schemas.ts';

const session = {
  200: { kind: 'json', schema: schemas.sessionBody, description: 'The session' },
} as const;
const running = {
  auth: ['check-token'],
  cors: true,
} as const;
const path = schemas.sessionPath;
const common = [
  'credential_invalid',
  'not_found',
  'invalid_state',
  'dependency_unavailable',
] as const;

const reading = { keyMode: 'either', admitsAppKeys: true, role: 'VIEWER' } as const;
const stepping = {
  auth: ['check-token', 'key'],
  keyMode: 'own',
  admitsAppKeys: true,
  role: 'MEMBER',
  idempotent: true,
  cors: true,
} as const;
const settling = {
  method: 'post',
  auth: ['key'],
  keyMode: 'own',
  admitsAppKeys: true,
  role: 'ADMIN',
  request: { path },
  replies: session,
  errors: ['credential_invalid', 'not_found', 'role_required', 'invalid_state'],
} as const;

/** The trust-checks family. The published API does not define it. */
export const trustCheckContracts = {
  begin: contract({
    id: 'trust-checks.begin',
    method: 'post',
    path: '/v2/trust-checks',
    summary: 'Begin a trust check from a link',
    description: [
      'A phone that signs the request with `attest` is paired at once, as with `pair`. With a',
      'session token, the check belongs to the person of that session: no other person can pair a',
      'phone or join by the link. With an API key, the check belongs to no person yet.',
      'A single-use link has one open session. A later begin continues it with its `resume_token`',
      'or `pair_token`, or with the session token or paired phone of its person. Any other begin',
      'gets `already_begun`. Keep the `resume_token` of the answer, and repeat a lost request with',
      'the same Idempotency-Key: without them, no client can continue the session. A key of the',
      'client signs the request in `DPoP`, for a phone its signing key. The check token works only',
      'with that key: /docs/reference/dpop-header.',
    ].join(' '),
    auth: ['public', 'key'],
    keyMode: 'either',
    admitsAppKeys: true,
    attest: 'accepted',
    clientKey: 'required',
    request: { body: schemas.beginRequest },
    replies: {
      201: { kind: 'json', schema: schemas.begunBody, description: 'The session and its token' },
    },
    errors: [
      'not_found',
      'invalid_state',
      'link_not_active',
      'link_token_required',
      'forbidden_target',
      'own_sign_in_required',
      'rate_limited',
      'dependency_unavailable',
      ...attestFaults,
      'already_begun',
      'already_paired',
      'pair_token_ended',
      'session_limit',
    ],
    idempotent: true,
    limit: { points: 120, seconds: 60, by: 'address' },
    cors: true,
  }),
  list: contract({
    id: 'trust-checks.list',
    method: 'get',
    path: '/v2/trust-checks',
    summary: 'List the sessions of an account, newest first by default',
    auth: ['key'],
    ...reading,
    request: { query: schemas.listQuery },
    replies: {
      200: {
        kind: 'json',
        schema: cursorPageBody(schemas.sessionBody),
        description: 'A page of sessions',
      },
    },
    errors: ['credential_invalid', 'not_found', 'role_required'],
  }),
  get: contract({
    id: 'trust-checks.get',
    method: 'get',
    path: '/v2/trust-checks/{id}',
    summary: 'Get a session',
    auth: ['check-token', 'key'],
    ...reading,
    request: { path, query: readQuery },
    replies: {
      200: {
        kind: 'json',
        schema: expandedBody,
        description: 'The session; for its check token also the signed claims',
      },
    },
    errors: ['credential_invalid', 'not_found', 'role_required', 'expand_refused'],
    cors: true,
  }),
  open: contract({
    ...running,
    id: 'trust-checks.open',
    method: 'post',
    path: '/v2/trust-checks/{id}/open',
    summary: 'Report that the page or modal has loaded',
    request: { path },
    replies: session,
    errors: [...common, 'link_not_active'],
    idempotent: true,
  }),
  pair: contract({
    ...running,
    id: 'trust-checks.pair',
    method: 'post',
    path: '/v2/trust-checks/{id}/pair',
    summary: 'Bind the attested device, or the web client if the policy allows it',
    description:
      'A phone pairs by `attest` and a check token that is bound to its signing key. Another ' +
      'token is 401 `invalid_dpop_proof` with `rule` `cnf`.',
    attest: 'accepted',
    request: { path },
    replies: session,
    errors: [...common, ...attestFaults, 'already_paired', 'device_required'],
    idempotent: true,
  }),
  ...handOverContracts,
  consent: contract({
    ...running,
    id: 'trust-checks.consent',
    method: 'post',
    path: '/v2/trust-checks/{id}/consent',
    summary: 'Give or refuse consent',
    request: { path, body: schemas.consentRequest },
    replies: session,
    errors: [...common, 'tos_changed'],
    idempotent: true,
  }),
  ...codeContracts,
  upload: contract({
    ...running,
    id: 'trust-checks.upload',
    method: 'put',
    path: '/v2/trust-checks/{id}/evidence/{name}',
    summary: 'Upload one file of evidence',
    request: { path: schemas.evidencePath, rawBytesMax: 10 * 1024 * 1024 },
    replies: {
      200: { kind: 'json', schema: schemas.evidenceBody, description: 'The stored file' },
    },
    errors: [...common, 'consent_required', 'evidence_limit', 'too_large', 'rate_limited'],
    limit: { points: 120, seconds: 3600, by: 'caller' },
  }),
  submitProof: contract({
    ...running,
    id: 'trust-checks.submitProof',
    method: 'post',
    path: '/v2/trust-checks/{id}/proofs/{proof}',
    summary: 'Submit a proof',
    description: submittedDescription,
    attest: 'accepted',
    request: { path: schemas.proofPath, body: schemas.submitProofRequest },
    replies: submittedReplies,
    errors: [
      ...common,
      'proof_not_expected',
      ...attestFaults,
      'consent_required',
      'device_not_paired',
      'evidence_unknown',
      'rate_limited',
      'review_not_offered',
    ],
    idempotent: true,
    limit: { points: 120, seconds: 3600, by: 'caller' },
  }),
  retry: contract({
    ...stepping,
    id: 'trust-checks.retry',
    method: 'post',
    path: '/v2/trust-checks/{id}/retry',
    summary: 'Begin another attempt',
    request: { path },
    replies: session,
    errors: common,
  }),
  cancel: contract({
    ...stepping,
    id: 'trust-checks.cancel',
    method: 'post',
    path: '/v2/trust-checks/{id}/cancel',
    summary: 'Cancel a session',
    request: { path, body: schemas.cancelRequest },
    replies: session,
    errors: common,
  }),
  review: contract({
    id: 'trust-checks.review',
    method: 'post',
    path: '/v2/trust-checks/{id}/review',
    summary: 'Decide a session in review',
    auth: ['key'],
    keyMode: 'own',
    admitsAppKeys: true,
    role: 'REVIEWER',
    request: { path, body: schemas.reviewRequest },
    replies: session,
    errors: [...common, 'role_required', 'subject_may_not_review'],
    idempotent: true,
  }),
  events: contract({
    id: 'trust-checks.events',
    method: 'get',
    path: '/v2/trust-checks/{id}/events',
    summary: 'List the events of a session',
    auth: ['check-token', 'key'],
    ...reading,
    request: {
      path,
      query: z.object({
        after: integerText(0, 999_999_999_999_999)
          .prefault(0)
          .describe('`next_after` of the previous page'),
        limit: integerText(1, 500).prefault(100).describe('Maximum number of events'),
      }),
    },
    replies: {
      200: { kind: 'json', schema: eventPage, description: 'A page of events, in order' },
    },
    errors: ['credential_invalid', 'not_found'],
    cors: true,
  }),
  evidence: contract({
    id: 'trust-checks.evidence',
    assurance: 'cert',
    method: 'get',
    path: '/v2/trust-checks/{id}/evidence',
    summary: 'Export the evidence of a session, for an ADMIN or the subject',
    auth: ['key'],
    keyMode: 'either',
    admitsAppKeys: true,
    request: { path },
    replies: {
      200: {
        kind: 'stream',
        types: ['application/x-ndjson'],
        description: 'One evidence file per line; a response that breaks off is incomplete',
      },
    },
    errors: ['credential_invalid', 'not_found', 'role_required', 'gone', 'rate_limited'],
  }),
  revoke: contract({
    ...settling,
    id: 'trust-checks.revoke',
    assurance: 'cert',
    path: '/v2/trust-checks/{id}/revoke',
    summary: 'Revoke a passed outcome',
  }),
  redact: contract({
    ...settling,
    id: 'trust-checks.redact',
    assurance: 'cert',
    path: '/v2/trust-checks/{id}/redact',
    summary: 'Remove the personal data of a session; its affidavit stays',
  }),
} as const;
