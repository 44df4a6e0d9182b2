import { z } from 'zod';

const bound = z.number().min(-1_000_000).max(1_000_000);

/** All numbers that judge a face, in the form of an evidence file; see docs/protocols/faces.md. */
export const faceBounds = z.strictObject({
  /** Minimum between two frames of one person, with the head turned or straight. */
  same_similarity_min: bound,
  /**
   * A face turned far differs more from the frontal one than from one halfway. From 1 on, a frame
   * may instead match the frame before or after it, if that one matches the best frame.
   */
  same_links_max: bound,
  /** Frames turned further are not compared with the portrait, but with the other frames. */
  compared_yaw_max: bound,
  compared_pitch_max: bound,
  certainty_min: bound,
  portrait_eyes_apart_px_min: bound,
  frame_eyes_apart_px_min: bound,
  brightness_min: bound,
  brightness_max: bound,
  portrait_sharpness_min: bound,
  frame_sharpness_min: bound,
  /** Number of best frames to compare. */
  best_max: bound,
  /** Pitch of a straight head: the forehead is behind the chin. */
  usual_pitch: bound,
  facing_yaw_max: bound,
  facing_pitch_max: bound,
  facing_roll_max: bound,
  gap_ms_min: bound,
  gap_ms_max: bound,
  /** Minimum time for two turns of a head. */
  span_ms_min: bound,
  /** Maximum difference between the clocks of phone and server. */
  skew_ms_max: bound,
  /** Maximum speed of a turning head, in degrees per second. */
  turn_speed_max: bound,
  /** Phones are held slightly to the side. */
  straight_yaw_max: bound,
  /** Of 256: encoding one picture twice changes fewer bits. */
  prints_apart_min: bound,
  /** Half a millimeter: phone and head always move more than this. */
  shift_min: bound,
  parallax_min: bound,
  /** A bent print reaches more than `parallax_min`. Below this, a reviewer decides. */
  parallax_sure: bound,
  realness_min: bound,
  /** A clip with fewer actions, or without a turn, is easy to obtain. */
  actions_min: bound,
  /** Starts a motion above `_on` and ends it below `_off`, so that a tremor is one motion. */
  turn_on: bound,
  turn_off: bound,
  up_on: bound,
  up_off: bound,
  /** Eyes and chin are judged only if the head is turned less than this. */
  up_yaw_max: bound,
  blink_on: bound,
  blink_off: bound,
  blink_aside_max: bound,
  down_on: bound,
  down_off: bound,
  /** How much wider than when looking straight, in distances between the eyes. */
  mouth_on: bound,
  mouth_off: bound,
  mouth_aside_max: bound,
  /**
   * Below this, the nose moves less relative to its column than in a turned head: a reviewer
   * decides.
   */
  relief_sure: bound,
  /** Frames that resemble those of one other session: fewer may be chance. */
  near_repeats_min: bound,
});

export type FaceBounds = Readonly<z.output<typeof faceBounds>>;

/** The bounds of a live check. */
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
  // Pixels reveal a bent print better than the face points of a network.
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
