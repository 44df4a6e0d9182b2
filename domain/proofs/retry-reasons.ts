import type { ProofReason } from './reasons.ts';

/**
 * Reasons that only say how to try again: the quality of a picture, a mistyped code, time. They
 * judge neither the person nor the document, so the subject sees them even with `subject_reasons:
 * neutral`. Every other reason is a judgment: liveness, forgery, mismatch, a policy.
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
  'side_missing',
  'too_dark',
  'unreadable',
]);

export const isRetryReason = (code: string): boolean => retryReasons.has(code);
