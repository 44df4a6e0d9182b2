import { useEffect, useRef, useState } from 'preact/hooks';
import type { CaptureSignal } from '../../../domain/names.ts';
import { tellHost } from '../session/host.ts';
import { faultBeforeRequest, faultOf, type CameraFault } from './faults.ts';
import { watchSignals } from './signals.ts';

export type Facing = 'environment' | 'user';

export interface Camera {
  readonly state: 'starting' | 'live' | CameraFault;
  readonly video: preact.RefObject<HTMLVideoElement | null>;
  /** Requests the camera again after a fault. */
  readonly retry: () => void;
  /** Signals noticed since the camera became live. */
  readonly signals: () => CaptureSignal[];
}

/** Documents have fine print and need a higher resolution than faces. */
const sizes = {
  environment: { width: { ideal: 1920 }, height: { ideal: 1080 } },
  user: { width: { ideal: 1280 }, height: { ideal: 720 } },
} as const;

/**
 * Opens the camera of a step with one `getUserMedia` call and ends its tracks when the step
 * unmounts. Other devices are never listed: in some browsers, that loses the camera.
 */
export function useCamera(facing: Facing): Camera {
  const [state, setState] = useState<Camera['state']>('starting');
  const [attempt, setAttempt] = useState(0);
  const video = useRef<HTMLVideoElement>(null);
  const signals = useRef<Camera['signals']>(() => []);
  useEffect(() => {
    let isLeft = false;
    let stream: MediaStream | null = null;
    const begin = async (): Promise<void> => {
      const fault = faultBeforeRequest();
      if (fault) return setState(fault);
      setState('starting');
      try {
        const constraints = { video: { facingMode: facing, ...sizes[facing] }, audio: false };
        stream = await navigator.mediaDevices.getUserMedia(constraints);
      } catch (error) {
        return isLeft ? undefined : setState(faultOf(error));
      }
      if (isLeft) return endTracks(stream);
      // The track ends when the camera is unplugged or the system takes it.
      stream.getVideoTracks()[0]?.addEventListener('ended', () => isLeft || setState('busy'));
      await play(video.current, stream);
      if (isLeft) return;
      if (video.current) signals.current = watchSignals(video.current, stream);
      setState('live');
    };
    void begin();
    return () => {
      isLeft = true;
      if (stream) endTracks(stream);
    };
  }, [facing, attempt]);
  useEffect(() => tellHost({ type: 'camera_state', state }), [state]);
  const retry = (): void => setAttempt((count) => count + 1);
  return { state, video, retry, signals: () => signals.current() };
}

/** Safari plays a video inline only while it is muted, as an attribute and as a property. */
async function play(video: HTMLVideoElement | null, stream: MediaStream): Promise<void> {
  if (!video) return;
  video.muted = true;
  video.setAttribute('muted', '');
  video.srcObject = stream;
  await video.play().catch(() => undefined);
}

function endTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
