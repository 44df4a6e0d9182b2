import type { FaceAction } from '../../../domain/proofs/face/challenge.ts';

/** A frame of a film: the picture, and measurements to compare it with other frames. */
export interface FilmFrame {
  readonly image: Blob;
  /** Milliseconds since the film began. */
  readonly atMs: number;
  /** Index of the requested action; -1 for looking straight. */
  readonly action: number;
  /** Brightness of a small picture of the frame, row by row. */
  readonly small: Uint8Array;
  /** Share of fine detail: higher is sharper. */
  readonly sharpness: number;
}

/** Maximum number of frames in one answer (`framesMax` of the service). */
export const pickedMax = 13;
/** The service accepts only frames that are at least 40 ms apart. */
const apartMsMin = 60;

type Measured = Pick<FilmFrame, 'atMs' | 'action' | 'small' | 'sharpness'>;

/**
 * Picks the frames to submit: one that looks straight, and three per action (on the way, at the end
 * and back). A turned head is recognized by how far its frame differs from the straight one. Shut
 * eyes change too little of the picture, so they are picked by time. No face detection runs here.
 * @returns the frames in the order they were taken
 */
export function pickFrames<Frame extends Measured>(
  frames: readonly Frame[],
  actions: readonly FaceAction[],
): Frame[] {
  const straight = sharpest(frames.filter(({ action }) => action === -1));
  if (!straight) return [];
  const picked = [straight];
  for (const [index, action] of actions.entries()) {
    const taken = frames.filter((frame) => frame.action === index);
    for (const frame of action === 'blink' ? shutIn(taken) : farthestIn(taken, straight)) {
      const last = picked.at(-1);
      if (!last || frame.atMs - last.atMs >= apartMsMin) picked.push(frame);
    }
  }
  return picked.slice(0, pickedMax);
}

/**
 * The person shuts both eyes and counts to two. The eyes are shut in the middle of the time, even
 * if the person begins late.
 */
function shutIn<Frame extends Measured>(taken: readonly Frame[]): Frame[] {
  const places = [0.42, 0.55, 1].map((share) => Math.round((taken.length - 1) * share));
  return places.flatMap((place) => taken[place] ?? []);
}

/** Picks frames on the way, at the end and back, by the distance to the straight frame. */
function farthestIn<Frame extends Measured>(taken: readonly Frame[], straight: Measured): Frame[] {
  const distances = taken.map(({ small }) => distanceOf(small, straight.small));
  const farthest = distances.indexOf(Math.max(...distances));
  const end = taken[farthest];
  if (!end) return [];
  const most = distances[farthest] ?? 0;
  const way = nearestTo(taken.slice(0, farthest), distances, most * 0.6);
  const rest = distances.slice(farthest + 1);
  const back = taken[farthest + 1 + rest.lastIndexOf(Math.min(...rest))];
  return [way, end, back].filter((frame): frame is Frame => frame !== undefined);
}

function nearestTo<Frame>(
  taken: readonly Frame[],
  distances: readonly number[],
  wanted: number,
): Frame | undefined {
  const off = taken.map((_, index) => Math.abs((distances[index] ?? 0) - wanted));
  return taken[off.indexOf(Math.min(...off))];
}

function sharpest<Frame extends Measured>(frames: readonly Frame[]): Frame | undefined {
  return frames.reduce<Frame | undefined>(
    (best, frame) => (best && best.sharpness >= frame.sharpness ? best : frame),
    undefined,
  );
}

/** Mean difference in brightness, 0 to 255. */
function distanceOf(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (const [at, value] of one.entries()) sum += Math.abs(value - (other[at] ?? 0));
  return sum / Math.max(1, one.length);
}
