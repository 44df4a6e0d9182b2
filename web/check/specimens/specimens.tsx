import type { ComponentChildren, VNode } from 'preact';
import { encode } from 'uqr';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import type { SpecimenName } from '../../../api/links/visitor/pages/specimens.ts';
import type { DocumentShape } from '../../capture/guide.ts';
import type { Hint } from '../../capture/hints.ts';
import type { CameraFault } from '../camera/faults.ts';
import type { Camera } from '../camera/use-camera.ts';
import { useWords } from '../parts/say.ts';
import { WayOn } from '../parts/redirect.tsx';
import type { RunnerState } from '../session/runner.ts';
import type { CheckState, ShownProof } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import { AskReview } from '../steps/ask-review.tsx';
import { Aim, Review, SideScreen } from '../steps/document-side.tsx';
import { Judging } from '../steps/document.tsx';
import { Outcome } from '../steps/done.tsx';
import { CopyButton, HandOver, JoinCode, SendLink } from '../steps/elsewhere.tsx';
import { FaceScreen, type Stage } from '../steps/face.tsx';
import { CodeForm, NumberForm, type FormProps } from '../steps/phone.tsx';
import { accepted, checkId, linkUrl, pairFragment, proofOf, running } from './states.ts';

interface ScreenProps {
  readonly facts: CheckFacts;
  readonly check: Check;
  readonly state: CheckState;
}

/** A specimen of the page: its state, and the screen if the state does not determine it. */
export interface Specimen {
  readonly facts?: Partial<CheckFacts>;
  readonly held?: Partial<RunnerState>;
  readonly Screen?: (props: ScreenProps) => VNode;
}

const noop = (): void => undefined;
/** A placeholder. The style of specimens shows a picture in its place. */
const picture = new Blob();
const given = proofOf('phone', 'passed');
const appProofs = ['device', 'nfc_passport', 'phone'];

const appOnPhone = { proofs: appProofs, isWebAllowed: false, isPhone: true };
const joined = running('collecting', [
  given,
  proofOf('document', 'collecting'),
  proofOf('biometric'),
]);

/** The step that requests the number or the code. */
function phoneStep(
  Form: (props: FormProps) => VNode,
  proof = proofOf('phone'),
  fault: FormProps['fault'] = null,
): Specimen {
  const form = { proof, fault, setFault: noop, isBusy: false, setBusy: noop, send: noop as never };
  return {
    held: running('collecting', [proof, proofOf('document'), proofOf('biometric')]),
    Screen: ({ facts, check }) => <Form {...form} facts={facts} check={check} />,
  };
}

const AskNumber = (props: FormProps): VNode => (
  <NumberForm {...props} typed={{ country: 'DE', number: '' }} setTyped={noop} />
);
const AskCode = (props: FormProps): VNode => (
  <CodeForm
    {...props}
    sent={{
      sent_to: '+49 •••• 4321',
      expires_at: '2026-01-01T00:10:00Z',
      resend_after: '2026-01-01T00:00:00Z',
    }}
    back={noop}
  />
);

interface Side {
  readonly kind: 'passport' | 'id_card';
  readonly side: 'front' | 'back';
  readonly isTaken?: boolean;
  readonly proof?: ShownProof;
  readonly camera?: Camera['state'];
  readonly hint?: Hint;
}

/** The step that photographs one side of a document, before or after the photograph. */
function documentStep(shown: Side): Specimen {
  const { kind, side, isTaken = false, proof = proofOf('document') } = shown;
  const common = { kind, side, proof, askReview: noop, fault: null, back: noop };
  const refused = { front: picture, back: picture };
  return {
    held: running('collecting', [given, proof, proofOf('biometric')]),
    Screen: (props) => (
      <SideScreen {...props} {...common} refused={refused} picture={isTaken ? picture : null}>
        {isTaken ? <Review picture={picture} accept={noop} retake={noop} /> : <Camera {...shown} />}
      </SideScreen>
    ),
  };
}

function Camera({ kind, side, camera = 'live', hint }: Side) {
  const { sayOf } = useWords();
  const shape: DocumentShape = kind === 'passport' ? 'passport_page' : 'card';
  return (
    <Aim
      camera={cameraIn(camera)}
      shape={shape}
      label={sayOf('take', kind === 'passport' ? 'page' : side)}
      hint={hint ?? null}
      take={noop}
    />
  );
}

const cameraIn = (state: Camera['state']): Camera => ({
  state,
  video: { current: null },
  retry: noop,
  signals: () => [],
});
const cameraFault = (fault: CameraFault): Specimen =>
  documentStep({ kind: 'passport', side: 'front', camera: fault });

function faceStep(stage: Stage, proof = proofOf('biometric')): Specimen {
  const camera = cameraIn('live');
  const step = { proof, stage, askReview: noop, fault: null, camera, run: noop };
  return {
    held: running('collecting', [given, proofOf('document', 'passed'), proof]),
    Screen: (props) => <FaceScreen {...props} {...step} />,
  };
}

/** The check is on another device, or moves to one. */
function handOver(held: Partial<RunnerState>, facts: Partial<CheckFacts> = {}): Specimen {
  return {
    facts,
    held: { ...held, place: 'elsewhere' },
    Screen: (props) => <HandOver {...props} pairing="4821" code={<Join {...props} />} />,
  };
}

function Join({ facts, check }: ScreenProps) {
  return (
    <>
      <JoinCode
        facts={facts}
        fragment={pairFragment}
        code={encode(`${linkUrl}${pairFragment}`, { border: 2 })}
      >
        <CopyButton isCopied={false} copy={noop} />
      </JoinCode>
      <SendLink facts={facts} check={check} />
    </>
  );
}

/** The check is over for the person. */
function ended(
  status: CheckState['status'],
  proofs: readonly ShownProof[] = accepted,
  { reason = null, wayOn }: { reason?: string | null; wayOn?: ComponentChildren } = {},
): Specimen {
  return {
    held: running(status, proofs, { reason_code: reason }),
    Screen: (props) => <Outcome {...props}>{wayOn}</Outcome>,
  };
}

const stuck = (code: string): Specimen => ({ held: { phase: 'stuck', fault: { code } } });
const unusable = (status: CheckFacts['status']): Specimen => ({
  facts: { status, isActionable: false },
});

const noneYet = ['phone', 'document', 'biometric'] as const;
const allAs = (status: ShownProof['status']): ShownProof[] =>
  noneYet.map((type) => proofOf(type, status));
const wayOn = <WayOn app="Example Bank" url="https://example.com/done" seconds={5} stay={noop} />;

export const specimens: Readonly<Record<SpecimenName, Specimen>> = {
  welcome: {},
  welcome_app: { facts: { proofs: appProofs, isWebAllowed: false } },
  welcome_phone: { facts: { isPhone: true } },
  welcome_phone_app: { facts: appOnPhone },
  welcome_phone_no_store: { facts: { ...appOnPhone, appUrl: null } },
  welcome_joining: { held: { joins: checkId } },
  welcome_beginning: { held: { phase: 'beginning' } },
  consent: { held: running('paired') },
  consent_outcome_only: { facts: { claims: [] }, held: running('paired') },
  phone: phoneStep(AskNumber),
  phone_refused: phoneStep(AskNumber, proofOf('phone'), { code: 'phone_refused' }),
  code: phoneStep(AskCode),
  code_wrong: phoneStep(AskCode, proofOf('phone', 'requires_retry', { reason_code: 'code_wrong' })),
  document: { held: running('collecting', [given, proofOf('document'), proofOf('biometric')]) },
  document_starting: documentStep({ kind: 'passport', side: 'front', camera: 'starting' }),
  document_page: documentStep({ kind: 'passport', side: 'front' }),
  document_front: documentStep({ kind: 'id_card', side: 'front' }),
  document_back: documentStep({ kind: 'id_card', side: 'back' }),
  document_hint: documentStep({ kind: 'passport', side: 'front', hint: 'glare' }),
  document_review: documentStep({ kind: 'passport', side: 'front', isTaken: true }),
  document_refused: documentStep({
    kind: 'id_card',
    side: 'front',
    proof: proofOf('document', 'requires_retry', { reason_code: 'blur' }),
  }),
  document_judging: {
    held: running('collecting', [given, proofOf('document'), proofOf('biometric')]),
    Screen: ({ facts }) => <Judging facts={facts} picture={picture} />,
  },
  face: faceStep({ name: 'ready' }),
  face_action: faceStep({ name: 'acting', action: 'turn_left', done: 1, count: 3 }),
  face_retry: faceStep(
    { name: 'ready' },
    proofOf('biometric', 'requires_retry', { reason_code: 'face_dark' }),
  ),
  face_judging: faceStep({ name: 'judging' }),
  camera_blocked: cameraFault('blocked'),
  camera_busy: cameraFault('busy'),
  camera_denied: cameraFault('denied'),
  camera_in_app: cameraFault('in_app'),
  camera_insecure: cameraFault('insecure'),
  camera_missing: cameraFault('missing'),
  camera_unsupported: cameraFault('unsupported'),
  review: {
    held: running('collecting', [given, proofOf('document'), proofOf('biometric')]),
    Screen: (props) => <AskReview {...props} proof={proofOf('document')} back={noop} />,
  },
  scan: handOver(running('opened', [])),
  scan_app: handOver(running('opened', []), { proofs: appProofs, isWebAllowed: false }),
  scan_phone: handOver(running('opened', []), { isPhone: true }),
  scan_phone_app: handOver(running('opened', []), appOnPhone),
  scan_phone_no_store: handOver(running('opened', []), { ...appOnPhone, appUrl: null }),
  elsewhere: handOver(joined),
  elsewhere_phone: handOver(joined, { isPhone: true }),
  judging: {
    held: running('collecting', [
      given,
      proofOf('document', 'processing'),
      proofOf('biometric', 'processing'),
    ]),
  },
  checking: { held: running('processing', accepted) },
  retry: {
    held: running('requires_retry', [
      given,
      proofOf('document', 'requires_retry', { reason_code: 'glare' }),
      proofOf('biometric', 'passed'),
    ]),
  },
  in_review: ended('in_review', [
    given,
    proofOf('document', 'passed'),
    proofOf('biometric', 'in_review', { reason_code: 'camera_suspect' }),
  ]),
  passed: ended('passed'),
  passed_redirect: ended('passed', accepted, { wayOn }),
  failed: ended(
    'failed',
    [
      given,
      proofOf('document', 'passed'),
      proofOf('biometric', 'failed', { reason_code: 'face_mismatch' }),
    ],
    { reason: 'proof_failed' },
  ),
  failed_neutral: ended('failed', allAs('submitted')),
  declined: ended('declined', allAs('canceled'), { reason: 'consent_declined' }),
  expired: ended('expired', allAs('expired'), { reason: 'deadline' }),
  abandoned: ended('abandoned', allAs('canceled'), { reason: 'idle_timeout' }),
  canceled: ended('canceled', allAs('canceled'), { reason: 'requester_canceled' }),
  offline: { held: { ...running('paired'), isOnline: false } },
  stuck_already_begun: stuck('already_begun'),
  stuck_already_paired: stuck('already_paired'),
  stuck_dpop_proof_required: stuck('dpop_proof_required'),
  stuck_device_required: stuck('device_required'),
  stuck_gone: stuck('gone'),
  stuck_link_not_active: stuck('link_not_active'),
  stuck_link_token_required: stuck('link_token_required'),
  stuck_not_found: stuck('not_found'),
  stuck_pair_token_ended: stuck('pair_token_ended'),
  stuck_rate_limited: stuck('rate_limited'),
  stuck_session_limit: stuck('session_limit'),
  stuck_unexpected: stuck('unexpected'),
  link_scheduled: unusable('scheduled'),
  link_paused: unusable('paused'),
  link_consumed: unusable('consumed'),
  link_expired: unusable('expired'),
};
