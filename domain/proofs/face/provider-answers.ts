import { z } from 'zod';
import { mediaTypeOf } from '../../images/media-type.ts';
import type { FaceProvider } from '../../names.ts';
import { sessionName } from './provider-session.ts';

/** A provider's result of a session, in a common form. */
export interface LivenessAnswer {
  readonly session: string;
  /** The key that the session was started with; null if the provider does not return it. */
  readonly key: string | null;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'expired';
  readonly confidencePercent: number | null;
  /** The picture for the comparison. */
  readonly reference: Uint8Array | null;
}

export interface ComparisonAnswer {
  /** The session; null if the provider does not return it. */
  readonly session: string | null;
  /** Of the only face in the picture; null if none could be compared. */
  readonly similarityPercent: number | null;
  /** Why there is no comparison. */
  readonly refused: 'no_face' | 'multiple_faces' | null;
}

const percent = z.number().min(0).max(100);
/** An image in canonical base64: stored images must be found again to be removed. */
const image = z.string().transform((text, context) => {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  const isOne = Buffer.from(bytes).toString('base64') === text;
  if (isOne && ['image/jpeg', 'image/png'].includes(mediaTypeOf(bytes))) return bytes;
  context.addIssue({ code: 'custom', message: 'not an image' });
  return z.NEVER;
});

const rekognitionStates = {
  CREATED: 'pending',
  IN_PROGRESS: 'pending',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  EXPIRED: 'expired',
} as const;

/** `GetFaceLivenessSessionResults`. */
const rekognitionLiveness = z
  .object({
    SessionId: sessionName,
    Status: z.enum(['CREATED', 'IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'EXPIRED']),
    Confidence: percent.nullish(),
    ReferenceImage: z.object({ Bytes: image.nullish() }).nullish(),
  })
  .transform((answer): LivenessAnswer => ({
    session: answer.SessionId,
    key: null,
    status: rekognitionStates[answer.Status],
    confidencePercent: answer.Confidence ?? null,
    reference: answer.ReferenceImage?.Bytes ?? null,
  }));

/** Errors for images that cannot be compared; a picture without a face causes the first. */
export const rekognitionRefusals = [
  'InvalidParameterException',
  'InvalidImageFormatException',
  'ImageTooLargeException',
] as const;
const facesMax = 100;

const compared = (
  similarityPercent: number | null,
  refused: ComparisonAnswer['refused'],
): ComparisonAnswer => ({ session: null, similarityPercent, refused });

/** `CompareFaces` with `SimilarityThreshold` 0: every face of the picture is among the matches. */
const rekognitionComparison = z.union([
  z
    .object({ __type: z.string().transform((type) => type.replace(/^.*#/, '')) })
    .refine(({ __type: type }) => rekognitionRefusals.some((known) => known === type))
    .transform(() => compared(null, 'no_face')),
  z
    .object({
      FaceMatches: z.array(z.object({ Similarity: percent })).max(facesMax),
      UnmatchedFaces: z.array(z.unknown()).max(facesMax).nullish(),
    })
    .transform(({ FaceMatches: [first, ...others], UnmatchedFaces }): ComparisonAnswer => {
      const count = (first ? 1 : 0) + others.length + (UnmatchedFaces?.length ?? 0);
      if (count > 1) return compared(null, 'multiple_faces');
      // A face outside of the matches has no similarity at all.
      return count === 1 ? compared(first?.Similarity ?? 0, null) : compared(null, 'no_face');
    }),
]);

/** `result` and `compare` of docs/protocols/face-provider.md. */
const httpLiveness = z
  .object({
    operation: z.literal('result'),
    session_id: sessionName,
    key: z.string().max(64),
    status: z.enum(['pending', 'succeeded', 'failed', 'expired']),
    confidence: percent.nullable(),
    reference_image: image.nullable(),
  })
  .transform(({ session_id, key, status, confidence, reference_image }): LivenessAnswer => ({
    session: session_id,
    key,
    status,
    confidencePercent: confidence,
    reference: reference_image,
  }));

const httpComparison = z
  .object({
    operation: z.literal('compare'),
    session_id: sessionName,
    similarity: percent.nullable(),
  })
  .transform(({ session_id, similarity }): ComparisonAnswer => ({
    session: session_id,
    similarityPercent: similarity,
    refused: similarity === null ? 'no_face' : null,
  }));

/** Reads a provider's result of a session; null for any other answer. Pure. */
export function readLiveness(provider: FaceProvider, answer: unknown): LivenessAnswer | null {
  const shape = provider === 'rekognition' ? rekognitionLiveness : httpLiveness;
  return shape.safeParse(answer).data ?? null;
}

/** Reads a provider's comparison of two faces; null for any other answer. Pure. */
export function readComparison(provider: FaceProvider, answer: unknown): ComparisonAnswer | null {
  const shape = provider === 'rekognition' ? rekognitionComparison : httpComparison;
  return shape.safeParse(answer).data ?? null;
}
