import { z } from 'zod';
import { faceProviders } from '../../names.ts';
import { bytes, common, instant, list, wasRemoved } from '../file-members.ts';
import { faceBounds } from './bounds.ts';
import { faceActions, framesMax } from './challenge.ts';
import { sessionLengthMax } from './provider-session.ts';

/** The `evidence_hash` of the proof that the portrait is from. */
const evidenceHash = z.string().regex(/^[0-9a-f]{64}$/, 'not a SHA-256 in hex');

const share = z.number().min(0).max(1);

/** Frames of a face, and the portrait to compare. */
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
    /** Frames that match other answers. Only the platform can determine this. */
    repeats: z.object({
      same: z.int().min(0).max(framesMax),
      near: z.int().min(0).max(framesMax),
    }),
  }),
});

/** All images are present, or some were removed. */
const hasFaces = (file: z.output<typeof faceImages>): boolean =>
  wasRemoved(file) ||
  (file.input.portrait !== undefined && file.input.frames.every(({ image }) => image));

export const faceMatchFile = faceImages.refine(hasFaces, {
  path: ['input'],
  message: 'portrait or image: missing',
});

const percent = z.number().min(0).max(100);

/** The provider's answers about a face and its comparison with a portrait. */
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

export type FaceClaimFile = z.output<typeof faceClaimFile>;
export type FaceMatchFile = z.output<typeof faceImages>;
