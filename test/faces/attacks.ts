import sharp from 'sharp';
import type { FaceAction, FaceFrame } from '../../domain/proofs/face/challenge.ts';
import { answerWithFace } from '../../simulator/face/face-frames.ts';
import type { Person } from '../../simulator/face/people.ts';
import { slanted, type Bend, type Slant } from './slant.ts';

type Random = () => number;

/** An answer to a challenge that must not pass: by whom, with what. */
export interface Attack {
  readonly name: string;
  /** It gains nothing by itself, and not every copy is found. */
  readonly isHarmless?: true;
  /** Not every one is found: it is measured how many pass. */
  readonly mayPass?: true;
  /** What whoever has nothing but this waits for: a challenge that asks for nothing else. */
  readonly waitsFor?: readonly FaceAction[];
  /** Other challenges it would answer as they ask. */
  readonly isOf?: (actions: readonly FaceAction[]) => boolean;
  readonly frames: (
    victim: Person,
    attacker: Person,
    actions: readonly FaceAction[],
    random: Random,
  ) => Promise<readonly FaceFrame[]>;
}

/** How a print is held so that it looks as if its head turned. */
const held: Readonly<Record<FaceAction, Partial<Slant>>> = {
  turn_left: { yaw: 48 },
  turn_right: { yaw: -48 },
  look_up: { pitch: -45 },
  look_down: { pitch: 45 },
  blink: { pitch: 20 },
  open_mouth: { pitch: 20 },
};

const bendable = ['turn_left', 'turn_right', 'look_up', 'look_down'] as const;

/** A print around a cylinder, on its way and turned as far as a face is still found in it. */
function bent(name: string, bend: Bend): Attack {
  return {
    name,
    mayPass: true,
    waitsFor: bendable,
    frames: (victim, _attacker, actions, random) =>
      withPictures(victim, actions, random, (action, step) => {
        const { yaw = 0, pitch = 0 } = action ? held[action] : {};
        const share = [0.7, 1, 0.1][step] ?? 0;
        return { bend, yaw: yaw * share, pitch: pitch * share };
      }),
  };
}

const flat: Slant = { yaw: 0, pitch: 0, roll: 0, shift: [0, 0] };

/** The frames of somebody who does as asked, with another picture in each. */
async function withPictures(
  victim: Person,
  actions: readonly FaceAction[],
  random: Random,
  slantOf: (action: FaceAction | null, step: number) => Partial<Slant>,
): Promise<readonly FaceFrame[]> {
  const real = await answerWithFace(victim.head, actions, { random });
  return Promise.all(
    real.map(async ({ atMs, action }, index) => {
      const name = action < 0 ? null : (actions[action] ?? null);
      const slant = { ...flat, ...slantOf(name, (index + 1) % 3) };
      const tremble = (): number => (random() - 0.5) * 0.02;
      const shift = [slant.shift[0] + tremble(), slant.shift[1] + tremble()] as const;
      const { data, width, height } = slanted(victim.head.picture, { ...slant, shift });
      const picture = sharp(data, { raw: { width, height, channels: 3 } });
      return { image: new Uint8Array(await picture.jpeg().toBuffer()), atMs, action };
    }),
  );
}

export const attacks: readonly Attack[] = [
  {
    name: 'a photograph, slanted',
    frames: (victim, _attacker, actions, random) =>
      withPictures(victim, actions, random, (action, step) =>
        action && step === 1 ? held[action] : {},
      ),
  },
  bent('a photograph, bent upright', { radius: 0.2, axis: 0 }),
  bent('a photograph, bent less', { radius: 0.28, axis: 0 }),
  bent('a photograph, bent aslant', { radius: 0.25, axis: 45 }),
  {
    name: 'a photograph, moved',
    frames: (victim, _attacker, actions, random) =>
      withPictures(victim, actions, random, (action, step) => ({
        shift: [action?.startsWith('turn') ? (step - 1) * 0.12 : 0, action ? -0.05 * step : 0],
      })),
  },
  {
    name: 'a photograph, turned in its plane',
    frames: (victim, _attacker, actions, random) =>
      withPictures(victim, actions, random, (action, step) => ({
        roll: action === 'turn_left' ? 25 * step : action ? -25 * step : 0,
      })),
  },
  {
    name: 'another person',
    frames: (_victim, attacker, actions, random) =>
      answerWithFace(attacker.head, actions, { random }),
  },
  {
    name: 'a photograph, then another person',
    frames: async (victim, attacker, actions, random) => {
      const own = await answerWithFace(attacker.head, actions, { random });
      const copied = await withPictures(victim, actions, random, () => ({}));
      return own.map((frame, index) => (frame.action < 0 ? (copied[index] ?? frame) : frame));
    },
  },
  {
    name: 'an answer to another challenge',
    frames: async (victim, _attacker, actions, random) => {
      const other = actions.map((action) => (action === 'blink' ? 'look_up' : 'blink'));
      return answerWithFace(victim.head, other, { random });
    },
  },
  {
    name: 'a turn, played backwards as the other',
    isOf: (actions) => actions.join() !== actions.toReversed().join(),
    frames: async (victim, _attacker, actions, random) => {
      const frames = await answerWithFace(victim.head, actions, { random });
      return frames.map((frame, index) => ({
        ...frame,
        image: frames.at(frames.length - 1 - index)?.image ?? frame.image,
      }));
    },
  },
  {
    name: 'one frame, sent twice',
    isHarmless: true,
    frames: async (victim, _attacker, actions, random) => {
      const frames = await answerWithFace(victim.head, actions, { random });
      const [first, , ...rest] = frames;
      const again = first && (await sharp(first.image).jpeg({ quality: 80 }).toBuffer());
      return first && again
        ? [first, { ...first, image: new Uint8Array(again), atMs: first.atMs + 300 }, ...rest]
        : frames;
    },
  },
];
