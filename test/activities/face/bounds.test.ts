import { expect, test } from 'vitest';
import { readEvidenceFile, EvidenceFileError } from '../../../domain/evidence/file.ts';
import { faceBounds, firstBounds, usualBounds } from '../../../domain/proofs/face/bounds.ts';
import { verifyFaceMatch } from '../../../domain/proofs/face/verify-face-match.ts';
import { challengeOf, judgedAt } from '../../faces/judge.ts';
import { actions, shown, steps, type Step } from './seen.ts';

const fileWith = (bounds: unknown) =>
  Buffer.from(
    JSON.stringify({
      format: 'trustcheck-evidence/1',
      kind: 'face-match',
      at: judgedAt.toISOString(),
      policy: { bounds },
      input: { portrait: 'AA==', frames: [] },
    }),
  );
const judge = (policy: Parameters<typeof verifyFaceMatch>[0], given: readonly Step[] = steps) => {
  const { reading, frames } = shown(given);
  return verifyFaceMatch(policy, { challenge: challengeOf(actions), frames }, reading, judgedAt);
};

test('a file that says no bounds is judged by those of its time', () => {
  // What is written here is never changed: verdicts stand by it.
  expect(firstBounds).toEqual({
    same_similarity_min: 0.5,
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
    parallax_sure: 0.18,
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
    // Added later, by numbers that nothing reaches.
    down_on: 1_000,
    down_off: 1_000,
    mouth_on: 1_000,
    mouth_off: 1_000,
    mouth_aside_max: 14,
    relief_sure: -1_000,
    near_repeats_min: 3,
    same_links_max: 0,
    compared_yaw_max: 1_000,
    compared_pitch_max: 1_000,
  });
  expect(judge({})).toEqual(judge({ bounds: firstBounds }));
});

test('each bound is that of the file, whatever is usual here', () => {
  for (const name of Object.keys(usualBounds) as (keyof typeof usualBounds)[]) {
    const other = { [name]: usualBounds[name] + 1 };
    const { policy } = readEvidenceFile(fileWith(other)) as { policy: unknown };
    expect(policy, name).toEqual({ bounds: { ...firstBounds, ...other } });
  }
});

test('a verdict is by the bounds of its file', () => {
  const wider = judge({ bounds: { ...usualBounds, turn_on: 29 } });
  expect([wider.verdict, wider.reason_code]).toEqual(['failed', 'challenge_failed']);
  expect(judge({ bounds: usualBounds }).verdict).toBe('passed');
});

test.each([
  ['of another build', { ...usualBounds, ears_min: 2 }],
  ['that are no numbers', { turn_on: '16' }],
  ['beyond all sense', { turn_on: 1e9 }],
  ['that are a list', [16]],
])('bounds %s are refused', (_, bounds) => {
  expect(() => readEvidenceFile(fileWith(bounds))).toThrow(EvidenceFileError);
});

test('the reading of another reader than that of the file is said to be one', () => {
  const told = (reader?: string) => judge({ bounds: usualBounds, reader }).facts['reader_differs'];
  expect([told(), told('test'), told('face-reader/0')]).toEqual([null, false, true]);
  expect(faceBounds.parse({})).toEqual(firstBounds);
});
