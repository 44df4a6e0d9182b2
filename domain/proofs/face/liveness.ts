import type { RuleAnswer } from '../verdict.ts';
import type { FaceBounds } from './bounds.ts';
import type { FaceAction, FaceChallenge, FrameTiming } from './challenge.ts';
import { firstMissed, median, momentsOf, motionsOf, type Moment } from './motions.ts';
import { parallaxOf, shiftOf } from './parallax.ts';
import { printsApart } from './print.ts';
import type { ImageReading, SeenFace } from './reading.ts';

/** How many frames of an answer were handed in before. */
export interface Repeats {
  /** The very files. */
  readonly same: number;
  /** That look as frames of one other session do, at most. */
  readonly near: number;
}

/** What a challenge was answered with. */
export interface Answered {
  readonly challenge: FaceChallenge;
  readonly timings: readonly FrameTiming[];
  readonly frames: readonly ImageReading[];
  readonly faces: readonly SeenFace[];
  readonly at: Date;
  readonly bounds: FaceBounds;
  readonly repeats: Repeats;
}

/** Each question whether somebody is there, in order; the first that is not answered well tells. */
export function checkLiveness(answered: Answered): RuleAnswer {
  for (const check of [
    checkTimes,
    checkShownBefore,
    checkRepeats,
    checkActions,
    checkAsked,
    checkDepth,
    checkCopies,
  ]) {
    const answer = check(answered);
    if (!('ok' in answer)) return answer;
  }
  return { ok: true, detail: answered.challenge.actions.join(', ') };
}

function checkTimes({ challenge, timings, at, bounds }: Answered): RuleAnswer {
  const lifeMs = challenge.expiresAt.getTime() - challenge.issuedAt.getTime();
  const [first, last] = [timings[0], timings.at(-1)];
  if (!first || !last || first.atMs < 0 || last.atMs > lifeMs) {
    return { fault: 'frames_untimely', detail: 'outside of the time of the challenge' };
  }
  if (challenge.issuedAt.getTime() + last.atMs > at.getTime() + bounds.skew_ms_max) {
    return { fault: 'frames_untimely', detail: 'later than now' };
  }
  const gaps = timings.slice(1).map(({ atMs }, index) => atMs - (timings[index]?.atMs ?? 0));
  if (gaps.some((gapMs) => gapMs < bounds.gap_ms_min || gapMs > bounds.gap_ms_max)) {
    return { fault: 'frames_untimely', detail: 'not one after the other' };
  }
  return last.atMs - first.atMs < bounds.span_ms_min
    ? { fault: 'frames_untimely', detail: 'all at once' }
    : { ok: true };
}

/** A frame of another answer is a replay; many that are only near may be of one place and pose. */
function checkShownBefore({ repeats, bounds }: Answered): RuleAnswer {
  const { same, near } = repeats;
  if (same > 0) return { fault: 'frames_repeated', detail: `${same} seen before` };
  return near >= bounds.near_repeats_min
    ? { unknown: 'frames_repeated', detail: `${near} nearly seen before` }
    : { ok: true };
}

function checkRepeats({ frames, faces, bounds }: Answered): RuleAnswer {
  for (const [index, face] of faces.entries()) {
    const twin = faces.findIndex((other, place) => {
      const prints = [frames[index]?.print ?? '', frames[place]?.print ?? ''] as const;
      return (
        place < index &&
        printsApart(...prints) < bounds.prints_apart_min &&
        shiftOf(face.points, other.points) < bounds.shift_min
      );
    });
    if (twin >= 0) return { fault: 'frames_repeated', detail: `${twin + 1} and ${index + 1}` };
  }
  return { ok: true };
}

function checkActions(answered: Answered): RuleAnswer {
  const { challenge, timings, faces, bounds } = answered;
  const straight = faces.filter((_, index) => timings[index]?.action === -1);
  if (!straight.some(({ pose }) => Math.abs(pose.yaw) < bounds.straight_yaw_max)) {
    return { fault: 'challenge_failed', detail: 'no frame looks straight' };
  }
  const labels = timings.map(({ action }) => action).filter((action) => action >= 0);
  if (labels.some((action, index) => action < (labels[index - 1] ?? 0))) {
    return { fault: 'challenge_failed', detail: 'actions in another order' };
  }
  const moments = momentsOf(timings, faces);
  if (moments.some((moment, index) => isTooFast(moment, moments[index - 1], bounds))) {
    return { fault: 'frames_untimely', detail: 'turned faster than a head does' };
  }
  const missed = firstMissed(challenge.actions, motionsOf(moments, bounds));
  return missed === null ? { ok: true } : { fault: 'challenge_failed', detail: missed };
}

function isTooFast(moment: Moment, before: Moment | undefined, bounds: FaceBounds): boolean {
  if (!before) return false;
  const degrees = Math.hypot(moment.left - before.left, moment.up - before.up);
  return (degrees * 1000) / (moment.atMs - before.atMs) > bounds.turn_speed_max;
}

function checkAsked({ challenge: { actions }, bounds }: Answered): RuleAnswer {
  return actions.length < bounds.actions_min ||
    !actions.some((action) => action.startsWith('turn_'))
    ? { unknown: 'liveness_missing', detail: 'the challenge asks for too little' }
    : { ok: true };
}

/**
 * Each turn of the head is one of a body, not of a flat picture: in its first frame. In a bent one
 * networks see a body, but its nose goes nowhere beside its column; where none is seen to go in any
 * frame of a turn, a person looks.
 */
function checkDepth({ timings, faces, bounds }: Answered): RuleAnswer {
  const moments = momentsOf(timings, faces);
  const straight = moments.filter(({ action }) => action === -1);
  const turns = motionsOf(moments, bounds).filter(({ action }) => action.startsWith('turn_'));
  const depthOf = ({ face: { points } }: Moment): number =>
    Math.min(...straight.map(({ face }) => parallaxOf(face.points, points)));
  const flat = turns.find(({ moment }) => depthOf(moment) < bounds.parallax_min);
  if (flat) return { fault: 'face_flat', detail: flat.action };
  const doubtful = turns.find(({ moment, action }) => {
    const frames = moments.filter((each) => each.action === moment.action);
    const reliefs = frames.map((each) => reliefIn(each, action, bounds));
    const depth = Math.max(...frames.map(depthOf));
    // The first frame is what the others are held against.
    const relief = moments[0]?.action === -1 ? Math.max(...reliefs) : noRelief;
    return depth < bounds.parallax_sure || relief < bounds.relief_sure;
  });
  return doubtful
    ? { unknown: 'copy_suspected', detail: `little depth: ${doubtful.action}` }
    : { ok: true };
}

const noRelief = -1_000;

/** How far the nose went with the turn, in a frame that shows it turned; of none far below. */
function reliefIn({ face, left }: Moment, action: FaceAction, { turn_on: on }: FaceBounds): number {
  const way = action === 'turn_left' ? 1 : -1;
  return face.relief === null || left * way < on ? noRelief : face.relief * way;
}

function checkCopies({ faces, bounds }: Answered): RuleAnswer {
  const realness = realnessOf(faces);
  return realness < bounds.realness_min
    ? { unknown: 'copy_suspected', detail: realness.toFixed(2) }
    : { ok: true };
}

/** The median of all frames. */
export const realnessOf = (faces: readonly SeenFace[]): number =>
  median(faces.map(({ realness }) => realness));
