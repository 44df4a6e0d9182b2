import { z } from 'zod';
import { faceChallengeLifeMs } from '../../../domain/proofs/face/actions.ts';
import { framesMax } from '../../../domain/proofs/face/challenge.ts';
import { sessionLengthMax } from '../../../domain/proofs/face/provider-session.ts';
import { responsesMax } from '../../../domain/proofs/passport/chip/chip-auth.ts';

export const evidenceId = z.string().regex(/^ev_[0-9a-z]{26}$/, 'must be an evidence id');
export const challengeId = z.string().regex(/^ch_[0-9a-z]{26}$/, 'must be a challenge id');

/** The photographs that a document proof needs. */
export const documentImages = {
  front: evidenceId.optional().describe('document: evidence ID of the photograph of the front'),
  back: evidenceId
    .optional()
    .describe(
      'document: evidence ID of the photograph of the back. Required for licenses and for ' +
        'cards with a three-line code on it',
    ),
};

const dataGroupName = /^DG([1-9]|1[0-6])$/;

/** The inputs of a passport proof: the files of the chip, and its responses to a challenge. */
export const chipAnswers = {
  sod: evidenceId.optional().describe('nfc_passport: evidence ID of EF.SOD'),
  data_groups: z
    .record(z.string().regex(dataGroupName, 'must be DG1 to DG16'), evidenceId)
    .meta({ propertyNames: { pattern: dataGroupName.source } })
    .optional()
    .describe('nfc_passport: evidence IDs of the files of the chip by name, `DG1` to `DG16`'),
  active_auth: z
    .object({
      challenge_id: challengeId.optional().describe('ID of the signed challenge'),
      signature: evidenceId.describe('Evidence ID of the signature'),
    })
    .optional()
    .describe('nfc_passport: response of a chip with an active authentication key (DG15)'),
  chip_auth: z
    .object({
      challenge_id: challengeId.describe('ID of the challenge with the relayed commands'),
      responses: z
        .array(evidenceId)
        .min(1)
        .max(responsesMax)
        .describe('Evidence IDs of the responses to `reading` of the challenge, in order'),
    })
    .optional()
    .describe('nfc_passport: responses of a chip with a chip authentication key (DG14)'),
};

/** Enough for a compressed photograph of a front camera; a larger one adds no information. */
export const frameBytesMax = 1024 * 1024;
const framesMin = 8;

const frame = z.object({
  image: evidenceId.describe('Evidence ID of the photograph, at most 1 MiB'),
  at_ms: z
    .int()
    .min(0)
    .max(faceChallengeLifeMs)
    .describe('Milliseconds from the receipt of the challenge to this frame'),
  action: z
    .int()
    .min(-1)
    .max(framesMax)
    .describe(
      'Index of the action that the frame shows, from 0; -1 while the person looks ' +
        'straight ahead',
    ),
});
type Frames = readonly z.output<typeof frame>[];

const isEachOnce = (frames: Frames): boolean =>
  new Set(frames.map(({ image }) => image)).size === frames.length;
const isInOrder = (frames: Frames): boolean =>
  frames.every(({ at_ms }, index) => at_ms > (frames[index - 1]?.at_ms ?? -1));

/** The frames of a biometric proof, or the provider session that replaces them. */
export const faceFrames = {
  challenge_id: challengeId.optional().describe('biometric: ID of the challenge'),
  frames: z
    .array(frame)
    .min(framesMin)
    .max(framesMax)
    .refine(isEachOnce, 'must have each image once')
    .refine(isInOrder, 'must be in the order they were taken')
    .optional()
    .describe('biometric: frames of the camera, in the order they were taken'),
  provider_session: z
    .string()
    .min(1)
    .max(sessionLengthMax)
    .optional()
    .describe('biometric: the ended session that the challenge named, instead of frames'),
};
