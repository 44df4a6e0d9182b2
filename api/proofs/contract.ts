import { z } from 'zod';
import { faceProviders } from '../../domain/names.ts';
import { faceActions } from '../../domain/proofs/face/challenge.ts';
import { contract } from '../http/contract.ts';
import { challengeId, evidenceId } from '../trust-checks/schemas/evidence-ids.ts';
import { sessionPath } from '../trust-checks/schemas/schemas.ts';

const challengeRequest = z
  .object({
    proof: z.enum(['nfc_passport', 'biometric']).describe('Proof that the challenge is for'),
    dg14: evidenceId
      .optional()
      .describe('Evidence ID of EF.DG14 of the chip, for the commands of chip authentication'),
  })
  .meta({ example: { proof: 'nfc_passport' } });

const apdus = z.array(z.string());
const chipCommands = z
  .object({
    agreement: apdus.describe(
      'Commands to send first, one after the other, in the secure session of the chip. The ' +
        'chip must answer each with 9000. They end that session',
    ),
    reading: apdus.describe(
      'Commands to send directly after `agreement`, unchanged. Submit the responses as ' +
        '`chip_auth.responses`',
    ),
  })
  .meta({ id: 'ChipCommands' });

const providerSession = z
  .object({
    name: z.enum(faceProviders),
    session_id: z.string().describe('Submit it as `provider_session` after the session has ended'),
    client: z
      .record(z.string(), z.string())
      .describe('Further values for the client of the provider; `region` for rekognition'),
  })
  .describe(
    'biometric: session of the provider that judges faces for the account, instead of ' +
      '`actions`',
  )
  .meta({ id: 'ProviderSession' });

/** The proofs family: the challenges that a proof needs before it is submitted. */
export const proofContracts = {
  challenge: contract({
    id: 'proofs.challenge',
    method: 'post',
    path: '/v2/trust-checks/{id}/challenges',
    summary: 'Create a challenge for a proof',
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
                'base64url: 8 bytes for active authentication (ICAO 9303-11 §6.1), or 33 bytes ' +
                  'from which the actions are derived',
              ),
            actions: z
              .array(z.enum(faceActions))
              .optional()
              .describe(
                'biometric: three or four actions for the person, in this order; left is the ' +
                  'left of the person',
              ),
            provider: providerSession.optional(),
            chip_auth: chipCommands
              .nullable()
              .describe(
                'Commands of chip authentication (ICAO 9303-11 §6.2), each an APDU in base64url; ' +
                  'null without a DG14 that has a key for it',
              ),
            expires_at: z.iso.datetime().describe('When the challenge expires'),
          })
          .meta({ id: 'ProofChallenge' }),
        description:
          'Valid once: 5 minutes for a chip, 60 seconds for a face (one at a time), 3 minutes ' +
          'with a provider',
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
