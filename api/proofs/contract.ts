import { z } from 'zod';
import { contract } from '../contract.ts';
import { challengeId } from '../trust-checks/evidence-ids.ts';
import { sessionPath } from '../trust-checks/schemas.ts';

const challengeRequest = z
  .object({ proof: z.enum(['nfc_passport']).describe('What it is for') })
  .meta({ example: { proof: 'nfc_passport' } });

/** The proofs family: what a proof needs before it is handed in. */
export const proofContracts = {
  challenge: contract({
    id: 'proofs.challenge',
    method: 'post',
    path: '/v2/trust-checks/{id}/challenges',
    summary: 'Ask for the challenge a proof has to answer',
    auth: ['check-token'],
    request: { path: sessionPath, body: challengeRequest },
    replies: {
      201: {
        kind: 'json',
        schema: z
          .object({
            challenge_id: challengeId,
            challenge: z
              .string()
              .describe('8 bytes for active authentication (ICAO 9303-11 §6.1), base64url'),
            expires_at: z.iso.datetime(),
          })
          .meta({ id: 'ProofChallenge' }),
        description: 'Good once, for 5 minutes',
      },
    },
    errors: [
      'credential_invalid',
      'not_found',
      'invalid_state',
      'consent_required',
      'proof_not_expected',
      'rate_limited',
    ],
    idempotent: true,
    limit: { points: 60, seconds: 3600, by: 'caller' },
    cors: true,
  }),
} as const;
