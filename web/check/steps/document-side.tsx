import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CaptureSignal } from '../../../domain/names.ts';
import type { DocumentShape } from '../../capture/guide.ts';
import type { Hint } from '../../capture/hints.ts';
import { pictureOfFile, takePicture } from '../camera/picture.ts';
import { signalsOfBrowser } from '../camera/signals.ts';
import { useCamera, type Camera } from '../camera/use-camera.ts';
import { useHints } from '../camera/use-hints.ts';
import { ChooseFile } from '../parts/choose-file.tsx';
import { Icon } from '../parts/icon.tsx';
import { Photo, RefusedPictures, type Pictures, type Side } from '../parts/photo.tsx';
import { useWords } from '../parts/say.ts';
import { Notice, Screen } from '../parts/screen.tsx';
import { Viewfinder } from '../parts/viewfinder.tsx';
import type { Fault } from '../session/ask.ts';
import type { CameraStepProps } from './proof-step.tsx';
import { MoveOn, Retry } from './retry.tsx';
import { stepOf } from './step-of.ts';

export const kinds = ['passport', 'id_card', 'driving_licence', 'residence_permit'] as const;
export type Kind = (typeof kinds)[number];

export interface CommonProps extends CameraStepProps {
  readonly fault: Fault | null;
  /**
   * The pictures that the service rejected. Shown beside the reason when the next attempt begins.
   */
  readonly refused: Pictures;
}

/** A picture, and the signals of browser and camera noticed before it was taken. */
export interface TakenPhoto {
  readonly picture: Blob;
  readonly signals: readonly CaptureSignal[];
}

interface TakeProps extends CommonProps {
  readonly kind: Kind;
  readonly side: Side;
  readonly accept: (taken: TakenPhoto) => void;
  readonly setFault: (fault: Fault | null) => void;
  readonly back: () => void;
}

/** Takes one side after the other: first the camera, then a review of the picture. */
export function TakeSides(props: TakeProps) {
  const { facts, kind, accept, setFault } = props;
  const { sayOf } = useWords();
  const [taken, setTaken] = useState<TakenPhoto | null>(null);
  const isAiming = taken === null;
  // One camera for all sides and retakes: some phones prompt the person whenever a camera is
  // opened.
  const camera = useCamera('environment');
  const shape = kind === 'passport' ? 'passport_page' : 'card';
  /** The picture that is being taken. A later file replaces it. */
  const taking = useRef<object | null>(null);
  useEffect(() => () => void (taking.current = null), []);
  const take = async (
    signals: readonly CaptureSignal[],
    code: string,
    draw: () => Promise<Blob>,
  ): Promise<void> => {
    const mine = {};
    taking.current = mine;
    setFault(null);
    const picture = await draw().catch(() => null);
    if (taking.current !== mine) return;
    taking.current = null;
    if (picture) setTaken({ picture, signals });
    else setFault({ code });
  };
  const shoot = (): void => {
    const { current: video } = camera.video;
    // The camera takes no picture while a file is being read.
    if (taking.current || !video) return;
    void take(camera.signals(), 'no_picture', () => takePicture(video));
  };
  const choose = (file: File): void =>
    void take(signalsOfBrowser(), 'no_picture_in_file', () => pictureOfFile(file));
  const hint = useHints(camera, { shape, isOn: isAiming }, shoot);
  useEffect(() => {
    // Safari pauses a video that it does not display.
    if (isAiming) void camera.video.current?.play().catch(() => undefined);
  }, [isAiming, camera.video]);
  return (
    <SideScreen {...props} picture={taken?.picture ?? null}>
      <div hidden={!isAiming}>
        <Aim
          camera={camera}
          shape={shape}
          label={sayOf('take', shownSide(props))}
          hint={hint}
          take={shoot}
        />
        {facts.isFileAllowed && <ChooseFile take={choose} />}
      </div>
      {taken && (
        <Review
          picture={taken.picture}
          accept={() => {
            setTaken(null);
            accept(taken);
          }}
          retake={() => setTaken(null)}
        />
      )}
    </SideScreen>
  );
}

const shownSide = ({ kind, side }: Pick<TakeProps, 'kind' | 'side'>): string =>
  kind === 'passport' ? 'page' : side;

/** The task of one side: to photograph it, or to review its picture. */
export function SideScreen(
  props: Omit<TakeProps, 'accept' | 'setFault'> & {
    readonly picture: Blob | null;
    readonly children: ComponentChildren;
  },
) {
  const { facts, proof, fault, side, refused, back, picture, children } = props;
  const { say, sayOf } = useWords();
  const what = shownSide(props);
  return (
    <Screen
      name={`document-${side}${picture ? '-review' : ''}`}
      step={stepOf(facts, 'document')}
      drawing={picture ? undefined : what}
      title={sayOf('take', what)}
      lead={picture ? say('check.document.review') : sayOf('take_how', what)}
    >
      {!picture && <Retry proof={proof} />}
      {fault && <Notice tone="bad">{sayOf('fault', fault.code)}</Notice>}
      {!picture && side === 'front' && proof.status === 'requires_retry' && (
        <RefusedPictures pictures={refused} />
      )}
      {children}
      <p class="move small">
        <button type="button" class="quiet" onClick={back}>
          {say('check.document.other_kind')}
        </button>
      </p>
      <MoveOn check={props.check} askReview={props.askReview} />
    </Screen>
  );
}

interface AimProps {
  readonly camera: Camera;
  readonly shape: DocumentShape;
  readonly label: string;
  readonly hint: Hint | null;
  readonly take: () => void;
}

/**
 * The camera picture, the hint and the button. The photograph is also taken automatically once
 * there are no hints.
 */
export function Aim({ camera, shape, label, hint, take }: AimProps) {
  const { say, sayOf } = useWords();
  return (
    <>
      <Viewfinder camera={camera} shape={shape} label={label} />
      {camera.state === 'live' && (
        <>
          <p class="hint" role="status" data-hint={hint ?? ''}>
            {hint ? sayOf('hint', hint) : say('check.hint.none')}
          </p>
          <p class="actions">
            <button type="button" class="main" onClick={take}>
              <Icon name="camera" />
              {say('check.document.shoot')}
            </button>
          </p>
        </>
      )}
    </>
  );
}

interface ReviewProps {
  readonly picture: Blob;
  readonly accept: () => void;
  readonly retake: () => void;
}

/** Reviews a picture before it is used. */
export function Review({ picture, accept, retake }: ReviewProps) {
  const { say } = useWords();
  return (
    <>
      <Photo picture={picture} label={say('check.document.picture')} />
      <p class="actions">
        <button type="button" class="main" onClick={accept}>
          {say('check.document.use')}
        </button>
        <button type="button" onClick={retake}>
          {say('check.document.retake')}
        </button>
      </p>
    </>
  );
}
