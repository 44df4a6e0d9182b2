import { describe, expect, it } from 'vitest';
import { framesMax, type FaceAction } from '../../../domain/proofs/face/challenge.ts';
import { pickFrames, pickedMax } from '../../../web/check/camera/pick-frames.ts';

const gapMs = 100;

/** Makes frames with the turn of the head in percent as their brightness. */
function filmOf(parts: readonly (readonly [action: number, turns: readonly number[]])[]) {
  const moments = parts.flatMap(([action, turns]) => turns.map((turn) => ({ action, turn })));
  return moments.map(({ action, turn }, index) => ({
    action,
    turn,
    atMs: 900 + index * gapMs,
    small: new Uint8Array(32 * 24).fill(50 + turn),
    sharpness: action === -1 && index === 1 ? 9 : 1,
  }));
}

const straight = [-1, [0, 0, 0]] as const;
const turned = [0, 10, 45, 62, 80, 100, 98, 60, 20, 3, 1];

describe('pickFrames', () => {
  it('picks the sharpest straight frame, and three of a turn: going, farthest, returning', () => {
    const picked = pickFrames(filmOf([straight, [0, turned]]), ['turn_left']);
    expect(picked.map(({ action, turn }) => [action, turn])).toEqual([
      [-1, 0],
      [0, 62],
      [0, 100],
      [0, 1],
    ]);
    expect(picked[0]?.sharpness).toBe(9);
  });

  it('picks the last frame and two from the middle of the film for a blink', () => {
    const blink = Array.from({ length: 30 }, () => 0);
    const film = filmOf([straight, [0, blink]]);
    const begun = film[3]?.atMs ?? 0;
    const picked = pickFrames(film, ['blink']).map(({ atMs }) => (atMs - begun) / gapMs);
    expect(picked.slice(1)).toEqual([12, 16, 29]);
  });

  it('picks frames in order, 60 ms apart, and at most as many as the service accepts', () => {
    const actions: FaceAction[] = ['turn_left', 'look_up', 'blink', 'turn_right'];
    const film = filmOf([straight, ...actions.map((_, index) => [index, turned] as const)]);
    const picked = pickFrames(film, actions);
    expect(picked.length).toBe(13);
    expect(pickedMax).toBe(framesMax);
    for (const [index, { atMs, action }] of picked.entries()) {
      const before = picked[index - 1];
      if (!before) continue;
      expect(atMs - before.atMs).toBeGreaterThanOrEqual(60);
      expect(action).toBeGreaterThanOrEqual(before.action);
    }
  });

  it('picks none of an empty film, and the available frames of a short one', () => {
    expect(pickFrames([], ['turn_left'])).toEqual([]);
    expect(pickFrames(filmOf([straight]), ['turn_left', 'blink'])).toHaveLength(1);
    expect(pickFrames(filmOf([straight, [0, [100]]]), ['turn_left'])).toHaveLength(2);
  });
});
