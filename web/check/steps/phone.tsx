import { useEffect, useRef, useState } from 'preact/hooks';
import { useWords } from '../parts/say.ts';
import { bodyOf, NumberFields, untyped, type Typed } from '../parts/phone-number.tsx';
import { Notice, Screen } from '../parts/screen.tsx';
import { newKey, type Fault } from '../session/ask.ts';
import { serviceNow } from '../session/connection.ts';
import type { CheckState, ShownProof } from '../session/state.ts';
import type { StepProps } from './proof-step.tsx';
import { MoveOn, Retry } from './retry.tsx';
import { stepOf } from './step-of.ts';

type Sent = NonNullable<ShownProof['sent_code']>;

/** Requests a phone number, and then the code that was sent to it, perhaps by another screen. */
export function PhoneStep(props: StepProps) {
  const { facts, check, proof } = props;
  const [typed, setTyped] = useState<Typed>(() => untyped(facts));
  const [sent, setSent] = useState<Sent | null>(proof.sent_code ?? null);
  const wasSent = useRef(sent !== null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    const call = { method: 'POST', key: newKey(), body: bodyOf(typed) } as const;
    const answer = await check.call<Sent>('phone/code', call);
    setBusy(false);
    setFault(answer.fault ?? null);
    // Another screen of this check requested the code.
    const isElsewhere = answer.fault?.code === 'resend_too_soon' && !wasSent.current;
    const code = isElsewhere ? await readSent(check) : answer.body;
    if (!code) return;
    wasSent.current = true;
    // Discards text typed during the call: the code is sent again to the same number.
    setTyped(typed);
    setSent(code);
  };
  // A reloaded page has lost the number.
  const sendAgain = async (): Promise<void> => {
    if (typed.number === '') setSent(null);
    else await send();
  };
  const common = { ...props, fault, setFault, isBusy, setBusy, send };
  return sent === null ? (
    <NumberForm {...common} typed={typed} setTyped={setTyped} />
  ) : (
    <CodeForm {...common} send={sendAgain} sent={sent} back={() => setSent(null)} />
  );
}

async function readSent({ call }: StepProps['check']): Promise<Sent | null> {
  const { body } = await call<CheckState>('', { method: 'GET' });
  return body?.proofs.find(({ type }) => type === 'phone')?.sent_code ?? null;
}

export interface FormProps extends StepProps {
  readonly fault: Fault | null;
  readonly setFault: (fault: Fault | null) => void;
  readonly isBusy: boolean;
  readonly setBusy: (isBusy: boolean) => void;
  readonly send: () => Promise<void>;
}

/** The form for the phone number. */
export function NumberForm({
  typed,
  setTyped,
  ...props
}: FormProps & { readonly typed: Typed; readonly setTyped: (typed: Typed) => void }) {
  const { facts, check, proof, fault, isBusy, send } = props;
  const { say, sayOf } = useWords();
  const submit = (event: Event): void => {
    event.preventDefault();
    void send();
  };
  return (
    <Screen
      name="phone"
      step={stepOf(facts, 'phone')}
      icon="phone"
      title={say('check.phone.title')}
      lead={say('check.phone.lead')}
    >
      <Retry proof={proof} />
      {fault && <Notice tone="bad">{sayOf('fault', fault.reason ?? fault.code)}</Notice>}
      <form onSubmit={submit}>
        <NumberFields facts={facts} typed={typed} setTyped={setTyped} />
        <p class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            {say('check.phone.send')}
          </button>
        </p>
      </form>
      <MoveOn check={check} />
    </Screen>
  );
}

/** The form for the code. */
export function CodeForm({
  sent,
  back,
  ...props
}: FormProps & { readonly sent: Sent; readonly back: () => void }) {
  const { facts, check, proof, fault, setFault, isBusy, setBusy } = props;
  const { say, sayOf } = useWords();
  const [code, setCode] = useState('');
  const submit = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    const call = { method: 'POST', key: newKey(), body: { code } } as const;
    const answer = await check.call<ShownProof>('proofs/phone', call);
    setCode('');
    setBusy(false);
    if (answer.fault) setFault(answer.fault);
    await check.refresh();
  };
  return (
    <Screen
      name="code"
      step={stepOf(facts, 'phone')}
      icon="phone"
      title={say('check.code.title')}
      lead={say('check.code.lead', { number: sent.sent_to })}
    >
      <Retry proof={proof} />
      {fault && <Notice tone="bad">{sayOf('fault', fault.reason ?? fault.code)}</Notice>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label>
          {say('check.code.code')}
          <input
            name="code"
            class="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            maxLength={12}
            dir="ltr"
            value={code}
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
          />
        </label>
        <p class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            {say('check.code.confirm')}
          </button>
          <Resend {...props} sent={sent} />
          <button type="button" disabled={isBusy} onClick={back}>
            {say('check.code.other_number')}
          </button>
        </p>
      </form>
      <MoveOn check={check} />
    </Screen>
  );
}

/** Sends the code again once that is allowed. */
function Resend({ sent, send, isBusy }: FormProps & { readonly sent: Sent }) {
  const { say } = useWords();
  const secondsLeft = (): number =>
    Math.max(0, Math.ceil((Date.parse(sent.resend_after) - serviceNow()) / 1000));
  const [seconds, setSeconds] = useState(secondsLeft());
  useEffect(() => {
    setSeconds(secondsLeft());
    const timer = setInterval(() => setSeconds(secondsLeft()), 1000);
    return () => clearInterval(timer);
  }, [sent.resend_after]);
  return (
    <button type="button" disabled={isBusy || seconds > 0} onClick={() => void send()}>
      {seconds > 0 ? say('check.code.resend_in', { seconds }) : say('check.code.resend')}
    </button>
  );
}
