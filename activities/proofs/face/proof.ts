import { z } from 'zod';
import { findProofChallenge, type ProofChallengeRow } from '../../../db/queries/evidence.ts';
import { actionsOf, faceChallengeLifeMs } from '../../../domain/proofs/face/actions.ts';
import type { FaceChallenge, FaceFrame } from '../../../domain/proofs/face/challenge.ts';
import type { Repeats } from '../../../domain/proofs/face/liveness.ts';
import { usualPolicy, verifyFaceMatch } from '../../../domain/proofs/face/verify-face-match.ts';
import type { ProofReason } from '../../../domain/proofs/reasons.ts';
import type { MasterSecrets } from '../../keys/directory/master-secrets.ts';
import type { LongProofJudge, ProofContext, ProofResult } from '../judge.ts';
import { findRepeats } from './marks.ts';
import { outcomeOf, refusedFace } from './outcome.ts';
import { judgeByProvider, type ClaimJudgeDeps } from './provider/judge.ts';
import type { takeFaces } from './read.ts';
import { findReference, type Reference } from './reference.ts';
import { readFacesInThread } from './face-thread.ts';

const provider = 'frames';

const inputSchema = z.object({ challenge_id: z.string(), provider_session: z.string().optional() });
const framesSchema = z.object({
  frames: z.array(z.object({ image: z.string(), at_ms: z.int(), action: z.int().min(-1) })),
});
type FramesInput = z.output<typeof framesSchema>;

const rejected = (reason: ProofReason): ProofResult => refusedFace(reason, provider);

export interface FaceJudgeDeps extends ClaimJudgeDeps {
  /** Keys of the marks by which repeated frames are recognized. */
  readonly keys: Pick<MasterSecrets, 'acceptedSecrets'>;
}

/**
 * Judges a face that answered a challenge, by the provider that the challenge is bound to, or else
 * by frames. A submission for the other kind is rejected. It is judged as of its submission time.
 * The judgement consumes the challenge, whatever the outcome.
 */
export function createFaceJudge(deps: FaceJudgeDeps): LongProofJudge {
  return {
    async judgeAhead(given) {
      const { data } = inputSchema.safeParse(given.input);
      if (!data) return rejected('malformed');
      const row = await challengeOf(deps, given, data.challenge_id);
      if (!row) return rejected('challenge_unknown');
      const { challenge_id: key, provider: by, provider_session: session, expires_at } = row;
      const isAsBegun = (data.provider_session ?? null) === session;
      if (by === null) {
        return { ...(isAsBegun ? await judgeFrames(deps, given, row) : malformed), spends: key };
      }
      if (!isAsBegun || session === null) return { ...refusedFace('challenge_unknown', by) };
      const challenge = { provider: by, session, key, expiresAt: expires_at };
      return { ...(await judgeByProvider(deps, given, challenge)), spends: key };
    },
  };
}

const malformed = rejected('malformed');

/**
 * Compares frames with the portrait of the passport or document that this check accepted before. It
 * uses the normalized images, which are stored and which an auditor reads again.
 */
async function judgeFrames(
  deps: FaceJudgeDeps,
  given: FaceProofInput,
  row: ProofChallengeRow,
): Promise<ProofResult> {
  const { data } = framesSchema.safeParse(given.input);
  if (!data) return malformed;
  const challenge = faceChallengeOf(row);
  const frames = framesOf(given.files, data);
  if (!frames) return rejected('evidence_missing');
  if (frames.some(({ action }) => action >= challenge.actions.length)) return malformed;
  const reference = await findReference(deps, given.session);
  if (!reference) return { ...rejected('portrait_missing'), outcome: 'unsure' };
  const portrait = reference.image;
  const taken = await readFacesInThread(deps.heavy, { portrait, frames });
  if (!taken) return rejected('image_refused');
  const { repeats, keeps } = await findRepeats(deps.db, {
    secrets: deps.keys.acceptedSecrets('face-marks', given.now),
    frames,
    seen: taken.reading.frames,
    sessionId: given.session.link_session_id,
    now: given.now,
  });
  const seen = { challenge, frames, taken, reference, repeats };
  return { ...judged(seen, given.handedInAt), keeps };
}

type FaceProofInput = Omit<ProofContext, 'tx'>;

const challengeOf = (
  { db }: FaceJudgeDeps,
  { session, handedInAt }: FaceProofInput,
  challengeId: string,
): Promise<ProofChallengeRow | null> =>
  findProofChallenge(db, {
    sessionId: session.link_session_id,
    proof: 'biometric',
    challengeId,
    now: handedInAt,
  });

const faceChallengeOf = ({ challenge, expires_at }: ProofChallengeRow): FaceChallenge => ({
  actions: actionsOf(challenge),
  issuedAt: new Date(expires_at.getTime() - faceChallengeLifeMs),
  expiresAt: expires_at,
});

function framesOf(files: FaceProofInput['files'], { frames }: FramesInput): FaceFrame[] | null {
  const found = frames.flatMap(({ image, at_ms: atMs, action }) => {
    const bytes = files.get(image);
    return bytes ? [{ image: bytes, atMs, action }] : [];
  });
  return found.length === frames.length ? found : null;
}

interface Seen {
  readonly challenge: FaceChallenge;
  readonly frames: readonly FaceFrame[];
  readonly taken: Awaited<ReturnType<typeof takeFaces>>;
  readonly reference: Reference;
  readonly repeats: Repeats;
}

function judged({ challenge, frames, taken, reference, repeats }: Seen, at: Date): ProofResult {
  const { images, reading } = taken;
  const timing = frames.map(({ atMs, action }) => ({ atMs, action }));
  // The file contains the policy, because the default may differ when an auditor judges again.
  const policy = { ...usualPolicy, reader: reading.reader };
  const verdict = verifyFaceMatch(policy, { challenge, frames: timing, repeats }, reading, at);
  const file = {
    format: 'trustcheck-evidence/1',
    kind: 'face-match',
    at: at.toISOString(),
    policy,
    input: {
      portrait: base64(images.portrait),
      // Hash of the proof with the portrait, so that an auditor can find it.
      portrait_of: reference.evidenceHash,
      frames: images.frames.map((image, index) => ({
        image: base64(image),
        at_ms: timing[index]?.atMs,
        action: timing[index]?.action,
      })),
      challenge: {
        actions: challenge.actions,
        issued_at: challenge.issuedAt.toISOString(),
        expires_at: challenge.expiresAt.toISOString(),
      },
      repeats,
    },
  };
  return {
    ...outcomeOf(verdict, provider),
    evidenceFiles: [file],
    comparedWith: reference.evidenceHash,
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
