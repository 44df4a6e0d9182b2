import { z } from 'zod';
import { faceActions } from '../../activities/face/challenge.ts';
import { contract } from '../contract.ts';
import { challengeId } from '../trust-checks/evidence-ids.ts';
import { sessionPath } from '../trust-checks/schemas.ts';

const challengeRequest = z
  .object({ proof: z.enum(['nfc_passport', 'biometric']).describe('What it is for') })
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
              .describe(
                'base64url: 8 bytes for active authentication (ICAO 9303-11 §6.1), or 32 of ' +
                  'which the actions come',
              ),
            actions: z
              .array(z.enum(faceActions))
              .optional()
              .describe(
                'biometric: what the person is asked to do, in this order; left is their left',
              ),
            expires_at: z.iso.datetime().describe('Until when the answer has to be handed in'),
          })
          .meta({ id: 'ProofChallenge' }),
        description: 'Good once: for a chip for 5 minutes, for a face for 60 seconds',
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
