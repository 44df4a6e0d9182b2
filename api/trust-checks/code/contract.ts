import { contract } from '../../http/contract.ts';
import { sentCodeBody } from '../schemas/proof-body.ts';
import { sendCodeRequest, sessionPath } from '../schemas/schemas.ts';

/** The code of the `phone` proof. */
export const codeContracts = {
  sendCode: contract({
    auth: ['check-token'],
    cors: true,
    id: 'trust-checks.sendCode',
    method: 'post',
    path: '/v2/trust-checks/{id}/phone/code',
    summary: 'Send a code by SMS; within five minutes, the same code is sent again',
    request: { path: sessionPath, body: sendCodeRequest },
    replies: {
      202: { kind: 'json', schema: sentCodeBody, description: 'The masked number and the times' },
    },
    idempotent: true,
    errors: [
      'credential_invalid',
      'not_found',
      'invalid_state',
      'dependency_unavailable',
      'proof_not_expected',
      'consent_required',
      'phone_refused',
      'resend_too_soon',
      'sends_exhausted',
      'sms_rejected',
      'rate_limited',
    ],
    limit: { points: 20, seconds: 3600, by: 'caller' },
  }),
} as const;
