import { z } from 'zod';
import { faceProviders } from '../names.ts';
import { documentTypes } from '../proofs/document/document-types.ts';
import { documentRules } from '../proofs/document/rules.ts';
import { faceBounds } from '../proofs/face/bounds.ts';
import { faceActions, framesMax } from '../proofs/face/challenge.ts';
import { sessionLengthMax } from '../proofs/face/provider-session.ts';
import { bytes, common, instant, list } from './members.ts';

/** The `evidence_hash` of the proof that a portrait is from. */
const evidenceHash = z.string().regex(/^[0-9a-f]{64}$/, 'not a SHA-256 in hex');

/** Photographs of a document. */
export const documentImage = z.object({
  ...common,
  kind: z.literal('document-image'),
  policy: z.object({
    document_types: list(z.enum(documentTypes), 10).optional(),
    countries: list(z.string().regex(/^[A-Z]{3}$/), 300).optional(),
    development: z.boolean().optional(),
    rules: z.literal(documentRules),
  }),
  input: z.object({ front: bytes.optional(), back: bytes.optional() }),
});

/** Whether anything was in the file that is not kept any more. */
export const wasRemoved = (file: { readonly removed?: readonly unknown[] | undefined }): boolean =>
  (file.removed ?? []).length > 0;

/** What was photographed is there, or was removed. */
export const hasFront = (file: z.output<typeof documentImage>): boolean =>
  file.input.front !== undefined || wasRemoved(file);

const share = z.number().min(0).max(1);

/** A face before the camera, and the portrait it was held against. */
export const faceMatch = z.object({
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
export const hasFaces = (file: z.output<typeof faceMatch>): boolean =>
  wasRemoved(file) ||
  (file.input.portrait !== undefined && file.input.frames.every(({ image }) => image));

const percent = z.number().min(0).max(100);

/** What a provider said of a face, and the portrait it was held against there. */
export const faceClaim = z.object({
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
