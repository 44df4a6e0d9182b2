import type { RuleAnswer } from '../verdict.ts';
import type { FaceBounds } from './bounds.ts';
import type { FaceAction, FaceChallenge, FrameTiming } from './challenge.ts';
import { firstMissed, median, momentsOf, motionsOf, type Moment } from './motions.ts';
import { parallaxOf, shiftOf } from './parallax.ts';
import { printsApart } from './print.ts';
import type { ImageReading, SeenFace } from './reading.ts';

/** Number of frames of an answer that were submitted before. */
export interface Repeats {
  /** Identical files. */
  readonly same: number;
  /** Frames that resemble those of one other session; the highest count of any session. */
  readonly near: number;
}

/** The answer to a challenge. */
export interface Answered {
  readonly challenge: FaceChallenge;
  readonly timings: readonly FrameTiming[];
  readonly frames: readonly ImageReading[];
  readonly faces: readonly SeenFace[];
  readonly at: Date;
  readonly bounds: FaceBounds;
  readonly repeats: Repeats;
}

/** Runs the liveness checks in order; returns the first answer that is not ok. */
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

/**
 * A frame of another answer is a replay. Many similar frames can come from the same place and pose.
 */
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
 * Checks that each turn is that of a solid head, not of a flat picture, in its first frame.
 * Networks see depth in a bent print too, but its nose does not move relative to its column. If no
 * frame of a turn shows such a movement, a reviewer decides.
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
    // The other frames are compared with the first one.
    const relief = moments[0]?.action === -1 ? Math.max(...reliefs) : noRelief;
    return depth < bounds.parallax_sure || relief < bounds.relief_sure;
  });
  return doubtful
    ? { unknown: 'copy_suspected', detail: `little depth: ${doubtful.action}` }
    : { ok: true };
}

const noRelief = -1_000;

/** Returns how far the nose moved with the turn; far below zero if the frame shows no turn. */
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

/** Returns the median over all frames. */
export const realnessOf = (faces: readonly SeenFace[]): number =>
  median(faces.map(({ realness }) => realness));
