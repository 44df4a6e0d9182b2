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

/** A challenge that was bound to a session of a provider. */
export interface BoundChallenge {
  readonly provider: FaceProvider;
  readonly session: string;
  readonly key: string;
  readonly expiresAt: Date;
}

type ProviderInput = Pick<ProofContext, 'session' | 'handedInAt' | 'now'>;

/**
 * Judges a face by what the provider of its challenge says. A session that has not ended yet is
 * asked for again, by the retries of the activity, until its time is over. Throws
 * `dependency_unavailable` while the provider does not answer, speaks of another session or says
 * what nobody can read: then nothing is judged, and in the end a person looks.
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
  const said = readLiveness(name, liveness);
  if (said?.session !== session || ![null, key].includes(said.key)) {
    throw providerDown(`${name}, another answer`, undefined);
  }
  if (said.status === 'pending' && given.now <= expiresAt) {
    throw providerDown(`${name}, not ended`, undefined);
  }
  const compared = await compare(deps, given, { challenge, provider, said });
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
  /** As it was sent; null where nothing was to be compared, and so nothing was sent. */
  readonly portrait: Uint8Array | null;
  readonly comparison: ProviderAnswer | null;
}

interface Comparing {
  readonly challenge: BoundChallenge;
  readonly provider: LivenessProvider;
  readonly said: LivenessAnswer;
}

/** The portrait leaves the platform only for who was there for sure, and its face alone. */
async function compare(
  deps: ClaimJudgeDeps,
  { session: check }: ProviderInput,
  { challenge, provider, said }: Comparing,
): Promise<Compared | ProofResult> {
  const { provider: name, session, key } = challenge;
  if (!said.reference || !isWorthComparing(deps.policy, said)) {
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
  const comparison = await provider.compare({ session, key, reference: said.reference, portrait });
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
    // Said in the file: what is usual may be another thing when it is judged again.
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
