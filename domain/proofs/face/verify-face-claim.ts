import type { FaceProvider } from '../../names.ts';
import { judge, type Rule, type RuleAnswer, type Verdict } from '../verdict.ts';
import type { FaceClaimFile } from './evidence.ts';
import {
  readComparison,
  readLiveness,
  type ComparisonAnswer,
  type LivenessAnswer,
} from './provider-answers.ts';

/** Thresholds for accepting a provider's claim. */
export interface ClaimPolicy {
  readonly confidencePercentMin: number;
  readonly similarityPercentMin: number;
  /** Minimum similarity for a review instead of a failure. */
  readonly similarityPercentReview: number;
}

export interface FaceClaimInput {
  readonly provider: FaceProvider;
  /** The session of the challenge, and the key that it was started with. */
  readonly session: string;
  readonly key: string;
  readonly expiresAt: Date;
  /** As received; no comparison if there was nothing to compare. */
  readonly answers: { readonly liveness: unknown; readonly comparison?: unknown };
}

interface Findings {
  readonly policy: ClaimPolicy;
  readonly given: FaceClaimInput;
  readonly at: Date;
  readonly liveness: LivenessAnswer | null;
  readonly comparison: ComparisonAnswer | null;
}

/**
 * Judges a face by a provider's claim: whether it is about the session of this challenge, the
 * confidence in a live person, and the similarity to the portrait. A session that succeeded is not
 * live by itself. The images are not examined: the provider's claim cannot be reproduced from them.
 * Pure.
 */
export function verifyFaceClaim(policy: ClaimPolicy, given: FaceClaimInput, at: Date): Verdict {
  const { provider, answers } = given;
  const findings = {
    policy,
    given,
    at,
    liveness: readLiveness(provider, answers.liveness),
    comparison: readComparison(provider, answers.comparison),
  };
  return judge<Findings>('face-claim', rules, findings, factsOf);
}

const rules: readonly Rule<Findings>[] = [
  { name: 'claim', judge: sayWhose },
  { name: 'answer', judge: checkAnswer },
  { name: 'session', judge: checkSession },
  { name: 'liveness', judge: checkConfidence },
  { name: 'reference', judge: checkReference },
  { name: 'match', judge: checkSimilarity },
];

/** Always skipped: shows an auditor that only the provider judged the face. */
function sayWhose({ given }: Findings): RuleAnswer {
  return { skipped: `what ${given.provider} says, not judged here` };
}

function checkAnswer({ given, liveness }: Findings): RuleAnswer {
  if (!liveness) return { fault: 'malformed', detail: 'liveness' };
  const isOfIt = liveness.session === given.session && [null, given.key].includes(liveness.key);
  return isOfIt ? { ok: true } : { fault: 'malformed', detail: 'of another session' };
}

function checkSession({ given, at, liveness }: Findings): RuleAnswer {
  if (!liveness) return { skipped: 'no answer' };
  if (at > given.expiresAt) return { fault: 'session_expired', detail: 'handed in late' };
  const { status } = liveness;
  if (status === 'failed') return { fault: 'liveness_failed', detail: status };
  return status === 'succeeded' ? { ok: true } : { fault: 'session_expired', detail: status };
}

function checkConfidence({ policy, liveness }: Findings): RuleAnswer {
  if (liveness?.status !== 'succeeded') return { skipped: 'not succeeded' };
  const { confidencePercent } = liveness;
  if (confidencePercent === null) return { fault: 'liveness_failed', detail: 'no confidence' };
  const detail = `${confidencePercent} of ${policy.confidencePercentMin}`;
  return confidencePercent >= policy.confidencePercentMin
    ? { ok: true, detail }
    : { fault: 'liveness_failed', detail };
}

function checkReference({ liveness }: Findings): RuleAnswer {
  if (liveness?.status !== 'succeeded') return { skipped: 'not succeeded' };
  return liveness.reference ? { ok: true } : { fault: 'reference_missing' };
}

/** Whether the provider's confidence is high enough for a comparison. */
export function isWorthComparing(policy: ClaimPolicy, said: LivenessAnswer): boolean {
  const { status, confidencePercent, reference } = said;
  if (status !== 'succeeded' || confidencePercent === null || !reference) return false;
  return confidencePercent >= policy.confidencePercentMin;
}

function checkSimilarity({ policy, liveness, comparison, given }: Findings): RuleAnswer {
  if (!liveness || !isWorthComparing(policy, liveness)) return { skipped: 'nothing to compare' };
  if (!comparison || ![null, given.session].includes(comparison.session)) {
    return { fault: 'malformed', detail: 'comparison' };
  }
  const { similarityPercent, refused } = comparison;
  if (refused === 'multiple_faces') return { fault: refused };
  if (similarityPercent === null) return { unknown: 'portrait_unusable', detail: 'no face' };
  const detail = `${similarityPercent} of ${policy.similarityPercentMin}`;
  if (similarityPercent >= policy.similarityPercentMin) return { ok: true, detail };
  return similarityPercent >= policy.similarityPercentReview
    ? { unknown: 'face_unsure', detail }
    : { fault: 'face_mismatch', detail };
}

function factsOf({ given, policy, liveness, comparison }: Findings): Record<string, unknown> {
  return {
    judged_by: given.provider,
    confidence_percent: liveness?.confidencePercent ?? null,
    confidence_percent_min: policy.confidencePercentMin,
    similarity_percent: comparison?.similarityPercent ?? null,
    similarity_percent_min: policy.similarityPercentMin,
  };
}

/** Judges an evidence file of kind `face-claim`. */
export function verifyFaceClaimFile({ policy, input, at }: FaceClaimFile): Verdict {
  const { expires_at: expiresAt, ...given } = input;
  return verifyFaceClaim(
    {
      confidencePercentMin: policy.confidence_percent_min,
      similarityPercentMin: policy.similarity_percent_min,
      similarityPercentReview: policy.similarity_percent_review,
    },
    { ...given, expiresAt },
    at,
  );
}
