import { greyOf, type Frame, type Grey } from './grey.ts';
import type { Rectangle } from './guide.ts';
import {
  blocksOf,
  brightnessOf,
  typicalOf,
  glareOf,
  insideOf,
  movementOf,
  sharpnessOf,
  type Blocks,
} from './measures.ts';
import { sidesOf, type Sides } from './sides.ts';

/** A fault that the person can correct before a photograph is taken. */
export type Hint = 'too_dark' | 'moving' | 'too_small' | 'not_level' | 'blurred' | 'glare';

/** Measurements of one frame. The measuring functions document the units. */
export interface Measures extends Sides {
  readonly brightness: number;
  readonly movement: number;
  readonly sharpness: number;
  readonly glare: number;
}

const brightnessMin = 60;
const movementMax = 0.0045;
const fillMin = 0.79;
const sidesMin = 3;
const tiltMax = 4.5;
const sharpnessMin = 0.58;
const glareMax = 0.01;

/** Returns the first fault, in the order in which each one hides the next; null without a fault. */
export function hintOf(measures: Measures): Hint | null {
  if (measures.brightness < brightnessMin) return 'too_dark';
  if (measures.movement > movementMax) return 'moving';
  if (measures.found < sidesMin || measures.fill < fillMin) return 'too_small';
  if (Math.abs(measures.tilt) > tiltMax) return 'not_level';
  if (measures.glare > glareMax) return 'glare';
  if (measures.sharpness < sharpnessMin) return 'blurred';
  return null;
}

/** Excludes the edges of the document and the area beside them. */
const inset = 0.12;

/** Measures successive frames. Movement is measured relative to the previous frame. */
export function createMeter(): (frame: Frame, guide: Rectangle) => Measures {
  let grey: Grey | null = null;
  let previous: Blocks | null = null;
  return (frame, guide) => {
    grey = greyOf(frame, grey);
    const area = insideOf(grey, guide, inset);
    const blocks = blocksOf(grey);
    const movement = movementOf(blocks, previous);
    previous = blocks;
    return {
      brightness: brightnessOf(grey, area),
      movement,
      ...sidesOf(grey, guide, typicalOf(grey, area)),
      sharpness: sharpnessOf(grey, area),
      glare: glareOf(grey, area),
    };
  };
}

/** Consecutive frames without a hint after which the photograph is taken automatically. */
const quietFrames = 8;

/** Returns a counter of frames without a hint: true at every eighth consecutive one. */
export function createShutter(): (hint: Hint | null) => boolean {
  let quiet = 0;
  return (hint) => {
    quiet = hint === null ? quiet + 1 : 0;
    if (quiet < quietFrames) return false;
    quiet = 0;
    return true;
  };
}

/**
 * A message to the worker. `frame` may be an `ImageData`, or contain an array that is transferred
 * with the message.
 */
export interface HintRequest {
  readonly frame: Frame;
  readonly guide: Rectangle;
}

/** The worker's answer to each message. */
export interface HintReply {
  readonly hint: Hint | null;
  /** Whether to take the photograph now. */
  readonly isReady: boolean;
}
