import { z } from 'zod';
import { faceProviders } from '../../names.ts';
import { bytes, common, instant, list, wasRemoved } from '../file-members.ts';
import type { Verdict } from '../verdict.ts';
import { faceBounds } from './bounds.ts';
import { faceActions, framesMax } from './challenge.ts';
import { sessionLengthMax } from './provider-session.ts';
import type { FaceImages, FaceReading } from './reading.ts';
import { verifyFaceClaim } from './verify-face-claim.ts';
import { verifyFaceMatch } from './verify-face-match.ts';

/** The `evidence_hash` of the proof that a portrait is from. */
const evidenceHash = z.string().regex(/^[0-9a-f]{64}$/, 'not a SHA-256 in hex');

const share = z.number().min(0).max(1);

/** A face before the camera, and the portrait it was held against. */
const faceImages = z.object({
  ...common,
  kind: z.literal('face-match'),
  policy: z.object({
    threshold: share,
    review: share,
    reader: z.string().max(100),
    bounds: faceBounds,
  }),
  input: z.object({
    portrait: bytes.optional(),
    portrait_of: evidenceHash,
    frames: list(
      z.object({ image: bytes.optional(), at_ms: z.int().min(0), action: z.int().min(-1) }),
      framesMax,
    ),
    challenge: z.object({
      actions: list(z.enum(faceActions), 10),
      issued_at: instant,
      expires_at: instant,
    }),
    /** Frames that the platform had seen in other answers: nobody else can tell. */
    repeats: z.object({
      same: z.int().min(0).max(framesMax),
      near: z.int().min(0).max(framesMax),
    }),
  }),
});

/** All that was looked at is there, or something was removed. */
const hasFaces = (file: z.output<typeof faceImages>): boolean =>
  wasRemoved(file) ||
  (file.input.portrait !== undefined && file.input.frames.every(({ image }) => image));

export const faceMatchFile = faceImages.refine(hasFaces, {
  path: ['input'],
  message: 'portrait or image: missing',
});

const percent = z.number().min(0).max(100);

/** What a provider said of a face, and the portrait it was held against there. */
export const faceClaimFile = z.object({
  ...common,
  kind: z.literal('face-claim'),
  policy: z.object({
    confidence_percent_min: percent,
    similarity_percent_min: percent,
    similarity_percent_review: percent,
  }),
  input: z.object({
    provider: z.enum(faceProviders),
    session: z.string().max(sessionLengthMax),
    key: z.string().max(64),
    expires_at: instant,
    portrait: bytes.optional(),
    portrait_of: evidenceHash.optional(),
    answers: z.object({ liveness: z.unknown(), comparison: z.unknown().optional() }),
  }),
});

/** Reads the images of faces: the same images give the same reading. */
export interface FaceReader {
  readFaces(images: FaceImages): Promise<FaceReading>;
}

/**
 * Judges a whole evidence file of kind `face-match`, whose images it reads first.
 * @throws TypeError where an image is not there
 */
export async function verifyFaceFile(
  { policy, input, at }: z.output<typeof faceImages>,
  { readFaces }: FaceReader,
): Promise<Verdict> {
  const { portrait, frames, challenge, repeats } = input;
  const images = frames.flatMap(({ image }) => (image ? [image] : []));
  if (!portrait || images.length < frames.length) throw new TypeError('images are missing');
  const reading = await readFaces({ portrait, frames: images });
  const given = {
    frames: frames.map(({ at_ms: atMs, action }) => ({ atMs, action })),
    challenge: {
      actions: challenge.actions,
      issuedAt: challenge.issued_at,
      expiresAt: challenge.expires_at,
    },
    repeats,
  };
  return verifyFaceMatch(policy, given, reading, at);
}

/** Judges an evidence file of kind `face-claim`. */
export function verifyFaceClaimFile({
  policy,
  input,
  at,
}: z.output<typeof faceClaimFile>): Verdict {
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
