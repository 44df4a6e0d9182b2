import { z } from 'zod';
import { faceProviders } from '../../domain/names.ts';
import { faceActions } from '../../domain/proofs/face/challenge.ts';
import { contract } from '../http/contract.ts';
import { challengeId, evidenceId } from '../trust-checks/schemas/evidence-ids.ts';
import { sessionPath } from '../trust-checks/schemas/schemas.ts';

const challengeRequest = z
  .object({
    proof: z.enum(['nfc_passport', 'biometric']).describe('What it is for'),
    dg14: evidenceId
      .optional()
      .describe('EF.DG14 of the chip, as uploaded: for the commands of chip authentication'),
  })
  .meta({ example: { proof: 'nfc_passport' } });

const apdus = z.array(z.string());
const chipCommands = z
  .object({
    agreement: apdus.describe(
      'Sent one after the other like all commands of the session with the chip; each has to be ' +
        'answered by 9000, and ends that session',
    ),
    reading: apdus.describe(
      'Sent right after those, as they are and nothing between; what the chip answers is handed ' +
        'in as `chip_auth.responses`',
    ),
  })
  .meta({ id: 'ChipCommands' });

const providerSession = z
  .object({
    name: z.enum(faceProviders),
    session_id: z.string().describe('Handed in as `provider_session` once it has ended'),
    client: z
      .record(z.string(), z.string())
      .describe('What the client of the provider needs besides; `region` for rekognition'),
  })
  .describe('biometric: where the account has faces judged by a provider, in place of `actions`')
  .meta({ id: 'ProviderSession' });

/** The proofs family: the challenges that a proof needs before it is submitted. */
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
                'base64url: 8 bytes for active authentication (ICAO 9303-11 §6.1), or 33 of ' +
                  'which the actions come',
              ),
            actions: z
              .array(z.enum(faceActions))
              .optional()
              .describe(
                'biometric: what the person is asked to do, three or four, in this order; left ' +
                  'is their left',
              ),
            provider: providerSession.optional(),
            chip_auth: chipCommands
              .nullable()
              .describe(
                'Commands of chip authentication (ICAO 9303-11 §6.2), each an APDU in base64url; ' +
                  'null without a DG14 that has a key for it',
              ),
            expires_at: z.iso.datetime().describe('Until when the answer has to be handed in'),
          })
          .meta({ id: 'ProofChallenge' }),
        description:
          'Good once: for a chip for 5 minutes; for a face, one at a time, for 60 seconds, or ' +
          'with a provider for 3 minutes',
      },
    },
    errors: [
      'credential_invalid',
      'not_found',
      'invalid_state',
      'consent_required',
      'proof_not_expected',
      'evidence_unknown',
      'attempts_exhausted',
      'rate_limited',
    ],
    idempotent: true,
    limit: { points: 60, seconds: 3600, by: 'caller' },
    cors: true,
  }),
} as const;
