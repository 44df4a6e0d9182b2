import { contract } from '../../http/contract.ts';
import { pairAddressBody } from '../schemas/pair-address.ts';
import { sessionPath } from '../schemas/schemas.ts';

/** A check goes on on another device. */
export const handOverContracts = {
  pairToken: contract({
    auth: ['check-token'],
    cors: true,
    id: 'trust-checks.pairToken',
    method: 'post',
    path: '/v2/trust-checks/{id}/pair-token',
    summary: 'Get the address by which another device joins',
    description:
      'The token in the address works once, for ten minutes. The answer is the same until it is ' +
      'used or has less than a minute left: a page that shows the address asks again.',
    request: { path: sessionPath },
    replies: { 200: { kind: 'json', schema: pairAddressBody, description: 'The address' } },
    errors: ['credential_invalid', 'not_found', 'invalid_state', 'rate_limited'],
    idempotent: true,
    limit: { points: 900, seconds: 3600, by: 'caller' },
  }),
} as const;
