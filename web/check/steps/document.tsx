import { useRef, useState } from 'preact/hooks';
import type { CaptureSignal } from '../../../domain/names.ts';
import { Icon } from '../parts/icon.tsx';
import { Photo, RefusedPictures, sides, type Pictures, type Side } from '../parts/photo.tsx';
import { useWords } from '../parts/say.ts';
import { Notice, Screen, Working } from '../parts/screen.tsx';
import { newKey, type Fault } from '../session/ask.ts';
import type { ShownProof } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import {
  kinds,
  TakeSides,
  type CommonProps,
  type Kind,
  type TakenPhoto,
} from './document-side.tsx';
import type { CameraStepProps } from './proof-step.tsx';
import { MoveOn, Retry } from './retry.tsx';
import { stepOf } from './step-of.ts';

const sidesOf = (kind: Kind): readonly Side[] => (kind === 'passport' ? ['front'] : sides);

const unsettled = ['processing', 'requires_retry'];

/**
 * The pictures of the last attempt in this browser. They outlive the step, which unmounts while the
 * service judges for long.
 */
let last: { readonly check: string; readonly attempt: number; readonly pictures: Pictures } | null =
  null;

/** Takes the pictures of a document, one side after the other, and submits them. */
export function DocumentStep({ facts, check, proof, askReview }: CameraStepProps) {
  const [kind, setKind] = useState<Kind | null>(null);
  const [pictures, setPictures] = useState<Pictures>({});
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const noticed = useRef(new Set<CaptureSignal>());
  const { id = '' } = check.session ?? {};

  const accept = async (side: Side, { picture, signals }: TakenPhoto): Promise<void> => {
    for (const signal of signals) noticed.current.add(signal);
    const taken = { ...pictures, [side]: picture };
    setPictures(taken);
    if (!kind || sidesOf(kind).some((each) => !taken[each])) return;
    setBusy(true);
    setFault(null);
    last = { check: id, attempt: proof.attempt + 1, pictures: taken };
    const answer = await submit(check, taken, [...noticed.current]);
    noticed.current.clear();
    if (answer.fault) setFault(answer.fault);
    else if (answer.body.reason_code === 'side_missing') setKind(null);
    else if (!unsettled.includes(answer.body.status)) last = null;
    // Refreshes before another picture is requested: a document that passed needs no camera.
    await check.refresh();
    setBusy(false);
    setPictures({});
  };

  const refused = last?.check === id && last.attempt === proof.attempt ? last.pictures : {};
  const common = { facts, check, proof, askReview, fault, refused };
  if (isBusy) return <Judging facts={facts} picture={pictures.front ?? null} />;
  if (kind === null) return <ChooseKind {...common} choose={setKind} />;
  const side = sidesOf(kind).find((each) => !pictures[each]) ?? 'front';
  return (
    <TakeSides
      {...common}
      kind={kind}
      side={side}
      setFault={setFault}
      accept={(taken) => void accept(side, taken)}
      back={() => {
        setKind(null);
        setPictures({});
        setFault(null);
      }}
    />
  );
}

/** Uploads each picture under its own name, and submits the proof once. */
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

function ChooseKind({
  facts,
  check,
  proof,
  askReview,
  fault,
  refused,
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
      {proof.status === 'requires_retry' && <RefusedPictures pictures={refused} />}
      {facts.acceptedCountries && (
        <details open={facts.acceptedCountries.length < 9}>
          <summary>{say('check.document.countries')}</summary>
          <p>{new Intl.ListFormat(facts.language).format(facts.acceptedCountries)}</p>
        </details>
      )}
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

/** Shown while the pictures are uploaded or judged. */
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
