import { z } from 'zod';
import { faceChallengeLifeMs } from '../../../domain/proofs/face/actions.ts';
import { framesMax } from '../../../domain/proofs/face/challenge.ts';
import { sessionLengthMax } from '../../../domain/proofs/face/provider-session.ts';
import { responsesMax } from '../../../domain/proofs/passport/chip/chip-auth.ts';

export const evidenceId = z.string().regex(/^ev_[0-9a-z]{26}$/, 'must be an evidence id');
export const challengeId = z.string().regex(/^ch_[0-9a-z]{26}$/, 'must be a challenge id');

/** The photographs that a document proof needs. */
export const documentImages = {
  front: evidenceId.optional().describe('document: the photograph of the front, as uploaded'),
  back: evidenceId
    .optional()
    .describe(
      'document: that of the back; needed for licences and for cards with three lines on it',
    ),
};

const dataGroupName = /^DG([1-9]|1[0-6])$/;

/** The inputs of a passport proof: the files of the chip, and its responses to a challenge. */
export const chipAnswers = {
  sod: evidenceId.optional().describe('nfc_passport: EF.SOD, as uploaded'),
  data_groups: z
    .record(z.string().regex(dataGroupName, 'must be DG1 to DG16'), evidenceId)
    .meta({ propertyNames: { pattern: dataGroupName.source } })
    .optional()
    .describe('nfc_passport: the files of the chip by their names, `DG1` to `DG16`, as uploaded'),
  active_auth: z
    .object({
      challenge_id: challengeId.optional().describe('Of the challenge that was signed'),
      signature: evidenceId.describe('The signature, as uploaded'),
    })
    .optional()
    .describe('nfc_passport: what a chip with a key of its own (DG15) answered'),
  chip_auth: z
    .object({
      challenge_id: challengeId.describe('Of the challenge whose commands were relayed'),
      responses: z
        .array(evidenceId)
        .min(1)
        .max(responsesMax)
        .describe('The responses to its `reading`, in their order, each as uploaded'),
    })
    .optional()
    .describe('nfc_passport: what a chip with a key for chip authentication (DG14) answered'),
};

/** Enough for a compressed photograph of a front camera; a larger one adds no information. */
export const frameBytesMax = 1024 * 1024;
const framesMin = 8;

const frame = z.object({
  image: evidenceId.describe('The photograph, as uploaded: at most 1 MiB'),
  at_ms: z
    .int()
    .min(0)
    .max(faceChallengeLifeMs)
    .describe('When it was taken, since the challenge came'),
  action: z
    .int()
    .min(-1)
    .max(framesMax)
    .describe('Which of the actions it shows, from 0 on; -1 where the person looks straight'),
});
type Frames = readonly z.output<typeof frame>[];

const isEachOnce = (frames: Frames): boolean =>
  new Set(frames.map(({ image }) => image)).size === frames.length;
const isInOrder = (frames: Frames): boolean =>
  frames.every(({ at_ms }, index) => at_ms > (frames[index - 1]?.at_ms ?? -1));

/** The frames of a biometric proof, or the provider session that replaces them. */
export const faceFrames = {
  challenge_id: challengeId.optional().describe('biometric: of the challenge that was answered'),
  frames: z
    .array(frame)
    .min(framesMin)
    .max(framesMax)
    .refine(isEachOnce, 'must have each image once')
    .refine(isInOrder, 'must be in the order they were taken')
    .optional()
    .describe('biometric: what the camera saw, as it was taken'),
  provider_session: z
    .string()
    .min(1)
    .max(sessionLengthMax)
    .optional()
    .describe('biometric: instead of frames, the session that the challenge named, once ended'),
};
