import { useEffect, useRef, useState } from 'preact/hooks';
import { guideIn, type DocumentShape } from '../../capture/guide.ts';
import type { Hint, HintReply, HintRequest } from '../../capture/hints.ts';
import type { Camera } from './use-camera.ts';

const frameWidth = 320;
const frameMs = 66;
/** A hint of fewer frames would flicker, and a screen reader would read it out too late. */
const sameFramesMin = 4;
/** The person turns the document, or takes it away, before the next picture. */
const turnMs = 1_500;

interface Watched {
  readonly shape: DocumentShape;
  /** False while the person looks at a picture that was taken. */
  readonly isOn: boolean;
}

/**
 * Watches the camera and returns what the person can do better, or null. Calls `onReady` when the
 * photograph is to be taken. Without a worker there are no hints: the button takes the photograph.
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

/** Sends one frame after the other to the worker; returns what ends that. */
function watch(
  video: HTMLVideoElement,
  shape: DocumentShape,
  onReply: (reply: HintReply) => void,
): () => void {
  // In one expression, by which the build finds the sources of the worker.
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

/** The picture of now, 320 pixels wide; null while the video has none. */
function frameOf(
  video: HTMLVideoElement,
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
): ImageData | null {
  const { videoWidth, videoHeight } = video;
  if (videoWidth === 0) return null;
  const height = Math.round((frameWidth * videoHeight) / videoWidth);
  // A canvas whose size is set is cleared, and loses its settings.
  if (canvas.height !== height) Object.assign(canvas, { width: frameWidth, height });
  context.imageSmoothingQuality = 'high';
  context.drawImage(video, 0, 0, frameWidth, height);
  return context.getImageData(0, 0, frameWidth, height);
}

/** Passes on a hint that several frames in a row agree on. */
function createSteady(pass: (hint: Hint | null) => void): (hint: Hint | null) => void {
  let last: Hint | null = null;
  let count = 0;
  return (hint) => {
    count = hint === last ? count + 1 : 1;
    last = hint;
    if (count === sameFramesMin) pass(hint);
  };
}
