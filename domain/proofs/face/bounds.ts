import { z } from 'zod';

const bound = (first: number) => z.number().min(-1_000_000).max(1_000_000).default(first);

/** More than any face does. */
const never = 1_000;

/**
 * Every number a face is judged by, as it stands in an evidence file. What a file does not say is
 * as it was first, so that a verdict of long ago comes out as it did: a bound added later begins
 * with a number by which nothing changes. What is usual now is in `usualBounds`; see docs/faces.md.
 */
export const faceBounds = z.strictObject({
  /** Of two frames of one person, the head turned or not. */
  same_similarity_min: bound(0.5),
  /**
   * A face turned far is less like one from the front than like one on its way there: from 1 on
   * it may be known by the frame before or after it, if that is known by the best one.
   */
  same_links_max: bound(0),
  /** Frames turned further are not held against the portrait, but against the other frames. */
  compared_yaw_max: bound(never),
  compared_pitch_max: bound(never),
  certainty_min: bound(0.5),
  portrait_eyes_apart_px_min: bound(36),
  frame_eyes_apart_px_min: bound(45),
  brightness_min: bound(40),
  brightness_max: bound(235),
  portrait_sharpness_min: bound(9),
  frame_sharpness_min: bound(12),
  /** So many of the best frames are compared. */
  best_max: bound(3),
  /** Of a head held straight: the forehead lies behind the chin. */
  usual_pitch: bound(-8),
  facing_yaw_max: bound(15),
  facing_pitch_max: bound(25),
  facing_roll_max: bound(30),
  gap_ms_min: bound(40),
  gap_ms_max: bound(15_000),
  /** Nobody turns the head twice in less. */
  span_ms_min: bound(1_000),
  /** Clocks of phones and of servers differ by less. */
  skew_ms_max: bound(5_000),
  /** A head turns no faster, in degrees a second. */
  turn_speed_max: bound(500),
  /** Phones are held a little aside. */
  straight_yaw_max: bound(20),
  /** Of 256: encoding one picture twice changes fewer. */
  prints_apart_min: bound(10),
  /** Half a millimetre: nobody holds a phone and a head so still. */
  shift_min: bound(0.008),
  parallax_min: bound(0.12),
  /** A bent print reaches more than `parallax_min`: below this a person looks. */
  parallax_sure: bound(0.18),
  realness_min: bound(0.25),
  /** Fewer, or none that turns, is a clip that anybody has at hand. */
  actions_min: bound(3),
  /** From here on it is done, from there on it is over: a tremble between is one motion. */
  turn_on: bound(16),
  turn_off: bound(8),
  up_on: bound(10),
  up_off: bound(5),
  /** Eyes and chin are judged where the head is not turned as well. */
  up_yaw_max: bound(14),
  blink_on: bound(0.4),
  blink_off: bound(0.25),
  blink_aside_max: bound(12),
  /** What nobody was asked for at first was not looked for. */
  down_on: bound(never),
  down_off: bound(never),
  /** More open than when looking straight, in distances between the eyes. */
  mouth_on: bound(never),
  mouth_off: bound(never),
  mouth_aside_max: bound(14),
  /** A nose that moves less beside its column than in any turned head: a person looks. */
  relief_sure: bound(-never),
  /** Frames nearly as in one other session: fewer may be chance. */
  near_repeats_min: bound(3),
});

export type FaceBounds = Readonly<z.output<typeof faceBounds>>;

/** Of files that say none. */
export const firstBounds: FaceBounds = faceBounds.parse({});

/** What a live check is judged by. */
export const usualBounds: FaceBounds = {
  ...firstBounds,
  same_links_max: 1,
  compared_yaw_max: 20,
  compared_pitch_max: 15,
  down_on: 10,
  down_off: 5,
  mouth_on: 0.15,
  mouth_off: 0.08,
  // The pixels tell a bent print better than the points that a network sees in it.
  parallax_sure: 0.12,
  relief_sure: 0.03,
};
