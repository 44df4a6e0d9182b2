import { blankImage } from '../../../../domain/images/blank-image.ts';
import type { FaceProvider } from '../../../../domain/names.ts';
import {
  readComparison,
  readLiveness,
  type LivenessAnswer,
} from '../../../../domain/proofs/face/provider-answers.ts';
import type {
  LivenessProvider,
  LivenessProviders,
  ProviderAnswer,
} from '../../../../domain/proofs/face/provider-session.ts';
import {
  isWorthComparing,
  verifyFaceClaim,
  type FaceClaimInput,
  type ClaimPolicy,
} from '../../../../domain/proofs/face/verify-face-claim.ts';
import { retryAfterThreadLoss } from '../../../runtime/threads/retry-after-loss.ts';
import { providerDown } from '../../../vendors/provider.ts';
import type { ProofContext, ProofResult } from '../../judge.ts';
import { outcomeOf, refusedFace } from '../outcome.ts';
import type { takeFaces } from '../read.ts';
import { findReference, type Reference, type ReferenceDeps } from '../reference.ts';

export interface ClaimJudgeDeps extends ReferenceDeps {
  readonly heavy: { readonly takeFaces: typeof takeFaces };
  readonly providers: LivenessProviders;
  readonly policy: ClaimPolicy;
}

/** A challenge that is bound to a session of a provider. */
export interface BoundChallenge {
  readonly provider: FaceProvider;
  readonly session: string;
  readonly key: string;
  readonly expiresAt: Date;
}

type ProviderInput = Pick<ProofContext, 'session' | 'handedInAt' | 'now'>;

/**
 * Judges a face by the answer of its challenge's provider. While the session has not ended, the
 * activity retries until the challenge expires.
 * @throws Failure `dependency_unavailable` while the provider does not answer, or answers for
 * another session or in an unknown form. Nothing is judged then, and finally a reviewer decides.
 */
export async function judgeByProvider(
  deps: ClaimJudgeDeps,
  given: ProviderInput,
  challenge: BoundChallenge,
): Promise<ProofResult> {
  const { provider: name, session, key, expiresAt } = challenge;
  const provider = deps.providers[name];
  if (!provider) throw providerDown(`${name}, not configured`, undefined);
  const liveness = await provider.result(session, key);
  if (!liveness) return refusedFace('session_expired', name);
  const result = readLiveness(name, liveness);
  if (result?.session !== session || ![null, key].includes(result.key)) {
    throw providerDown(`${name}, another answer`, undefined);
  }
  if (result.status === 'pending' && given.now <= expiresAt) {
    throw providerDown(`${name}, not ended`, undefined);
  }
  const compared = await compare(deps, given, { challenge, provider, result });
  if ('outcome' in compared) return compared;
  const { reference, portrait, comparison } = compared;
  const answers = { liveness, ...(comparison ? { comparison } : {}) };
  const at = given.handedInAt;
  const verdict = verifyFaceClaim(
    deps.policy,
    { provider: name, session, key, expiresAt, answers },
    at,
  );
  const file = fileOf(deps.policy, { ...challenge, answers }, at, { reference, portrait });
  const comparedWith = reference ? { comparedWith: reference.evidenceHash } : {};
  return { ...outcomeOf(verdict, name), evidenceFiles: [file], ...comparedWith };
}

interface Compared {
  readonly reference: Reference | null;
  /** The portrait that was sent; null if there was no comparison. */
  readonly portrait: Uint8Array | null;
  readonly comparison: ProviderAnswer | null;
}

interface Comparing {
  readonly challenge: BoundChallenge;
  readonly provider: LivenessProvider;
  readonly result: LivenessAnswer;
}

/** Sends only the portrait's face to the provider, and only after a confident liveness result. */
async function compare(
  deps: ClaimJudgeDeps,
  { session: check }: ProviderInput,
  { challenge, provider, result }: Comparing,
): Promise<Compared | ProofResult> {
  const { provider: name, session, key } = challenge;
  if (!result.reference || !isWorthComparing(deps.policy, result)) {
    return { reference: null, portrait: null, comparison: null };
  }
  const reference = await findReference(deps, check);
  if (!reference) return { ...refusedFace('portrait_missing', name), outcome: 'unsure' };
  const read = (portrait: Uint8Array) => deps.heavy.takeFaces({ portrait, frames: [] });
  const taken = await retryAfterThreadLoss(
    () => read(reference.image),
    () => read(blankImage),
  );
  if (!taken || !taken.reading.portrait.face) {
    return { ...refusedFace('portrait_unusable', name), outcome: 'unsure' };
  }
  const { portrait } = taken.images;
  const comparison = await provider.compare({
    session,
    key,
    reference: result.reference,
    portrait,
  });
  const compared = readComparison(name, comparison);
  if (!compared || ![null, session].includes(compared.session)) {
    throw providerDown(`${name}, another comparison`, undefined);
  }
  return { reference, portrait, comparison };
}

function fileOf(
  policy: ClaimPolicy,
  { provider, session, key, expiresAt, answers }: FaceClaimInput,
  at: Date,
  { reference, portrait }: Pick<Compared, 'reference' | 'portrait'>,
) {
  return {
    format: 'trustcheck-evidence/1',
    kind: 'face-claim',
    at: at.toISOString(),
    // The file contains the policy, because the default may differ when an auditor judges again.
    policy: {
      confidence_percent_min: policy.confidencePercentMin,
      similarity_percent_min: policy.similarityPercentMin,
      similarity_percent_review: policy.similarityPercentReview,
    },
    input: {
      provider,
      session,
      key,
      expires_at: expiresAt.toISOString(),
      ...(portrait ? { portrait: Buffer.from(portrait).toString('base64') } : {}),
      ...(reference ? { portrait_of: reference.evidenceHash } : {}),
      answers,
    },
  };
}
