import type { CaptureSignal } from '../../../domain/names.ts';
import { watchRepeats } from './repeats.ts';
import { isVirtualCamera } from './virtual-cameras.ts';

const [width, height] = [64, 48];
const gapMs = 250;

/** Signs of automation in the browser, which need no camera. */
export const signalsOfBrowser = (): CaptureSignal[] => (navigator.webdriver ? ['automated'] : []);

/**
 * Watches for a virtual camera or automation until the camera ends. The label of a camera can
 * contain the name of a person, so it never leaves the page.
 * @returns a function that returns the signals noticed so far
 */
export function watchSignals(video: HTMLVideoElement, stream: MediaStream): () => CaptureSignal[] {
  const noticed = new Set(signalsOfBrowser());
  const [track] = stream.getVideoTracks();
  if (track && isVirtualCamera(track.label)) noticed.add('virtual_camera');
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const isRepeated = watchRepeats();
  let last = 0;
  const timer = setInterval(() => {
    if (!context || track?.readyState !== 'live') return clearInterval(timer);
    // A stalled camera delivers no new picture, so it does not count as repeating one.
    const count = video.getVideoPlaybackQuality().totalVideoFrames;
    if (count <= last) return;
    last = count;
    context.drawImage(video, 0, 0, width, height);
    if (isRepeated(context.getImageData(0, 0, width, height).data)) noticed.add('repeated_frames');
  }, gapMs);
  return () => [...noticed];
}
