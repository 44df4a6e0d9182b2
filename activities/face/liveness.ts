import type { RuleAnswer } from '../evidence/verdict.ts';
import type { FaceChallenge, FrameTiming } from './challenge.ts';
import { firstMissed, median, momentsOf, motionsOf, type Moment } from './motions.ts';
import { parallaxOf, shiftOf } from './parallax.ts';
import { printsApart } from './print.ts';
import type { ImageReading, SeenFace } from './reading.ts';

/** What a challenge was answered with. */
export interface Answered {
  readonly challenge: FaceChallenge;
  readonly timings: readonly FrameTiming[];
  readonly frames: readonly ImageReading[];
  readonly faces: readonly SeenFace[];
  readonly at: Date;
}

const gapMsMin = 40;
const gapMsMax = 15_000;
/** Nobody turns the head twice in less. */
const spanMsMin = 1_000;
/** Clocks of phones and of servers differ by less. */
const skewMs = 5_000;
/** A head turns no faster, in degrees a second. */
const turnSpeedMax = 500;
/** Phones are held a little aside. */
const straightDegrees = 20;
/** Of 256: encoding one picture twice changes fewer. */
const printsApartMin = 10;
/** Half a millimetre: nobody holds a phone and a head so still. */
const shiftMin = 0.008;
/** See docs/faces.md for how these were measured. */
const parallaxMin = 0.12;
/** A bent print reaches more than `parallaxMin`: below this a person looks. */
const parallaxSure = 0.18;
const realnessMin = 0.25;
/** Fewer, or none that turns, is a clip that anybody has at hand. */
const actionsMin = 3;

/** Each question whether somebody is there, in order; the first that is not answered well tells. */
export function checkLiveness(answered: Answered): RuleAnswer {
  for (const check of [
    checkTimes,
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

function checkTimes({ challenge, timings, at }: Answered): RuleAnswer {
  const lifeMs = challenge.expiresAt.getTime() - challenge.issuedAt.getTime();
  const [first, last] = [timings[0], timings.at(-1)];
  if (!first || !last || first.atMs < 0 || last.atMs > lifeMs) {
    return { fault: 'frames_untimely', detail: 'outside of the time of the challenge' };
  }
  if (challenge.issuedAt.getTime() + last.atMs > at.getTime() + skewMs) {
    return { fault: 'frames_untimely', detail: 'later than now' };
  }
  const gaps = timings.slice(1).map(({ atMs }, index) => atMs - (timings[index]?.atMs ?? 0));
  if (gaps.some((gapMs) => gapMs < gapMsMin || gapMs > gapMsMax)) {
    return { fault: 'frames_untimely', detail: 'not one after the other' };
  }
  return last.atMs - first.atMs < spanMsMin
    ? { fault: 'frames_untimely', detail: 'all at once' }
    : { ok: true };
}

function checkRepeats({ frames, faces }: Answered): RuleAnswer {
  for (const [index, face] of faces.entries()) {
    const twin = faces.findIndex((other, place) => {
      const prints = [frames[index]?.print ?? '', frames[place]?.print ?? ''] as const;
      return (
        place < index &&
        printsApart(...prints) < printsApartMin &&
        shiftOf(face.points, other.points) < shiftMin
      );
    });
    if (twin >= 0) return { fault: 'frames_repeated', detail: `${twin + 1} and ${index + 1}` };
  }
  return { ok: true };
}

function checkActions(answered: Answered): RuleAnswer {
  const { challenge, timings, faces } = answered;
  const straight = faces.filter((_, index) => timings[index]?.action === -1);
  if (!straight.some(({ pose }) => Math.abs(pose.yaw) < straightDegrees)) {
    return { fault: 'challenge_failed', detail: 'no frame looks straight' };
  }
  const labels = timings.map(({ action }) => action).filter((action) => action >= 0);
  if (labels.some((action, index) => action < (labels[index - 1] ?? 0))) {
    return { fault: 'challenge_failed', detail: 'actions in another order' };
  }
  const moments = momentsOf(timings, faces);
  if (moments.some((moment, index) => isTooFast(moment, moments[index - 1]))) {
    return { fault: 'frames_untimely', detail: 'turned faster than a head does' };
  }
  const missed = firstMissed(challenge.actions, motionsOf(moments));
  return missed === null ? { ok: true } : { fault: 'challenge_failed', detail: missed };
}

function isTooFast(moment: Moment, before: Moment | undefined): boolean {
  if (!before) return false;
  const degrees = Math.hypot(moment.left - before.left, moment.up - before.up);
  return (degrees * 1000) / (moment.atMs - before.atMs) > turnSpeedMax;
}

function checkAsked({ challenge: { actions } }: Answered): RuleAnswer {
  return actions.length < actionsMin || !actions.some((action) => action.startsWith('turn_'))
    ? { unknown: 'liveness_missing', detail: 'the challenge asks for too little' }
    : { ok: true };
}

/**
 * Each turn of the head is one of a body, not of a flat picture: in its first frame. Of a bent one
 * that cannot be told for sure; a turn of little depth in all its frames is left to a person.
 */
function checkDepth({ timings, faces }: Answered): RuleAnswer {
  const moments = momentsOf(timings, faces);
  const straight = moments.filter(({ action }) => action === -1);
  const turns = motionsOf(moments).filter(({ action }) => action.startsWith('turn_'));
  const depthOf = ({ face: { points } }: Moment): number =>
    Math.min(...straight.map(({ face }) => parallaxOf(face.points, points)));
  const flat = turns.find(({ moment }) => depthOf(moment) < parallaxMin);
  if (flat) return { fault: 'face_flat', detail: flat.action };
  const shallow = turns.find(({ moment }) => {
    const frames = moments.filter(({ action }) => action === moment.action);
    return Math.max(...frames.map(depthOf)) < parallaxSure;
  });
  return shallow
    ? { unknown: 'copy_suspected', detail: `little depth: ${shallow.action}` }
    : { ok: true };
}

function checkCopies({ faces }: Answered): RuleAnswer {
  const realness = realnessOf(faces);
  return realness < realnessMin
    ? { unknown: 'copy_suspected', detail: realness.toFixed(2) }
    : { ok: true };
}

/** The median of all frames. */
export const realnessOf = (faces: readonly SeenFace[]): number =>
  median(faces.map(({ realness }) => realness));
