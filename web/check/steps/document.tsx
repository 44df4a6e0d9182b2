import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
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
    setBusy(false);
    setPictures({});
    if (answer.fault) setFault(answer.fault);
    else setRefused(taken);
    await check.refresh();
  };

  const common = { facts, check, proof, askReview, fault };
  if (isBusy) return <Judging facts={facts} picture={pictures.front ?? null} />;
  if (kind === null) return <ChooseKind {...common} choose={setKind} />;
  const side = sidesOf(kind).find((each) => !pictures[each]) ?? 'front';
  return (
    <TakeSide
      key={side}
      {...common}
      kind={kind}
      side={side}
      refused={refused}
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
  readonly back: () => void;
}

/** One side: the camera, then the picture for a last look. */
function TakeSide(props: TakeProps) {
  const [taken, setTaken] = useState<Taken | null>(null);
  return (
    <SideScreen {...props} picture={taken?.picture ?? null}>
      {taken ? (
        <Review
          picture={taken.picture}
          accept={() => props.accept(taken)}
          retake={() => setTaken(null)}
        />
      ) : (
        <Shoot {...props} shoot={setTaken} />
      )}
    </SideScreen>
  );
}

const shownSide = ({ kind, side }: Pick<TakeProps, 'kind' | 'side'>): string =>
  kind === 'passport' ? 'page' : side;

/** The task of one side: to photograph it, or to look at the picture of it. */
export function SideScreen(
  props: Omit<TakeProps, 'accept'> & {
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

/** The photograph is taken by the button, or by itself when nothing is left to improve. */
function Shoot(props: TakeProps & { readonly shoot: (taken: Taken) => void }) {
  const { kind, shoot } = props;
  const { sayOf } = useWords();
  const camera = useCamera('environment');
  const shape = kind === 'passport' ? 'passport_page' : 'card';
  const take = async (): Promise<void> => {
    if (!camera.video.current) return;
    const signals = camera.signals();
    shoot({ picture: await takePicture(camera.video.current), signals });
  };
  const hint = useHints(camera, shape, () => void take());
  const label = sayOf('take', shownSide(props));
  return <Aim camera={camera} shape={shape} label={label} hint={hint} take={() => void take()} />;
}

interface AimProps {
  readonly camera: Camera;
  readonly shape: DocumentShape;
  readonly label: string;
  readonly hint: Hint | null;
  readonly take: () => void;
}

/** What the camera sees, what to do better, and the button. */
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
