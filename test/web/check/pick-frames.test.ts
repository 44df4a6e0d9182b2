import { describe, expect, it } from 'vitest';
import { framesMax, type FaceAction } from '../../../domain/proofs/face/challenge.ts';
import { pickFrames, pickedMax } from '../../../web/check/camera/pick-frames.ts';

const gapMs = 100;

/** Frames whose brightness is how far the head has turned, in percent. */
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

describe('the frames of a film that are submitted', () => {
  it('are the sharpest straight one, and of a turn one on the way, the farthest, one back', () => {
    const picked = pickFrames(filmOf([straight, [0, turned]]), ['turn_left']);
    expect(picked.map(({ action, turn }) => [action, turn])).toEqual([
      [-1, 0],
      [0, 62],
      [0, 100],
      [0, 1],
    ]);
    expect(picked[0]?.sharpness).toBe(9);
  });

  it('are of shut eyes those in the middle of the time, and the last', () => {
    const blink = Array.from({ length: 30 }, () => 0);
    const film = filmOf([straight, [0, blink]]);
    const begun = film[3]?.atMs ?? 0;
    const picked = pickFrames(film, ['blink']).map(({ atMs }) => (atMs - begun) / gapMs);
    expect(picked.slice(1)).toEqual([12, 16, 29]);
  });

  it('are in order, apart, and no more than the service takes', () => {
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

  it('are none of an empty film, and those there are of a short one', () => {
    expect(pickFrames([], ['turn_left'])).toEqual([]);
    expect(pickFrames(filmOf([straight]), ['turn_left', 'blink'])).toHaveLength(1);
    expect(pickFrames(filmOf([straight, [0, [100]]]), ['turn_left'])).toHaveLength(2);
  });
});
