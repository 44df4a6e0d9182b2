import { z } from 'zod';
import { findProofChallenge, type ProofChallengeRow } from '../../db/queries/evidence.ts';
import type { ProofReason } from '../evidence/reasons.ts';
import type { Verdict } from '../evidence/verdict.ts';
import type { HeavyWork } from '../threads/heavy-work.ts';
import type { LongProofJudge, ProofContext, ProofResult } from '../trust-checks/proof.ts';
import { actionsOf, faceChallengeLifeMs } from './actions.ts';
import type { FaceChallenge, FaceFrame } from './challenge.ts';
import { findRepeats, type Repeats } from './marks.ts';
import type { takeFaces } from './read.ts';
import { findReference, type Reference, type ReferenceDeps } from './reference.ts';
import { takeInThread } from './take-in-thread.ts';
import { usualPolicy, verifyFaceMatch } from './verify-face-match.ts';

const provider = 'frames';

const handedIn = z.object({
  challenge_id: z.string(),
  frames: z.array(z.object({ image: z.string(), at_ms: z.int(), action: z.int().min(-1) })),
});
type HandedIn = z.output<typeof handedIn>;

export interface FaceJudgeDeps extends ReferenceDeps {
  /** Finds faces in a thread: decoders of what strangers send, and seconds of work. */
  readonly heavy: Pick<HeavyWork, 'takeFaces'>;
  /** Keys the marks by which frames are known again. */
  readonly marksSecret: Uint8Array;
}

/** What no other frames mend: it is somebody else. */
const final: ReadonlySet<ProofReason | null> = new Set(['face_mismatch']);

/**
 * Judges frames of a face that answered a challenge, against the portrait of the passport or the
 * document that this check took before: on the images made of them, which is what is kept and what
 * an auditor reads again. It is judged as of when it was handed in, and the challenge is spent with
 * the judgement, whatever that is.
 */
export function createFaceJudge(deps: FaceJudgeDeps): LongProofJudge {
  return {
    async judgeAhead(given) {
      const named = handedIn.safeParse(given.input);
      if (!named.success) return rejected('malformed');
      const row = await challengeOf(deps, given, named.data);
      if (!row) return rejected('challenge_unknown');
      const spends = row.challenge_id;
      const challenge = asked(row);
      const frames = framesOf(given.files, named.data);
      if (!frames) return { ...rejected('evidence_missing'), spends };
      if (frames.some(({ action }) => action >= challenge.actions.length)) {
        return { ...rejected('malformed'), spends };
      }
      const reference = await findReference(deps, given.session);
      if (!reference) return { ...rejected('portrait_missing'), outcome: 'unsure', spends };
      const portrait = reference.image;
      const taken = await takeInThread(deps.heavy, { portrait, frames });
      if (!taken) return { ...rejected('image_refused'), spends };
      const { repeats, keeps } = await findRepeats(deps.db, {
        secret: deps.marksSecret,
        frames,
        seen: taken.reading.frames,
        sessionId: given.session.link_session_id,
        now: given.now,
      });
      const seen = { challenge, frames, taken, reference, repeats };
      return { ...judged(seen, given.handedInAt), keeps, spends };
    },
  };
}

type Given = Omit<ProofContext, 'tx'>;

const challengeOf = (
  { db }: FaceJudgeDeps,
  { session, handedInAt }: Given,
  { challenge_id: challengeId }: HandedIn,
): Promise<ProofChallengeRow | null> =>
  findProofChallenge(db, {
    sessionId: session.link_session_id,
    proof: 'biometric',
    challengeId,
    now: handedInAt,
  });

const asked = ({ challenge, expires_at }: ProofChallengeRow): FaceChallenge => ({
  actions: actionsOf(challenge),
  issuedAt: new Date(expires_at.getTime() - faceChallengeLifeMs),
  expiresAt: expires_at,
});

function framesOf(files: Given['files'], { frames }: HandedIn): FaceFrame[] | null {
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
  // Said in the file: what is usual may be another thing when it is judged again.
  const policy = { ...usualPolicy, reader: reading.reader };
  const verdict = verifyFaceMatch(policy, { challenge, frames: timing, repeats }, reading, at);
  const file = {
    format: 'trustcheck-evidence/1',
    kind: 'face-match',
    at: at.toISOString(),
    policy,
    input: {
      portrait: base64(images.portrait),
      // Of the proof whose portrait it is, so that an auditor finds the one by the other.
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
  return { ...resultOf(verdict), evidenceFiles: [file], comparedWith: reference.evidenceHash };
}

function resultOf(verdict: Verdict): ProofResult {
  const { reason_code, verdict: outcome } = verdict;
  const common = { reason_code, provider, verdict, retryable: false };
  if (outcome === 'inconclusive') return { ...common, outcome: 'unsure' };
  if (outcome === 'passed') return { ...common, outcome: 'passed' };
  return { ...common, outcome: 'rejected', retryable: !final.has(reason_code) };
}

const rejected = (reason_code: ProofReason): ProofResult => ({
  outcome: 'rejected',
  reason_code,
  retryable: !final.has(reason_code),
  provider,
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
