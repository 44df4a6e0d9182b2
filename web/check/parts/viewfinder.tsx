import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { guideIn, type DocumentShape } from '../../capture/guide.ts';
import type { Camera } from '../camera/use-camera.ts';
import { useWords } from './say.ts';
import { Notice } from './screen.tsx';

interface Props {
  readonly camera: Camera;
  readonly shape: DocumentShape | 'face';
  /** Describes the picture for screen readers. */
  readonly label: string;
  readonly children?: ComponentChildren;
}

/** The camera picture with a frame around the subject, or the reason why there is no picture. */
export function Viewfinder({ camera, shape, label, children }: Props) {
  const { say, sayOf } = useWords();
  const { state, video, retry } = camera;
  const [size, setSize] = useState<Size | null>(null);
  const hasFault = state !== 'live' && state !== 'starting';
  return (
    <>
      <div
        class={`viewfinder ${shape}`}
        data-camera={state}
        hidden={hasFault}
        style={size ? ratioOf(size) : {}}
      >
        <video
          ref={video}
          playsInline
          muted
          aria-label={label}
          onResize={({ currentTarget }) => setSize(sizeOf(currentTarget))}
        />
        <div
          class="frame"
          aria-hidden="true"
          style={size && shape !== 'face' ? guideOf(size, shape) : {}}
        />
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

interface Size {
  readonly width: number;
  readonly height: number;
}

const sizeOf = ({ videoWidth, videoHeight }: HTMLVideoElement): Size => ({
  width: videoWidth,
  height: videoHeight,
});

/** Shows the whole picture: nothing outside of it is photographed. */
const ratioOf = ({ width, height }: Size) => ({ aspectRatio: `${width} / ${height}` });

/** The area in which the hints look for the edges of a document. */
function guideOf({ width, height }: Size, shape: DocumentShape) {
  const guide = guideIn(width, height, shape);
  const percent = (part: number, whole: number): string => `${(100 * part) / whole}%`;
  return { width: percent(guide.width, width), height: percent(guide.height, height) };
}
