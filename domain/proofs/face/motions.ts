import type { FaceBounds } from './bounds.ts';
import type { FaceAction, FrameTiming } from './challenge.ts';
import type { SeenFace } from './reading.ts';

/** A face at its time, relative to the frames in which the person looks straight. */
export interface Moment extends FrameTiming {
  readonly face: SeenFace;
  /** Degrees to the person's left and up, relative to looking straight. */
  readonly left: number;
  readonly up: number;
  /** Opening of the wider open eye, relative to looking straight. */
  readonly open: number;
  /** How much wider the mouth is open than when looking straight. */
  readonly mouth: number;
}

/** A motion of the person, with the first frame that shows it complete. */
export interface Motion {
  readonly action: FaceAction;
  readonly moment: Moment;
}

interface Bound {
  /** Starts above `on` and ends below `off`, so that a tremor is one motion. */
  readonly on: number;
  readonly off: number;
  readonly of: (moment: Moment) => number;
}

/** Returns the bounds of each motion. */
function motionBounds(bounds: FaceBounds): Readonly<Record<FaceAction, Bound>> {
  const { up_yaw_max: upYawMax, blink_aside_max: asideMax } = bounds;
  const turn = { on: bounds.turn_on, off: bounds.turn_off };
  return {
    turn_left: { ...turn, of: ({ left }) => left },
    turn_right: { ...turn, of: ({ left }) => -left },
    look_up: {
      on: bounds.up_on,
      off: bounds.up_off,
      of: ({ left, up }) => (Math.abs(left) > upYawMax ? 0 : up),
    },
    look_down: {
      on: bounds.down_on,
      off: bounds.down_off,
      of: ({ left, up }) => (Math.abs(left) > upYawMax ? 0 : -up),
    },
    open_mouth: {
      on: bounds.mouth_on,
      off: bounds.mouth_off,
      of: ({ left, up, mouth }) =>
        Math.max(Math.abs(left), Math.abs(up)) > bounds.mouth_aside_max ? 0 : mouth,
    },
    blink: {
      on: bounds.blink_on,
      off: bounds.blink_off,
      of: ({ left, up, open }) =>
        Math.max(Math.abs(left), Math.abs(up)) > asideMax ? 0 : 1 - open,
    },
  };
}

/** Returns the middle value, the lower of two; 0 if there is none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.trunc((values.length - 1) / 2)] ?? 0;

/** Returns the frames in order of time, relative to those that look straight. */
export function momentsOf(
  timings: readonly FrameTiming[],
  faces: readonly SeenFace[],
): readonly Moment[] {
  const straight = faces.filter((_, index) => timings[index]?.action === -1);
  const base = {
    yaw: median(straight.map(({ pose }) => pose.yaw)),
    pitch: median(straight.map(({ pose }) => pose.pitch)),
    mouth: median(straight.map(({ mouth }) => mouth)),
    open: Math.max(0.05, median(straight.map(({ eyes }) => Math.max(eyes.left, eyes.right)))),
  };
  return faces.flatMap((face, index) => {
    const timing = timings[index];
    if (!timing) return [];
    const { pose, eyes, mouth } = face;
    return {
      ...timing,
      face,
      left: pose.yaw - base.yaw,
      up: pose.pitch - base.pitch,
      open: Math.max(eyes.left, eyes.right) / base.open,
      mouth: mouth - base.mouth,
    };
  });
}

/** Returns the person's motions in order. */
export function motionsOf(moments: readonly Moment[], bounds: FaceBounds): Motion[] {
  const counted = motionBounds(bounds);
  const underWay = new Set<FaceAction>();
  const done: Motion[] = [];
  for (const moment of moments) {
    for (const action of Object.keys(counted) as FaceAction[]) {
      const { on, off, of } = counted[action];
      const extent = of(moment);
      if (extent < off) underWay.delete(action);
      if (extent < on || underWay.has(action)) continue;
      underWay.add(action);
      done.push({ action, moment });
    }
  }
  return done;
}

const unasked: ReadonlySet<FaceAction> = new Set(['blink', 'open_mouth']);

/**
 * Returns the first requested action that was not done in order, in a frame labeled with it; null
 * if exactly the requested ones were done. Blinking and speaking in between is ignored.
 */
export function firstMissed(
  actions: readonly FaceAction[],
  motions: readonly Motion[],
): string | null {
  const counted = motions.filter(
    ({ action, moment }) => !unasked.has(action) || actions[moment.action] === action,
  );
  for (const [index, { action, moment }] of counted.entries()) {
    if (actions[index] !== action) return `${action} instead of ${actions[index] ?? 'nothing'}`;
    if (moment.action !== index) return `${action} in a frame of another action`;
  }
  return actions[counted.length] ?? null;
}
