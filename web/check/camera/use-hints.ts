import { useEffect, useRef, useState } from 'preact/hooks';
import { guideIn, type DocumentShape } from '../../capture/guide.ts';
import type { Hint, HintReply, HintRequest } from '../../capture/hints.ts';
import type { Camera } from './use-camera.ts';

const frameWidth = 320;
const frameMs = 66;
/**
 * Consecutive frames that must agree on a hint. With fewer, hints would flicker, and a screen
 * reader would read them too late.
 */
const sameFramesMin = 4;
/** Time for the person to turn the document or to take it away before the next picture. */
const turnMs = 1_500;

interface Watched {
  readonly shape: DocumentShape;
  /** False while the person reviews a picture. */
  readonly isOn: boolean;
}

/**
 * Watches the camera and returns a hint for the person, or null. Calls `onReady` when the
 * photograph should be taken. Without a worker there are no hints, and the button takes the
 * photograph.
 */
export function useHints(
  camera: Camera,
  { shape, isOn }: Watched,
  onReady: () => void,
): Hint | null {
  const [hint, setHint] = useState<Hint | null>(null);
  const ready = useRef(onReady);
  ready.current = onReady;
  const isWatched = isOn && camera.state === 'live';
  useEffect(() => {
    const video = camera.video.current;
    if (!isWatched || !video) return undefined;
    setHint(null);
    const steady = createSteady(setHint);
    const earliest = performance.now() + turnMs;
    try {
      return watch(video, shape, (reply) => {
        steady(reply.hint);
        if (reply.isReady && performance.now() >= earliest) ready.current();
      });
    } catch {
      return undefined;
    }
  }, [isWatched, shape, camera.video]);
  return hint;
}

/** Sends frames to the worker one after the other. Returns a function that stops this. */
function watch(
  video: HTMLVideoElement,
  shape: DocumentShape,
  onReply: (reply: HintReply) => void,
): () => void {
  // One expression, because the build recognizes worker sources by this form.
  const worker = new Worker(new URL('../../capture/hints-worker.ts', import.meta.url), {
    type: 'module',
  });
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = (): void => {
    const frame = context && frameOf(video, canvas, context);
    if (!frame) return void (timer = setTimeout(send, frameMs));
    const guide = guideIn(frame.width, frame.height, shape);
    worker.postMessage({ frame, guide } satisfies HintRequest, [frame.data.buffer]);
  };
  worker.addEventListener('message', ({ data }: MessageEvent<HintReply>) => {
    onReply(data);
    timer = setTimeout(send, frameMs);
  });
  send();
  return () => {
    clearTimeout(timer);
    worker.terminate();
  };
}

/** Returns the current picture, 320 pixels wide; null if the video has none yet. */
function frameOf(
  video: HTMLVideoElement,
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
): ImageData | null {
  const { videoWidth, videoHeight } = video;
  if (videoWidth === 0) return null;
  const height = Math.round((frameWidth * videoHeight) / videoWidth);
  // Setting the size of a canvas clears it and resets its settings.
  if (canvas.height !== height) Object.assign(canvas, { width: frameWidth, height });
  context.imageSmoothingQuality = 'high';
  context.drawImage(video, 0, 0, frameWidth, height);
  return context.getImageData(0, 0, frameWidth, height);
}

/** Passes on a hint only after several consecutive frames agree on it. */
function createSteady(pass: (hint: Hint | null) => void): (hint: Hint | null) => void {
  let last: Hint | null = null;
  let count = 0;
  return (hint) => {
    count = hint === last ? count + 1 : 1;
    last = hint;
    if (count === sameFramesMin) pass(hint);
  };
}
