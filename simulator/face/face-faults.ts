import sharp, { type Sharp } from 'sharp';
import type { FaceFrame } from '../../domain/proofs/face/challenge.ts';
import type { PhoneFailure } from '../failures/failures.ts';

const quality = 88;
const jpegOf = async (image: Sharp): Promise<Uint8Array> =>
  new Uint8Array(await image.jpeg({ quality }).toBuffer());

/** Applies a camera failure to frames. Other failures leave them unchanged. */
export async function framesWith(
  fail: PhoneFailure | undefined,
  frames: readonly FaceFrame[],
  beside: () => Promise<Uint8Array>,
): Promise<FaceFrame[]> {
  switch (fail) {
    case 'face_hurried':
      return frames.map((frame) => ({ ...frame, atMs: Math.trunc(frame.atMs / hurry) }));
    case 'face_repeated': {
      const [first] = frames;
      return frames.map((frame, index) =>
        index === 1 && first ? { ...frame, image: first.image } : frame,
      );
    }
    default: {
      const other = fail === 'two_faces' ? await beside() : undefined;
      const retaken = frames.map(async (frame) => {
        const seen = await seenWith(fail, sharp(frame.image), other);
        return seen ? { ...frame, image: await jpegOf(seen) } : frame;
      });
      return Promise.all(retaken);
    }
  }
}

const cameraFaults: ReadonlySet<PhoneFailure | undefined> = new Set<PhoneFailure>([
  'face_blurred',
  'face_bright',
  'face_cropped',
  'face_dark',
  'face_small',
]);

/** Returns true if the failure is one of the camera. */
export const isOfCamera = (fail: PhoneFailure | undefined): boolean => cameraFaults.has(fail);

/** Frames are then closer together than any camera takes them. */
const hurry = 20;
const smallShare = 0.3;

async function seenWith(
  fail: PhoneFailure | undefined,
  frame: Sharp,
  other: Uint8Array | undefined,
): Promise<Sharp | null> {
  const { width, height } = await frame.metadata();
  switch (fail) {
    case 'face_blurred':
      return frame.blur(13);
    case 'face_bright':
      return frame.linear(0.35, 185);
    case 'face_cropped':
      return frame.extract({ left: 0, top: 0, width: Math.trunc(width * 0.66), height });
    case 'face_dark':
      return frame.linear(0.22, 0);
    case 'face_small':
      return frame.resize(Math.trunc(width * smallShare)).extend({
        top: 100,
        bottom: 100,
        left: 100,
        right: 100,
        background: '#80858a',
      });
    case 'nobody':
      return sharp({ create: { width, height, channels: 3, background: '#80858a' } });
    case 'two_faces': {
      const face = await sharp(other).resize({ height }).toBuffer({ resolveWithObject: true });
      const right = face.info.width;
      const wide = frame.extend({ top: 0, bottom: 0, left: 0, right, background: '#80858a' });
      return wide.composite([{ input: face.data, left: width, top: 0 }]);
    }
    default:
      return null;
  }
}
