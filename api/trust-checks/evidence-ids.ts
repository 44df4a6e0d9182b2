import { z } from 'zod';

export const evidenceId = z.string().regex(/^ev_[0-9a-z]{26}$/, 'must be an evidence id');
export const challengeId = z.string().regex(/^ch_[0-9a-z]{26}$/, 'must be a challenge id');

/** The photographs a document proof is judged on. */
export const documentImages = {
  front: evidenceId.optional().describe('document: the photograph of the front, as uploaded'),
  back: evidenceId.optional().describe('document: that of the back, where it has a code too'),
};
