import { judge, type Rule, type RuleAnswer, type Verdict } from '../verdict.ts';
import { usualBounds, type FaceBounds } from './bounds.ts';
import type { FaceChallenge, FrameTiming } from './challenge.ts';
import type { FaceMatchFile } from './evidence.ts';
import { checkLiveness, realnessOf, type Repeats } from './liveness.ts';
import { median } from './motions.ts';
import type { FaceImages, FaceReading, ImageReading, SeenFace } from './reading.ts';

export interface FaceMatchPolicy {
  /** Minimum similarity to pass. */
  readonly threshold: number;
  /** Minimum similarity for a review instead of a failure. */
  readonly review: number;
  /** The networks and reading rules that it is meant for. With others, the numbers may differ. */
  readonly reader: string;
  readonly bounds: FaceBounds;
}

export interface FaceMatchInput {
  readonly challenge: FaceChallenge;
  readonly frames: readonly FrameTiming[];
  /** As the platform reported when it judged: an auditor does not have the frames of others. */
  readonly repeats: Repeats;
}

interface Findings {
  readonly policy: FaceMatchPolicy;
  readonly bounds: FaceBounds;
  readonly given: FaceMatchInput;
  readonly reading: FaceReading;
  readonly at: Date;
  /** The best frames of the person, best first; empty if none is usable. */
  best: readonly SeenFace[];
  similarity: number | null;
  /** Why the portrait cannot be compared; null if it can. */
  portraitFault: string | null;
  isLive: boolean;
}

/** See docs/protocols/faces.md for how these were measured. */
export const usualPolicy = { threshold: 0.5, review: 0.4, bounds: usualBounds } as const;

/**
 * Judges whether the person in the frames is the one in the portrait, and whether a live person did
 * what the challenge requests. Pure: the same reading gives the same verdict. This is not a
 * certified detection of presentation attacks: docs/protocols/faces.md lists what it does not
 * detect.
 */
export function verifyFaceMatch(
  policy: FaceMatchPolicy,
  given: FaceMatchInput,
  reading: FaceReading,
  at: Date,
): Verdict {
  const { bounds } = policy;
  const portraitFault = portraitFaultOf(reading.portrait, bounds);
  const known = { policy, bounds, given, reading, at, portraitFault };
  const findings = { ...known, best: [], similarity: null, isLive: false };
  return judge<Findings>('face-match', rules, findings, factsOf);
}

const rules: readonly Rule<Findings>[] = [
  { name: 'image', judge: checkImages },
  { name: 'one_face', judge: checkFaces },
  { name: 'quality', judge: checkQuality },
  { name: 'match', judge: checkMatch },
  { name: 'liveness', judge: checkLife },
];

function checkImages({ reading, given }: Findings): RuleAnswer {
  const { frames } = reading;
  const refused = frames.find((image) => image.refused !== null);
  if (refused) return { fault: 'image_refused', detail: refused.refused ?? '' };
  if (frames.length === 0 || frames.length !== given.frames.length) {
    return { fault: 'malformed', detail: 'frames' };
  }
  return { ok: true };
}

const facesOf = ({ frames }: FaceReading): SeenFace[] => frames.flatMap(({ face }) => face ?? []);

/** Checks for exactly one face in every frame, and the same one in all of them. */
function checkFaces({ reading, bounds }: Findings): RuleAnswer {
  const { frames } = reading;
  const empty = frames.findIndex(({ face }) => !face || face.certainty < bounds.certainty_min);
  if (empty >= 0) return { fault: 'no_face', detail: `frame ${empty + 1}` };
  const crowded = frames.findIndex(({ faces }) => faces > 1);
  if (crowded >= 0) return { fault: 'multiple_faces', detail: `frame ${crowded + 1}` };
  const other = findOther(facesOf(reading), bounds);
  return other >= 0 ? { fault: 'identity_switch', detail: `frame ${other + 1}` } : { ok: true };
}

/**
 * Returns the first frame that matches neither the best one nor an adjacent frame that matches it.
 */
function findOther(faces: readonly SeenFace[], bounds: FaceBounds): number {
  const [best] = ranked(faces, bounds);
  if (!best) return -1;
  const areSame = (one: SeenFace, other: SeenFace | undefined): boolean =>
    other !== undefined && similarityOf(one, other) >= bounds.same_similarity_min;
  const known = faces.map((face) => areSame(best, face));
  return faces.findIndex((face, index) => {
    const beside = bounds.same_links_max < 1 ? [] : [index - 1, index + 1];
    return !known[index] && !beside.some((place) => known[place] && areSame(face, faces[place]));
  });
}

/** Sorts faces by quality, best first: from the front, with open eyes. */
function ranked(faces: readonly SeenFace[], { usual_pitch: usualPitch }: FaceBounds): SeenFace[] {
  const offFront = ({ pose, eyes }: SeenFace): number => {
    const off = Math.abs(pose.yaw) + Math.abs(pose.pitch - usualPitch) / 2;
    return off - 40 * Math.min(eyes.left, eyes.right);
  };
  return faces.toSorted((one, other) => offFront(one) - offFront(other));
}

function portraitFaultOf({ refused, face }: ImageReading, bounds: FaceBounds): string | null {
  if (refused !== null) return refused;
  if (!face) return 'no face';
  if (face.certainty < bounds.certainty_min) return 'hardly a face';
  const fault = faultOf(face, 'portrait', bounds);
  return fault && detailOf(fault);
}

/** Judges the images; the fault names what the person can improve. */
function checkQuality(findings: Findings): RuleAnswer {
  const { bounds, reading } = findings;
  const { frames } = reading;
  const faces = ranked(facesOf(reading), bounds);
  const good = faces.filter((face) => !faultOf(face, 'frame', bounds));
  findings.best = good.slice(0, bounds.best_max);
  if (good.length * 2 > frames.length) return { ok: true, detail: `${good.length} frames` };
  const [first] = faces;
  if (!first) return { skipped: 'no face' };
  return (
    faces.map((face) => faultOf(face, 'frame', bounds)).find(Boolean) ?? { skipped: 'no face' }
  );
}

const detailOf = (answer: RuleAnswer): string => ('fault' in answer ? answer.fault : '');

/** Returns what prevents a comparison, worst first; null if nothing does. */
function faultOf(face: SeenFace, of: 'portrait' | 'frame', bounds: FaceBounds): RuleAnswer | null {
  const { brightness, sharpness, eyesApartPx, isCut } = face;
  if (brightness < bounds.brightness_min) return { fault: 'face_dark' };
  if (brightness > bounds.brightness_max) return { fault: 'face_bright' };
  if (eyesApartPx < bounds[`${of}_eyes_apart_px_min`]) return { fault: 'face_small' };
  if (isCut) return { fault: 'face_cropped' };
  return sharpness < bounds[`${of}_sharpness_min`] ? { fault: 'face_blurred' } : null;
}

function isFacing({ pose }: SeenFace, bounds: FaceBounds): boolean {
  return (
    Math.abs(pose.yaw) <= bounds.facing_yaw_max &&
    Math.abs(pose.pitch - bounds.usual_pitch) <= bounds.facing_pitch_max &&
    Math.abs(pose.roll) <= bounds.facing_roll_max
  );
}

/** Whether a frame is frontal enough to compare with a portrait. */
const isCompared = ({ pose }: SeenFace, bounds: FaceBounds): boolean =>
  Math.abs(pose.yaw) <= bounds.compared_yaw_max &&
  Math.abs(pose.pitch - bounds.usual_pitch) <= bounds.compared_pitch_max;

/**
 * Compares the portrait with the best frames; their median similarity decides. If the portrait
 * itself cannot be compared, no other frame would help, so a reviewer decides.
 */
function checkMatch(findings: Findings): RuleAnswer {
  const { policy, bounds, reading, best, portraitFault } = findings;
  if (portraitFault !== null) return { unknown: 'portrait_unusable', detail: portraitFault };
  const { face: portrait } = reading.portrait;
  if (!portrait || best.length === 0) return { skipped: 'nothing to compare' };
  const facing = best.filter((face) => isFacing(face, bounds));
  if (facing.length === 0) return { fault: 'face_turned' };
  const similarities = facing.map((face) => similarityOf(portrait, face));
  const similarity = median(similarities);
  findings.similarity = similarity;
  const detail = similarity.toFixed(3);
  const review = policy.review;
  if (similarity >= policy.threshold) {
    const unlike = facesOf(reading).findIndex(
      (face) => isCompared(face, bounds) && similarityOf(portrait, face) < review,
    );
    if (unlike < 0) return { ok: true, detail };
    return { unknown: 'face_unsure', detail: `frame ${unlike + 1}` };
  }
  return similarity >= review
    ? { unknown: 'face_unsure', detail }
    : { fault: 'face_mismatch', detail };
}

/** Returns one minus the distance of two descriptors, to three digits; 0 without descriptors. */
export function similarityOf(one: SeenFace, other: SeenFace): number {
  const [first, second] = [one.descriptor ?? [], other.descriptor ?? []];
  if (first.length === 0 || first.length !== second.length) return 0;
  if ([first, second].some((values) => values.every((value) => value === 0))) return 0;
  const squares = first.map((value, index) => (value - (second[index] ?? 0)) ** 2);
  const distance = Math.sqrt(squares.reduce((sum, square) => sum + square, 0));
  return Math.max(0, Math.round((1 - distance) * 1000) / 1000);
}

function checkLife(findings: Findings): RuleAnswer {
  const { given, reading, at, bounds } = findings;
  const faces = facesOf(reading);
  if (faces.length !== given.frames.length) return { skipped: 'not every frame shows a face' };
  const { challenge, frames: timings, repeats } = given;
  const frames: readonly ImageReading[] = reading.frames;
  const answer = checkLiveness({ challenge, timings, frames, faces, at, bounds, repeats });
  findings.isLive = 'ok' in answer;
  return answer;
}

function factsOf({
  policy,
  bounds,
  reading,
  similarity,
  isLive,
}: Findings): Record<string, unknown> {
  const faces = facesOf(reading);
  return {
    similarity,
    similarity_min: policy.threshold,
    similarity_review_min: policy.review,
    liveness_score: isLive ? realnessOf(faces) : 0,
    liveness_min: bounds.realness_min,
    frames_used: faces.length,
    reader: reading.reader,
    // If true, a different verdict may come from the reader and not from the images.
    reader_differs: policy.reader !== reading.reader,
  };
}

/** Reads the images of faces; the same images give the same reading. */
export interface FaceReader {
  readFaces(images: FaceImages): Promise<FaceReading>;
}

/**
 * Reads the images of an evidence file of kind `face-match` and judges it.
 * @throws TypeError if an image is missing
 */
export async function verifyFaceFile(
  { policy, input, at }: FaceMatchFile,
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
