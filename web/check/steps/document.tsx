import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CaptureSignal } from '../../../domain/names.ts';
import type { DocumentShape } from '../../capture/guide.ts';
import type { Hint } from '../../capture/hints.ts';
import { takePicture } from '../camera/picture.ts';
import { useCamera, type Camera } from '../camera/use-camera.ts';
import { useHints } from '../camera/use-hints.ts';
import { Icon } from '../parts/icon.tsx';
import { Photo, RefusedPictures, sides, type Pictures, type Side } from '../parts/photo.tsx';
import { useWords } from '../parts/say.ts';
import { Notice, Screen, Working } from '../parts/screen.tsx';
import { Viewfinder } from '../parts/viewfinder.tsx';
import { newKey, type Fault } from '../session/ask.ts';
import type { ShownProof } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import type { CameraStepProps } from './proof-step.tsx';
import { MoveOn, Retry } from './retry.tsx';
import { stepOf } from './step-of.ts';

const kinds = ['passport', 'id_card', 'driving_licence', 'residence_permit'] as const;
type Kind = (typeof kinds)[number];
const sidesOf = (kind: Kind): readonly Side[] => (kind === 'passport' ? ['front'] : sides);

/** Takes the pictures of a document, one side after the other, and submits them. */
export function DocumentStep({ facts, check, proof, askReview }: CameraStepProps) {
  const [kind, setKind] = useState<Kind | null>(null);
  const [pictures, setPictures] = useState<Pictures>({});
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const [refused, setRefused] = useState<Pictures>({});
  const noticed = useRef(new Set<CaptureSignal>());

  const accept = async (side: Side, { picture, signals }: Taken): Promise<void> => {
    for (const signal of signals) noticed.current.add(signal);
    const taken = { ...pictures, [side]: picture };
    setPictures(taken);
    if (!kind || sidesOf(kind).some((each) => !taken[each])) return;
    setBusy(true);
    setFault(null);
    const answer = await submit(check, taken, [...noticed.current]);
    noticed.current.clear();
    if (answer.fault) setFault(answer.fault);
    else setRefused(taken);
    // Before another picture is asked for: a document that passed needs no camera.
    await check.refresh();
    setBusy(false);
    setPictures({});
  };

  const common = { facts, check, proof, askReview, fault };
  if (isBusy) return <Judging facts={facts} picture={pictures.front ?? null} />;
  if (kind === null) return <ChooseKind {...common} choose={setKind} />;
  const side = sidesOf(kind).find((each) => !pictures[each]) ?? 'front';
  return (
    <TakeSides
      {...common}
      kind={kind}
      side={side}
      refused={refused}
      setFault={setFault}
      accept={(taken) => void accept(side, taken)}
      back={() => setKind(null)}
    />
  );
}

/** Uploads each picture under a name of its own, and submits the proof once. */
async function submit(check: Check, pictures: Pictures, capture_signals: CaptureSignal[]) {
  const key = newKey();
  const ids: Partial<Record<Side, string>> = {};
  for (const side of sides) {
    const body = pictures[side];
    if (!body) continue;
    const path = `evidence/${side}-${key}.jpg`;
    const kept = await check.call<{ evidence_id: string }>(path, { method: 'PUT', body });
    if (kept.fault) return kept;
    ids[side] = kept.body.evidence_id;
  }
  const body = { ...ids, capture_signals };
  return check.call<ShownProof>('proofs/document', { method: 'POST', key, body });
}

type CommonProps = CameraStepProps & { readonly fault: Fault | null };

function ChooseKind({
  facts,
  check,
  proof,
  askReview,
  fault,
  choose,
}: CommonProps & { readonly choose: (kind: Kind) => void }) {
  const { say, sayOf } = useWords();
  return (
    <Screen
      name="document"
      step={stepOf(facts, 'document')}
      icon="document"
      title={say('check.document.title')}
      lead={say('check.document.lead')}
    >
      <Retry proof={proof} />
      {fault && <Notice tone="bad">{sayOf('fault', fault.code)}</Notice>}
      <ul class="choices">
        {kinds.map((kind) => (
          <li key={kind}>
            <button type="button" data-kind={kind} onClick={() => choose(kind)}>
              <Icon name="document" />
              {sayOf('kind', kind)}
            </button>
          </li>
        ))}
      </ul>
      <MoveOn check={check} askReview={askReview} />
    </Screen>
  );
}

/** A picture, and what was noticed of browser and camera until it was taken. */
interface Taken {
  readonly picture: Blob;
  readonly signals: readonly CaptureSignal[];
}

interface TakeProps extends CommonProps {
  readonly kind: Kind;
  readonly side: Side;
  /** The pictures that the service refused, shown beside its reason as the next attempt begins. */
  readonly refused: Pictures;
  readonly accept: (taken: Taken) => void;
  readonly setFault: (fault: Fault | null) => void;
  readonly back: () => void;
}

/** One side after the other: the camera, then the picture for a last look. */
function TakeSides(props: TakeProps) {
  const { kind, accept, setFault } = props;
  const { sayOf } = useWords();
  const [taken, setTaken] = useState<Taken | null>(null);
  const isAiming = taken === null;
  // One for all sides and retakes: some phones ask the person whenever a camera is opened.
  const camera = useCamera('environment');
  const shape = kind === 'passport' ? 'passport_page' : 'card';
  const isTaking = useRef(false);
  const take = async (): Promise<void> => {
    if (isTaking.current || !camera.video.current) return;
    isTaking.current = true;
    const signals = camera.signals();
    const picture = await takePicture(camera.video.current).catch(() => null);
    isTaking.current = false;
    setFault(picture ? null : { code: 'no_picture' });
    if (picture) setTaken({ picture, signals });
  };
  const hint = useHints(camera, { shape, isOn: isAiming }, () => void take());
  useEffect(() => {
    // Safari stops a video that it does not display.
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
          take={() => void take()}
        />
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

/** The task of one side: to photograph it, or to look at the picture of it. */
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
 * What the camera sees, what to do better, and the button. The photograph is also taken by itself,
 * when nothing is left to improve.
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

/** The last look at a picture before it is used. */
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

/** The pictures are on their way, or are judged. */
export function Judging({
  facts,
  picture,
}: Pick<CommonProps, 'facts'> & { readonly picture: Blob | null }) {
  const { say } = useWords();
  return (
    <Screen
      name="document-judging"
      step={stepOf(facts, 'document')}
      title={say('check.document.judging')}
    >
      <Working>{say('check.document.judging_wait')}</Working>
      {picture && <Photo picture={picture} label={say('check.document.picture')} />}
    </Screen>
  );
}
