import type { ProofReason } from './reasons.ts';

/**
 * Reasons that say only how to try again: the quality of a picture, a mistyped code, time. They
 * judge neither the person nor what the person holds, so an account that tells no reasons tells
 * these. Every other reason is a judgment: liveness, forgery, mismatch, what a policy refuses.
 */
const retryReasons: ReadonlySet<string> = new Set<ProofReason>([
  'blur',
  'challenge_unknown',
  'code_expired',
  'code_not_sent',
  'code_wrong',
  'cropped',
  'evidence_missing',
  'face_blurred',
  'face_bright',
  'face_cropped',
  'face_dark',
  'face_small',
  'face_turned',
  'glare',
  'image_refused',
  'multiple_faces',
  'no_document',
  'no_face',
  'portrait_unusable',
  'session_expired',
  'too_dark',
  'unreadable',
]);

export const isRetryReason = (code: string): boolean => retryReasons.has(code);
