import { z } from 'zod';
import { responsesMax } from '../../activities/passport/chip-auth.ts';

export const evidenceId = z.string().regex(/^ev_[0-9a-z]{26}$/, 'must be an evidence id');
export const challengeId = z.string().regex(/^ch_[0-9a-z]{26}$/, 'must be a challenge id');

/** The photographs a document proof is judged on. */
export const documentImages = {
  front: evidenceId.optional().describe('document: the photograph of the front, as uploaded'),
  back: evidenceId.optional().describe('document: that of the back, where it has a code too'),
};

/** What a passport proof is judged on: the files of the chip, and its answers to a challenge. */
export const chipAnswers = {
  sod: evidenceId.optional().describe('nfc_passport: EF.SOD, as uploaded'),
  data_groups: z
    .record(z.string().regex(/^DG([1-9]|1[0-6])$/, 'must be DG1 to DG16'), evidenceId)
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
