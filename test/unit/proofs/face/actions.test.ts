import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomIds } from '../../../../db/ids.ts';
import { actionsOf, faceChallengeBytes } from '../../../../domain/proofs/face/actions.ts';

const challenges = fc.uint8Array({
  minLength: faceChallengeBytes,
  maxLength: faceChallengeBytes,
});
const turns = ['turn_left', 'turn_right'];
const nods = ['look_up', 'look_down'];

test('a challenge has three or four actions, with a turn and a nod among them', () => {
  fc.assert(
    fc.property(challenges, (bytes) => {
      const actions = actionsOf(bytes);
      expect([3, 4]).toContain(actions.length);
      for (const some of [turns, nods]) {
        expect(actions.some((action) => some.includes(action))).toBe(true);
      }
      expect(actions.some((action, index) => action === actions[index - 1])).toBe(false);
      expect(actionsOf(bytes)).toEqual(actions);
    }),
  );
});

test('all 328 sequences occur equally often', () => {
  const counts = new Map<string, number>();
  for (let index = 0; index < 328 * 40; index += 1) {
    const sequence = actionsOf(randomIds.bytes(faceChallengeBytes)).join();
    counts.set(sequence, (counts.get(sequence) ?? 0) + 1);
  }
  expect(counts.size).toBe(328);
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 40) ** 2 / 40, 0);
  // 327 degrees of freedom, a standard deviation of 26: exceeded less than once in 10^11 runs.
  expect(chiSquare).toBeLessThan(532);
});
