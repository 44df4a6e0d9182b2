import type { ComponentChildren } from 'preact';
import type { Camera } from '../camera/use-camera.ts';
import { useWords } from './say.ts';
import { Notice } from './screen.tsx';

interface Props {
  readonly camera: Camera;
  readonly shape: 'card' | 'page' | 'face';
  /** What the picture is of, for a screen reader. */
  readonly label: string;
  readonly children?: ComponentChildren;
}

/** The picture of the camera with a frame to hold something in, or why there is none. */
export function Viewfinder({ camera, shape, label, children }: Props) {
  const { say, sayOf } = useWords();
  const { state, video, retry } = camera;
  const hasFault = state !== 'live' && state !== 'starting';
  return (
    <>
      <div class={`viewfinder ${shape}`} data-camera={state} hidden={hasFault}>
        <video ref={video} playsInline muted aria-label={label} />
        <div class="frame" aria-hidden="true" />
        {state === 'starting' && <p class="over">{say('check.camera.starting')}</p>}
        {state === 'live' && children}
      </div>
      {hasFault && (
        <div class="camera-fault" data-fault={state}>
          <Notice tone="bad">{sayOf('camera', state)}</Notice>
          <p>{sayOf('camera_next', state)}</p>
          <p class="actions">
            <button type="button" class="main" onClick={retry}>
              {say('check.again')}
            </button>
          </p>
        </div>
      )}
    </>
  );
}
