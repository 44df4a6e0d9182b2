import { contract } from '../../http/contract.ts';
import { handedOverBody, handOverRequest, pairAddressBody } from '../schemas/pair-address.ts';
import { sessionPath } from '../schemas/schemas.ts';

/** Operations that continue a check on another device. */
export const handOverContracts = {
  pairToken: contract({
    auth: ['check-token'],
    cors: true,
    id: 'trust-checks.pairToken',
    method: 'post',
    path: '/v2/trust-checks/{id}/pair-token',
    summary: 'Get the URL for another device to join',
    description:
      'The token in the URL works once, for ten minutes. A new token replaces it after its ' +
      'use, in its last minute, and with each message of `trust-checks.handOver`. So a ' +
      'page that shows the URL must request it again every few seconds.',
    request: { path: sessionPath },
    replies: { 200: { kind: 'json', schema: pairAddressBody, description: 'The URL' } },
    errors: ['credential_invalid', 'not_found', 'invalid_state', 'rate_limited'],
    idempotent: true,
    limit: { points: 900, seconds: 3600, by: 'caller' },
  }),
  handOver: contract({
    auth: ['check-token'],
    cors: true,
    id: 'trust-checks.handOver',
    method: 'post',
    path: '/v2/trust-checks/{id}/hand-over',
    summary: 'Send the URL for another device to join, by SMS',
    description:
      'A check sends at most three such messages. The limits of codes also apply. The ' +
      'number is not stored. The message has the name of the app and a URL that works ' +
      'once, for ten minutes.',
    request: { path: sessionPath, body: handOverRequest },
    replies: {
      202: {
        kind: 'json',
        schema: handedOverBody,
        description: 'The masked number and the expiry',
      },
    },
    errors: [
      'credential_invalid',
      'not_found',
      'invalid_state',
      'dependency_unavailable',
      'phone_refused',
      'sends_exhausted',
      'sms_rejected',
      'rate_limited',
    ],
    idempotent: true,
    limit: { points: 20, seconds: 3600, by: 'caller' },
  }),
} as const;
