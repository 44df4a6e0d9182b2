import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actionsOf, faceChallengeBytes } from '../../../activities/face/actions.ts';
import { randomIds } from '../../../db/ids.ts';

const challenge = fc.uint8Array({ minLength: faceChallengeBytes, maxLength: faceChallengeBytes });

test('a challenge always asks for the same three actions, with a turn, none twice in a row', () => {
  fc.assert(
    fc.property(challenge, (bytes) => {
      const actions = actionsOf(bytes);
      expect(actions).toHaveLength(3);
      expect(actions.some((action) => action.startsWith('turn_'))).toBe(true);
      expect(actions.some((action, index) => action === actions[index - 1])).toBe(false);
      expect(actionsOf(bytes)).toEqual(actions);
    }),
  );
});

test('all 34 sequences come about, as often as each other', () => {
  const counts = new Map<string, number>();
  for (let index = 0; index < 34 * 400; index += 1) {
    const sequence = actionsOf(randomIds.bytes(faceChallengeBytes)).join();
    counts.set(sequence, (counts.get(sequence) ?? 0) + 1);
  }
  expect(counts.size).toBe(34);
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 400) ** 2 / 400, 0);
  // 33 degrees of freedom: above it less than once in 10^11 runs.
  expect(chiSquare).toBeLessThan(125);
});
