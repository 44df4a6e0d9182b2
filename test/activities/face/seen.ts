import type { FaceAction, FaceFrame } from '../../../domain/proofs/face/challenge.ts';
import type { Repeats } from '../../../domain/proofs/face/liveness.ts';
import type { FaceReading, ImageReading, SeenFace } from '../../../domain/proofs/face/reading.ts';
import {
  usualPolicy,
  verifyFaceMatch,
  type FaceMatchPolicy,
} from '../../../domain/proofs/face/verify-face-match.ts';
import { challengeOf, judgedAt, unseen } from '../../faces/judge.ts';

/** Points of a face in three dimensions: the eyes' corners first, then a grid with a nose. */
const points: readonly (readonly [number, number, number])[] = [
  [-45, -20, 10],
  [-18, -20, 5],
  [18, -20, 5],
  [45, -20, 10],
  ...[-60, -30, 0, 30, 60].flatMap((x) =>
    [-50, 0, 50].map((y) => [x, y, x === 0 ? -45 : Math.abs(x)] as const),
  ),
];

const descriptorOf = (who: number): number[] =>
  Array.from({ length: 128 }, (_, index) => (index === who ? 0.5 : 0));

export interface Look {
  readonly yaw?: number;
  readonly pitch?: number;
  readonly open?: number;
  readonly mouth?: number;
  /** Of a head that is turned by 90 degrees; null where it cannot be told. */
  readonly relief?: number | null;
  /** Held as a plane: its points do not move among each other. */
  readonly isFlat?: boolean;
  readonly shift?: number;
  readonly face?: Partial<SeenFace>;
  readonly image?: Partial<ImageReading>;
  readonly who?: number;
}

let made = 0;

/** What an image of a face says, whose look is as given; each a little elsewhere. */
export function seen(look: Look = {}): ImageReading {
  const {
    yaw = 0,
    pitch = 0,
    open = 0.28,
    isFlat = false,
    who = 0,
    mouth = 0,
    relief = 0.2,
  } = look;
  made += 1;
  const shift = look.shift ?? (made % 50) * 3;
  const [a, b] = [yaw, pitch].map((degrees) => (degrees * Math.PI) / 180);
  const face: SeenFace = {
    certainty: 1,
    eyesApartPx: 90,
    brightness: 140,
    sharpness: 35,
    isCut: false,
    pose: { yaw, pitch: pitch - 9, roll: 0 },
    eyes: { left: open, right: open },
    mouth,
    relief: relief === null ? null : relief * Math.sin(a ?? 0),
    points: points.flatMap(([x, y, z]) => [
      500 + shift + x * Math.cos(a ?? 0) - (isFlat ? 0 : z * Math.sin(a ?? 0)),
      500 + shift + y * Math.cos(b ?? 0) - (isFlat ? 0 : z * Math.sin(b ?? 0)),
    ]),
    realness: 0.7,
    descriptor: descriptorOf(who),
    ...look.face,
  };
  return { refused: null, faces: 1, face, print: '0'.repeat(64), ...look.image };
}

export interface Step extends Look {
  readonly action: number;
  readonly atMs?: number;
}

export const actions: readonly FaceAction[] = ['turn_left', 'blink', 'turn_right', 'look_up'];
/** Looks straight, then does all of it, and comes back each time. */
export const steps: readonly Step[] = [
  { action: -1 },
  { action: -1 },
  { action: 0, yaw: 12 },
  { action: 0, yaw: 28 },
  { action: 0, yaw: 3 },
  { action: 1, open: 0.06 },
  { action: 1 },
  { action: 2, yaw: -25 },
  { action: 2, yaw: -2 },
  { action: 3, pitch: 18 },
  { action: 3, pitch: 1 },
];

/** Frames of such looks, half a second apart, and what they say beside a portrait. */
export function shown(
  steps: readonly Step[],
  portrait: Look = {},
): { reading: FaceReading; frames: Pick<FaceFrame, 'atMs' | 'action'>[] } {
  return {
    reading: { reader: 'test', portrait: seen(portrait), frames: steps.map(seen) },
    frames: steps.map(({ action, atMs }, index) => ({ action, atMs: atMs ?? 1000 + index * 500 })),
  };
}

export const changed = (at: number, change: Partial<Step>): Step[] =>
  steps.map((step, index) => (index === at ? { ...step, ...change } : step));
export const all = (change: Partial<Step>): Step[] => steps.map((step) => ({ ...step, ...change }));

/** Judges looks by what is usual; as asked for, where that is another. */
export function judge(
  given: readonly Step[] = steps,
  {
    portrait,
    policy = {},
    asked = actions,
    repeats = unseen,
  }: {
    portrait?: Look;
    policy?: Partial<FaceMatchPolicy>;
    asked?: readonly FaceAction[];
    repeats?: Repeats;
  } = {},
) {
  const { reading, frames } = shown(given, portrait);
  const challenge = challengeOf(asked);
  const whole = { ...usualPolicy, reader: 'test', ...policy };
  return verifyFaceMatch(whole, { challenge, frames, repeats }, reading, judgedAt);
}

export const told = (verdict: ReturnType<typeof judge>) => {
  const fault = verdict.checks.find(({ result }) => result === 'failed');
  return [verdict.verdict, verdict.reason_code, fault?.name];
};
