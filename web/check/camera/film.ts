import type { FilmFrame } from './pick-frames.ts';
import { encode } from './picture.ts';

const widthPx = 640;
const small = { width: 32, height: 24 } as const;
const gapMs = 100;

/** The track of the camera ended, or the browser cannot encode a frame. */
export type FilmFault = 'camera_ended' | 'no_picture';

export interface Film {
  /** Frames recorded so far. */
  readonly frames: readonly FilmFrame[];
  /** Sets the action to which the following frames belong. */
  mark(action: number): void;
  stop(): void;
  /** Resolves to the reason when filming ends by itself; to null after `stop`. */
  readonly ended: Promise<FilmFault | null>;
}

/**
 * Films the camera picture at ten frames per second, or fewer on a slow device.
 * @param beganMs `performance.now()` when the challenge arrived
 */
export function film(video: HTMLVideoElement, beganMs: number): Film {
  const frames: FilmFrame[] = [];
  const [large, tiny] = [document.createElement('canvas'), document.createElement('canvas')];
  large.width = widthPx;
  large.height = Math.round((widthPx * video.videoHeight) / video.videoWidth) || 480;
  Object.assign(tiny, small);
  const filming = { action: -1, isOver: false };
  const take = async (): Promise<void> => {
    const atMs = Math.round(performance.now() - beganMs);
    const { action } = filming;
    // The preview is mirrored by style; the frames are not, since left and right are judged.
    large.getContext('2d')?.drawImage(video, 0, 0, large.width, large.height);
    const context = tiny.getContext('2d', { willReadFrequently: true });
    context?.drawImage(large, 0, 0, small.width, small.height);
    const grey = greyOf(context?.getImageData(0, 0, small.width, small.height));
    const image = await encode(large, 0.88);
    if (filming.isOver) return;
    frames.push({ image, atMs, action, small: grey, sharpness: detailOf(grey) });
  };
  const run = async (): Promise<FilmFault | null> => {
    while (!filming.isOver) {
      if (!isCameraLive(video)) return 'camera_ended';
      const beganTake = performance.now();
      await take();
      const restMs = Math.max(0, gapMs - (performance.now() - beganTake));
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    return null;
  };
  return {
    frames,
    ended: run().catch(() => 'no_picture'),
    mark: (action) => void (filming.action = action),
    stop: () => void (filming.isOver = true),
  };
}

/** A video element keeps displaying the last frame of a camera that has ended. */
const isCameraLive = ({ srcObject }: HTMLVideoElement): boolean =>
  srcObject instanceof MediaStream && srcObject.active;

function greyOf(image: ImageData | undefined): Uint8Array {
  const grey = new Uint8Array(small.width * small.height);
  if (!image) return grey;
  for (let at = 0; at < grey.length; at += 1) {
    const [red = 0, green = 0, blue = 0] = image.data.subarray(at * 4, at * 4 + 3);
    grey[at] = (red * 299 + green * 587 + blue * 114) / 1000;
  }
  return grey;
}

function detailOf(grey: Uint8Array): number {
  let sum = 0;
  for (let at = 1; at < grey.length; at += 1)
    sum += Math.abs((grey[at] ?? 0) - (grey[at - 1] ?? 0));
  return sum / grey.length;
}
