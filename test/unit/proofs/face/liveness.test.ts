import { describe, expect, test } from 'vitest';
import type { FaceAction } from '../../../../domain/proofs/face/challenge.ts';
import { changed, judge, steps, told, type Step } from '../../../support/fixtures/faces/seen.ts';

describe('an answer to a challenge', () => {
  test.each<[string, readonly Step[]]>([
    ['in which the nose does not move', changed(3, { relief: 0.06 })],
    ['in which the nose moves the wrong way', changed(3, { relief: -0.2 })],
    ['in which the nose is lost', changed(3, { relief: null })],
    ['after a first frame of another action', changed(0, { action: 0 })],
  ])('with a turn %s, as of a bent print, goes to review', (_, given) => {
    const verdict = judge(given);
    expect(told(verdict)).toEqual(['inconclusive', 'copy_suspected', undefined]);
    expect(verdict.checks.at(-1)?.detail).toBe('little depth: turn_left');
  });

  test('passes with one frame of a turn in which the nose moves', () => {
    const given = changed(3, { relief: null });
    expect(judge(given.with(2, { action: 0, yaw: 22 })).verdict).toBe('passed');
  });

  test.each([
    [{ same: 0, near: 2 }, ['passed', null, undefined]],
    [{ same: 0, near: 3 }, ['inconclusive', 'frames_repeated', undefined]],
    [{ same: 1, near: 0 }, ['failed', 'frames_repeated', 'liveness']],
  ])('with %o frames seen before is %o', (repeats, outcome) => {
    expect(told(judge(steps, { repeats }))).toEqual(outcome);
  });

  test('passes with nods and an open mouth, and fails with an unrequested action', () => {
    const asked: FaceAction[] = ['look_down', 'turn_left', 'open_mouth'];
    const given: Step[] = [
      { action: -1 },
      { action: -1 },
      { action: 0, pitch: -15 },
      { action: 0, mouth: 0.3 },
      { action: 1, yaw: 28 },
      { action: 1, yaw: 2 },
      { action: 2, mouth: 0.3 },
      { action: 2 },
    ];
    expect(told(judge(given, { asked }))[0]).toBe('passed');
    const shut = given.with(6, { action: 2, mouth: 0.1 });
    expect(judge(shut, { asked }).reason_code).toBe('challenge_failed');
    const raised = given.with(2, { action: 0, pitch: -8 });
    expect(judge(raised, { asked }).reason_code).toBe('challenge_failed');
    const unasked = given.with(1, { action: -1 }).toSpliced(6, 0, { action: 1, pitch: -15 });
    expect(judge(unasked, { asked }).reason_code).toBe('challenge_failed');
  });
});
