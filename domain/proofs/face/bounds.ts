import { z } from 'zod';

const bound = z.number().min(-1_000_000).max(1_000_000);

/** Every number a face is judged by, as it stands in an evidence file; see docs/protocols/faces.md. */
export const faceBounds = z.strictObject({
  /** Of two frames of one person, the head turned or not. */
  same_similarity_min: bound,
  /**
   * A face turned far is less like one from the front than like one on its way there: from 1 on
   * it may be known by the frame before or after it, if that is known by the best one.
   */
  same_links_max: bound,
  /** Frames turned further are not held against the portrait, but against the other frames. */
  compared_yaw_max: bound,
  compared_pitch_max: bound,
  certainty_min: bound,
  portrait_eyes_apart_px_min: bound,
  frame_eyes_apart_px_min: bound,
  brightness_min: bound,
  brightness_max: bound,
  portrait_sharpness_min: bound,
  frame_sharpness_min: bound,
  /** So many of the best frames are compared. */
  best_max: bound,
  /** Of a head held straight: the forehead lies behind the chin. */
  usual_pitch: bound,
  facing_yaw_max: bound,
  facing_pitch_max: bound,
  facing_roll_max: bound,
  gap_ms_min: bound,
  gap_ms_max: bound,
  /** Nobody turns the head twice in less. */
  span_ms_min: bound,
  /** Clocks of phones and of servers differ by less. */
  skew_ms_max: bound,
  /** A head turns no faster, in degrees a second. */
  turn_speed_max: bound,
  /** Phones are held a little aside. */
  straight_yaw_max: bound,
  /** Of 256: encoding one picture twice changes fewer. */
  prints_apart_min: bound,
  /** Half a millimetre: nobody holds a phone and a head so still. */
  shift_min: bound,
  parallax_min: bound,
  /** A bent print reaches more than `parallax_min`: below this a person looks. */
  parallax_sure: bound,
  realness_min: bound,
  /** Fewer, or none that turns, is a clip that anybody has at hand. */
  actions_min: bound,
  /** From here on it is done, from there on it is over: a tremble between is one motion. */
  turn_on: bound,
  turn_off: bound,
  up_on: bound,
  up_off: bound,
  /** Eyes and chin are judged where the head is not turned as well. */
  up_yaw_max: bound,
  blink_on: bound,
  blink_off: bound,
  blink_aside_max: bound,
  down_on: bound,
  down_off: bound,
  /** More open than when looking straight, in distances between the eyes. */
  mouth_on: bound,
  mouth_off: bound,
  mouth_aside_max: bound,
  /** A nose that moves less beside its column than in any turned head: a person looks. */
  relief_sure: bound,
  /** Frames nearly as in one other session: fewer may be chance. */
  near_repeats_min: bound,
});

export type FaceBounds = Readonly<z.output<typeof faceBounds>>;

/** What a live check is judged by. */
export const usualBounds: FaceBounds = {
  same_similarity_min: 0.5,
  same_links_max: 1,
  compared_yaw_max: 20,
  compared_pitch_max: 15,
  certainty_min: 0.5,
  portrait_eyes_apart_px_min: 36,
  frame_eyes_apart_px_min: 45,
  brightness_min: 40,
  brightness_max: 235,
  portrait_sharpness_min: 9,
  frame_sharpness_min: 12,
  best_max: 3,
  usual_pitch: -8,
  facing_yaw_max: 15,
  facing_pitch_max: 25,
  facing_roll_max: 30,
  gap_ms_min: 40,
  gap_ms_max: 15_000,
  span_ms_min: 1_000,
  skew_ms_max: 5_000,
  turn_speed_max: 500,
  straight_yaw_max: 20,
  prints_apart_min: 10,
  shift_min: 0.008,
  parallax_min: 0.12,
  // The pixels tell a bent print better than the points that a network sees in it.
  parallax_sure: 0.12,
  realness_min: 0.25,
  actions_min: 3,
  turn_on: 16,
  turn_off: 8,
  up_on: 10,
  up_off: 5,
  up_yaw_max: 14,
  blink_on: 0.4,
  blink_off: 0.25,
  blink_aside_max: 12,
  down_on: 10,
  down_off: 5,
  mouth_on: 0.15,
  mouth_off: 0.08,
  mouth_aside_max: 14,
  relief_sure: 0.03,
  near_repeats_min: 3,
};
