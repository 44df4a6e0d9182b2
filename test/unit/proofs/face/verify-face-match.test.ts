import { describe, expect, test } from 'vitest';
import type { FaceAction } from '../../../../domain/proofs/face/challenge.ts';
import {
  usualPolicy,
  verifyFaceMatch,
  type FaceMatchPolicy,
} from '../../../../domain/proofs/face/verify-face-match.ts';
import { judgedAt, challengeOf, unseen } from '../../../support/fixtures/faces/judge.ts';
import {
  actions,
  all,
  changed,
  judge,
  shown,
  steps,
  told,
  type Look,
  type Step,
} from '../../../support/fixtures/faces/seen.ts';

describe('a person who follows the challenge', () => {
  test('passes, with scores for similarity and liveness', () => {
    const verdict = judge();
    expect(verdict).toMatchObject({ kind: 'face-match', verdict: 'passed', reason_code: null });
    const names = ['image', 'one_face', 'quality', 'match', 'liveness'];
    expect(verdict.checks.map(({ name }) => name)).toEqual(names);
    expect(verdict.facts).toEqual({
      similarity: 1,
      similarity_min: usualPolicy.threshold,
      similarity_review_min: usualPolicy.review,
      liveness_score: 0.7,
      liveness_min: usualPolicy.bounds.realness_min,
      frames_used: 11,
      reader: 'test',
      reader_differs: false,
    });
    expect(judge()).toEqual(verdict);
  });

  test('may blink without a request', () => {
    const asked: FaceAction[] = ['turn_left', 'turn_right', 'look_up'];
    const blinking: Step[] = [
      ...steps.slice(0, 5),
      { action: 1, open: 0.05 },
      { action: 1, yaw: -25 },
      { action: 1, yaw: -1 },
      { action: 2, pitch: 18 },
    ];
    expect(told(judge(blinking, { asked }))[0]).toBe('passed');
  });
});

describe('the comparison of faces', () => {
  const near = (similarity: number): Look => ({
    face: { descriptor: Array.from({ length: 128 }, (_, at) => (at ? 0 : 1.5 - similarity)) },
  });
  test.each<[number, Partial<FaceMatchPolicy>, unknown[]]>([
    [0.5, {}, ['passed', null, undefined]],
    [0.499, {}, ['inconclusive', 'face_unsure', undefined]],
    [0.4, {}, ['inconclusive', 'face_unsure', undefined]],
    [0.399, {}, ['failed', 'face_mismatch', 'match']],
    [0.6, { threshold: 0.61 }, ['inconclusive', 'face_unsure', undefined]],
    [0.45, { threshold: 0.61, review: 0.5 }, ['failed', 'face_mismatch', 'match']],
  ])('with similarity %d under %o is %o', (similarity, policy, outcome) => {
    const verdict = judge(steps, { portrait: near(similarity), policy });
    expect(told(verdict)).toEqual(outcome);
    expect(verdict.facts['similarity']).toBeCloseTo(similarity, 3);
  });

  const at = (place: number, value: number): Partial<Step> => ({
    face: { descriptor: Array.from({ length: 128 }, (_, n) => (n === place ? value : 0)) },
  });

  test('compares every frame with the best one', () => {
    // 0.49 like the others.
    expect(judge(changed(3, at(0, -0.01))).reason_code).toBe('identity_switch');
  });

  test('compares a turned frame with its neighbor, but not along a chain of frames', () => {
    // Similarity to the best frame is 0.6, 0.2 and less; to the previous frame it is always 0.6.
    const values = [0.1, -0.3, -0.7];
    const turning = (count: number): Step[] =>
      steps.map((step, index) => {
        const value = values[index - 2];
        return value === undefined || index - 2 >= count ? step : { ...step, ...at(0, value) };
      });
    expect(told(judge(turning(2)))).toEqual(['passed', null, undefined]);
    expect(judge(turning(3)).reason_code).toBe('identity_switch');
  });

  test('compares only frontal frames with the portrait', () => {
    const besides = at(0, 0.05);
    const given = { portrait: at(0, 0.7) };
    expect(judge(changed(1, besides), given).reason_code).toBe('face_unsure');
    for (const turned of [changed(3, besides), changed(9, besides)]) {
      expect(told(judge(turned, given))).toEqual(['passed', null, undefined]);
    }
  });

  test('fails for an all-zero descriptor', () => {
    const none = at(0, 0);
    expect(judge(all(none), { portrait: none }).reason_code).toBe('identity_switch');
  });

  test('uses frontal frames only, and reports when there are none', () => {
    const turned = steps.map((step) => ({ ...step, yaw: (step.yaw ?? 0) + 60 }));
    expect(judge(turned)).toMatchObject({ reason_code: 'face_turned' });
  });
});

describe('an image', () => {
  test.each<[string, readonly Step[], Look, unknown[]]>([
    [
      'refused',
      changed(3, { image: { refused: 'over 10 MiB', face: null } }),
      {},
      ['image_refused', 'image'],
    ],
    [
      'without a face',
      changed(3, { image: { faces: 0, face: null } }),
      {},
      ['no_face', 'one_face'],
    ],
    [
      'with an uncertain face',
      changed(3, { face: { certainty: 0.4 } }),
      {},
      ['no_face', 'one_face'],
    ],
    ['with two faces', changed(3, { image: { faces: 2 } }), {}, ['multiple_faces', 'one_face']],
    [
      'of another person among the frames',
      changed(3, { who: 1 }),
      {},
      ['identity_switch', 'one_face'],
    ],
    ['too dark', all({ face: { brightness: 25 } }), {}, ['face_dark', 'quality']],
    ['too bright', all({ face: { brightness: 250 } }), {}, ['face_bright', 'quality']],
    ['too small', all({ face: { eyesApartPx: 40 } }), {}, ['face_small', 'quality']],
    ['cut off', all({ face: { isCut: true } }), {}, ['face_cropped', 'quality']],
    ['blurred', all({ face: { sharpness: 8 } }), {}, ['face_blurred', 'quality']],
  ])('%s is reported', (_, given, portrait, outcome) => {
    const verdict = judge(given, { portrait });
    const fault = verdict.checks.find(({ result }) => result === 'failed');
    expect([verdict.reason_code, fault?.name]).toEqual(outcome);
  });

  test.each<[string, Look]>([
    ['refused', { image: { refused: 'x', face: null } }],
    ['without a face', { image: { faces: 0, face: null } }],
    ['blurred', { face: { sharpness: 5 } }],
    ['too small', { face: { eyesApartPx: 30 } }],
    ['uncertain as a face', { face: { certainty: 0.4 } }],
    ['blurred and without a descriptor', { face: { sharpness: 5, descriptor: [] } }],
  ])(
    'of a portrait that is %s is inconclusive, and does not hide other failures',
    (_, portrait) => {
      const unsure = ['inconclusive', 'portrait_unusable', undefined];
      expect(told(judge(steps, { portrait }))).toEqual(unsure);
      const crowded = judge(changed(3, { image: { faces: 2 } }), { portrait });
      expect(told(crowded)).toEqual(['failed', 'multiple_faces', 'one_face']);
    },
  );

  test('of low quality does not affect the others, nor does a second face in the portrait', () => {
    const dim = changed(4, { face: { brightness: 25 } });
    expect(judge(dim, { portrait: { image: { faces: 2 } } }).verdict).toBe('passed');
  });

  test('is malformed if there is none, or if a time is missing', () => {
    expect(judge([]).reason_code).toBe('malformed');
    const { reading, frames } = shown(steps);
    const given = { challenge: challengeOf(actions), frames: frames.slice(1), repeats: unseen };
    const verdict = verifyFaceMatch({ ...usualPolicy, reader: 'test' }, given, reading, judgedAt);
    expect(verdict.reason_code).toBe('malformed');
  });
});

describe('the frames of a challenge', () => {
  const late = steps.map((step, index) => ({ ...step, atMs: 41_000 + index * 450 }));
  const still = changed(1, { shift: 7 }).map((step, index) =>
    index === 4 ? { ...step, yaw: 0, shift: 7 } : step,
  );
  test.each<[string, readonly Step[], readonly FaceAction[], string]>([
    [
      'of an action that was not requested',
      steps,
      ['turn_right', 'blink', 'turn_right', 'look_up'],
      'challenge_failed',
    ],
    ['without the last action', steps.slice(0, 9), actions, 'challenge_failed'],
    ['with one more action', [...steps, { action: 3, yaw: 25 }], actions, 'challenge_failed'],
    ['with a turn too small', changed(3, { yaw: 14 }), actions, 'challenge_failed'],
    ['with eyes half shut', changed(5, { open: 0.2 }), actions, 'challenge_failed'],
    [
      'with one eye shut',
      changed(5, { face: { eyes: { left: 0.05, right: 0.28 } } }),
      actions,
      'challenge_failed',
    ],
    [
      'in another order',
      steps,
      ['blink', 'turn_left', 'turn_right', 'look_up'],
      'challenge_failed',
    ],
    ['labeled as another action', changed(3, { action: 1 }), actions, 'challenge_failed'],
    ['with another order in their labels', changed(10, { action: 0 }), actions, 'challenge_failed'],
    ['without a straight look', steps.slice(2), actions, 'challenge_failed'],
    [
      'that begin with a turned head',
      steps.map((step) => ({ ...step, yaw: (step.yaw ?? 0) + 24 })),
      actions,
      'challenge_failed',
    ],
    ['of a slanted picture', changed(3, { yaw: 28, isFlat: true }), actions, 'face_flat'],
    ['of one picture twice', still, actions, 'frames_repeated'],
    ['backwards in time', changed(4, { atMs: 1100 }), actions, 'frames_untimely'],
    ['with two at the same moment', changed(4, { atMs: 2510 }), actions, 'frames_untimely'],
    ['after the end of the challenge', late, actions, 'frames_untimely'],
    [
      'with times in the future',
      steps.map((step, index) => ({ ...step, atMs: 36_000 + index * 500 })),
      actions,
      'frames_untimely',
    ],
    ['with a long pause', changed(10, { atMs: 25_000 }), actions, 'frames_untimely'],
    [
      'faster than a person',
      steps.map((step, index) => ({ ...step, atMs: 1000 + index * 50 })),
      actions,
      'frames_untimely',
    ],
    ['with a head that jumps', changed(7, { atMs: 4045, yaw: -40 }), actions, 'frames_untimely'],
  ])('%s fail', (_, given, asked, reason) => {
    expect(told(judge(given, { asked }))).toEqual(['failed', reason, 'liveness']);
  });

  test('that look like a copy go to review', () => {
    const verdict = judge(all({ face: { realness: 0.1 } }));
    expect(told(verdict)).toEqual(['inconclusive', 'copy_suspected', undefined]);
  });

  test.each<[string, readonly Step[], FaceAction[]]>([
    ['no action', steps.slice(0, 2), []],
    ['only two actions', steps.slice(0, 7), ['turn_left', 'blink']],
    [
      'no turn',
      [
        ...steps.slice(0, 2),
        { action: 0, pitch: 18 },
        { action: 0 },
        { action: 1, open: 0.06 },
        { action: 1 },
        { action: 2, pitch: 18 },
      ],
      ['look_up', 'blink', 'look_up'],
    ],
  ])('with %s requested are not enough for liveness', (_, given, asked) => {
    const spread = given.map((step, index) => ({ ...step, atMs: 1000 + index * 1200 }));
    expect(told(judge(spread, { asked }))).toEqual(['inconclusive', 'liveness_missing', undefined]);
  });

  test('count a trembling turn at the threshold as one turn', () => {
    const trembling: Step[] = [
      ...steps.slice(0, 3),
      { action: 0, yaw: 17 },
      { action: 0, yaw: 15 },
      { action: 0, yaw: 18 },
      { action: 0, yaw: 9 },
      { action: 0, yaw: 17 },
      { action: 0, yaw: 28 },
      { action: 0, yaw: 2 },
      { action: 1, pitch: 18 },
      { action: 2, open: 0.06 },
    ];
    const asked: FaceAction[] = ['turn_left', 'look_up', 'blink'];
    expect(told(judge(trembling, { asked }))[0]).toBe('passed');
  });
});
