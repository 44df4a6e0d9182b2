import { useEffect, useRef, useState } from 'preact/hooks';
import type { FaceAction } from '../../../domain/proofs/face/challenge.ts';
import { openCues, type Cues } from '../camera/cues.ts';
import { film, type FilmFault } from '../camera/film.ts';
import { pickFrames, type FilmFrame } from '../camera/pick-frames.ts';
import { useCamera, type Camera } from '../camera/use-camera.ts';
import { useWords } from '../parts/say.ts';
import { Notice, Screen, Working } from '../parts/screen.tsx';
import { Viewfinder } from '../parts/viewfinder.tsx';
import { newKey, type Answer, type Fault } from '../session/ask.ts';
import type { ShownProof } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import type { CameraStepProps } from './proof-step.tsx';
import { MoveOn, Retry } from './retry.tsx';
import { stepOf } from './step-of.ts';

/** Duration of looking straight, and of each action including the way back. */
const straightMs = 1_500;
const actionMs = 3_000;
/**
 * Time between the signal to move back and the end of the action. Frames of shut eyes are picked
 * before that signal.
 */
const backMs = 900;
/** Frames that the service requires. A slow device films fewer. */
const framesMin = 8;
/** Factor by which each later attempt is slower, up to the lifetime of a challenge. */
const slowerBy = 1.4;
const paceMax = 2;

interface Challenge {
  readonly challenge_id: string;
  readonly actions?: readonly FaceAction[];
}

export type Stage =
  | { readonly name: 'ready' | 'asking' | 'judging' }
  | {
      readonly name: 'acting';
      readonly action: FaceAction | 'straight';
      /** Number of actions done, and in total. */
      readonly done: number;
      readonly count: number;
    };

/** Films the face during the requested actions, and submits frames of the film. */
export function FaceStep(props: CameraStepProps) {
  const { check, proof } = props;
  const [stage, setStage] = useState<Stage>({ name: 'ready' });
  const [fault, setFault] = useState<Fault | null>(null);
  const camera = useCamera('user');
  const isLeft = useLeft();
  const run = async (): Promise<void> => {
    setFault(null);
    setStage({ name: 'asking' });
    const pace = Math.min(paceMax, slowerBy ** proof.attempt);
    const cues = openCues();
    const answer = await answerChallenge({ check, camera, pace, cues, setStage });
    cues.close();
    if (isLeft()) return;
    const refreshed = check.refresh();
    if (!answer.fault) await refreshed;
    // The viewfinder shows why a camera has ended.
    else if (answer.fault.code !== 'camera_ended') setFault(answer.fault);
    setStage({ name: 'ready' });
  };
  return (
    <FaceScreen {...props} stage={stage} fault={fault} camera={camera} run={() => void run()} />
  );
}

interface ScreenProps extends CameraStepProps {
  readonly stage: Stage;
  readonly fault: Fault | null;
  readonly camera: Camera;
  readonly run: () => void;
}

/** The camera picture of the face, and the instruction. */
export function FaceScreen(props: ScreenProps) {
  const { facts, check, proof, askReview, stage, fault, camera, run } = props;
  const { say } = useWords();
  return (
    <Screen
      name="face"
      part={stage.name === 'asking' ? 'acting' : stage.name}
      step={stepOf(facts, 'biometric')}
      drawing={stage.name === 'ready' ? 'face' : undefined}
      title={say(stage.name === 'judging' ? 'check.face.judging' : 'check.face.title')}
      lead={stage.name === 'ready' ? say('check.face.lead') : undefined}
    >
      {stage.name === 'ready' && <Problems proof={proof} fault={fault} />}
      <div hidden={stage.name === 'judging'}>
        <Viewfinder camera={camera} shape="face" label={say('check.face.title')} />
        <Prompt stage={stage} />
      </div>
      {stage.name === 'judging' && <Working>{say('check.face.judging_wait')}</Working>}
      {camera.state === 'live' && stage.name === 'ready' && (
        <p class="actions">
          <button type="button" class="main" onClick={run}>
            {say('check.face.begin')}
          </button>
        </p>
      )}
      {stage.name === 'ready' && <MoveOn check={check} askReview={askReview} />}
    </Screen>
  );
}

function Problems({ proof, fault }: { readonly proof: ShownProof; readonly fault: Fault | null }) {
  const { sayOf } = useWords();
  return (
    <>
      <Retry proof={proof} />
      {fault && <Notice tone="bad">{sayOf('fault', fault.code)}</Notice>}
    </>
  );
}

/** The current instruction, in text that screen readers announce. */
function Prompt({ stage }: { readonly stage: Stage }) {
  const { say, sayOf } = useWords();
  const action = stage.name === 'acting' ? stage.action : null;
  return (
    <>
      <p class={`prompt ${action ?? ''}`} role="status" data-action={action ?? ''}>
        {action && sayOf('action', action)}
        {stage.name === 'asking' && say('check.face.asking')}
      </p>
      {stage.name === 'acting' && (
        <progress value={stage.done} max={stage.count} aria-hidden="true" />
      )}
    </>
  );
}

interface Run {
  readonly check: Check;
  readonly camera: Camera;
  /** Factor by which the actions are slower than usual. */
  readonly pace: number;
  readonly cues: Cues;
  readonly setStage: (stage: Stage) => void;
}

async function answerChallenge(run: Run): Promise<Answer<ShownProof>> {
  const { check, camera, setStage } = run;
  const body = { proof: 'biometric' };
  const given = await check.call<Challenge>('challenges', { method: 'POST', key: newKey(), body });
  if (given.fault) return given;
  const { challenge_id, actions } = given.body;
  const video = camera.video.current;
  if (!actions || !video) return { fault: { code: 'face_provider' } };
  const acted = await act(run, video, actions);
  if (acted.fault) return acted;
  const frames = pickFrames(acted.body, actions);
  if (frames.length < framesMin) return { fault: { code: 'few_frames' } };
  setStage({ name: 'judging' });
  const uploaded = await upload(check, challenge_id, frames);
  if (uploaded.fault) return uploaded;
  const submitted = { challenge_id, frames: uploaded.body, capture_signals: camera.signals() };
  return check.call('proofs/biometric', { method: 'POST', key: newKey(), body: submitted });
}

/** Prompts one action after the other, and films each. Leaving the step ends its camera. */
async function act(
  { setStage, pace, cues }: Run,
  video: HTMLVideoElement,
  actions: readonly FaceAction[],
): Promise<Answer<readonly FilmFrame[]>> {
  const made = film(video, performance.now());
  const wait = (ms: number): Promise<FilmFault | null> =>
    Promise.race([made.ended, pause(ms * pace)]);
  const prompt = async (action: FaceAction | 'straight', index: number, ms: number) => {
    setStage({ name: 'acting', action, done: Math.max(index, 0), count: actions.length });
    made.mark(index);
    cues.give('begin');
    const fault = await wait(ms - backMs);
    if (fault) return fault;
    if (action !== 'straight') cues.give('back');
    return wait(backMs);
  };
  let code = await prompt('straight', -1, straightMs);
  for (const [index, action] of actions.entries()) {
    code ??= await prompt(action, index, actionMs);
  }
  made.stop();
  return code ? { fault: { code } } : { body: made.frames };
}

const pause = (ms: number): Promise<null> =>
  new Promise((resolve) => setTimeout(() => resolve(null), ms));

interface Uploaded {
  readonly image: string;
  readonly at_ms: number;
  readonly action: number;
}

/** Uploads all frames concurrently: the challenge expires one minute after it was issued. */
async function upload(
  check: Check,
  challengeId: string,
  frames: readonly FilmFrame[],
): Promise<Answer<Uploaded[]>> {
  const answers = await Promise.all(
    frames.map(({ image }, index) => {
      const path = `evidence/frame-${challengeId}-${index}.jpg`;
      return check.call<{ evidence_id: string }>(path, { method: 'PUT', body: image });
    }),
  );
  const uploaded: Uploaded[] = [];
  for (const [index, answer] of answers.entries()) {
    if (answer.fault) return answer;
    const { atMs, action } = frames[index] ?? { atMs: 0, action: -1 };
    uploaded.push({ image: answer.body.evidence_id, at_ms: atMs, action });
  }
  return { body: uploaded };
}

/** Returns a function that reports whether the step is unmounted. */
function useLeft(): () => boolean {
  const left = useRef(false);
  useEffect(() => () => void (left.current = true), []);
  return () => left.current;
}
