import sharp from 'sharp';
import type { FaceAction, FaceFrame } from '../../domain/proofs/face/challenge.ts';
import { photographHead, type Head, type HeadPose } from './head.ts';

/** Properties of a camera. */
export interface Camera {
  /** Returns numbers from 0 to 1, for a trembling hand and sensor noise. */
  readonly random: () => number;
  readonly brightness?: number;
  readonly blur?: number;
  readonly grain?: number;
}

const straight: HeadPose = { yaw: 0, pitch: 0, roll: 0, shut: 0, gape: 0, shift: [0, 0] };

/** Head poses in the frames of an action: on the way, at the end, and on the way back. */
const poses: Readonly<Record<FaceAction, readonly Partial<HeadPose>[]>> = {
  turn_left: [{ yaw: 26 }, { yaw: 32 }, { yaw: 4 }],
  turn_right: [{ yaw: -26 }, { yaw: -32 }, { yaw: -4 }],
  look_up: [{ pitch: 8 }, { pitch: 21 }, { pitch: 2 }],
  look_down: [{ pitch: -12 }, { pitch: -22 }, { pitch: -2 }],
  open_mouth: [{ gape: 0.2 }, { gape: 1 }, { gape: 0 }],
  blink: [{ shut: 0.2 }, { shut: 1 }, { shut: 0 }],
};

const frameGapMs = 420;

/**
 * Returns frames of a person who performs the actions of a challenge: one frontal frame, then the
 * actions.
 */
export async function answerWithFace(
  head: Head,
  actions: readonly FaceAction[],
  camera: Camera,
): Promise<FaceFrame[]> {
  const sequence = [
    { action: -1, pose: {} },
    ...actions.flatMap((name, action) => poses[name].map((pose) => ({ action, pose }))),
  ];
  const frames: FaceFrame[] = [];
  for (const [index, { action, pose }] of sequence.entries()) {
    const image = await photographFace(head, pose, camera);
    const atMs = 900 + index * frameGapMs + Math.trunc(camera.random() * 60);
    frames.push({ image, atMs, action });
  }
  return frames;
}

/** Takes one frame with a trembling hand. */
export async function photographFace(
  head: Head,
  pose: Partial<HeadPose>,
  { random, brightness = 1, blur = 0, grain = 5 }: Camera,
): Promise<Uint8Array> {
  const tremble = (most: number): number => (random() - 0.5) * 2 * most;
  const full = { ...straight, ...pose };
  const { data, width, height } = photographHead(head, {
    ...full,
    yaw: full.yaw + tremble(1.5),
    pitch: full.pitch + tremble(1.5),
    roll: full.roll + tremble(1.5),
    shift: [full.shift[0] + tremble(6), full.shift[1] + tremble(6)],
  });
  const seen = sharp(data, { raw: { width, height, channels: 3 } });
  const pixels = await (blur >= 0.3 ? seen.blur(blur) : seen).raw().toBuffer();
  for (let at = 0; at < pixels.length; at += 1) {
    const value = (pixels[at] ?? 0) * brightness + (random() + random() - 1) * grain;
    pixels[at] = Math.min(255, Math.max(0, value));
  }
  const taken = sharp(pixels, { raw: { width, height, channels: 3 } });
  return new Uint8Array(await taken.jpeg({ quality: 88 }).toBuffer());
}
