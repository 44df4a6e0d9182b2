import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { QrCodeGenerateResult } from 'uqr';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { Progress } from '../parts/progress.tsx';
import { bodyOf, NumberFields, untyped, type Typed } from '../parts/phone-number.tsx';
import { useWords } from '../parts/say.ts';
import { Notice, Screen } from '../parts/screen.tsx';
import { newKey, type Fault } from '../session/ask.ts';
import { usePairingCode } from '../parts/pairing-code.ts';
import { useTarget } from '../session/host.ts';
import { isBeforePairing, type CheckState } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';

interface Props {
  readonly facts: CheckFacts;
  readonly check: Check;
  readonly state: CheckState;
}

/** The check runs on another device: the way there, and its state as it changes. */
export function Elsewhere(props: Props) {
  const { facts, check } = props;
  const pairing = usePairingCode(check.session?.id ?? null);
  return <HandOver {...props} pairing={pairing} code={<Code facts={facts} check={check} />} />;
}

interface HandOverProps extends Props {
  /** Empty until it is computed. */
  readonly pairing: string;
  /** By which another device joins. */
  readonly code: ComponentChildren;
}

export function HandOver({ facts, check, state, pairing, code }: HandOverProps) {
  const { say } = useWords();
  const isUnpaired = isBeforePairing(state.status);
  // No event reports that a device joined: the next event of the check counts as that.
  const isWaiting = isUnpaired || check.session?.offered === state.sequence;
  const canReturn = facts.isWebAllowed;
  const values = { app: facts.app };
  return (
    <Screen
      name={isWaiting ? 'scan' : 'elsewhere'}
      {...(isWaiting ? {} : { icon: 'device' as const })}
      title={say(isWaiting ? 'check.scan.title' : 'check.elsewhere.title')}
      lead={
        isWaiting
          ? say(facts.isWebAllowed ? 'check.scan.web' : 'check.scan.app', values)
          : say('check.elsewhere.lead')
      }
    >
      {isWaiting && code}
      {!isWaiting && canReturn && <CodeAgain>{code}</CodeAgain>}
      {pairing && (
        <p class="pairing">
          {say('check.scan.pairing')} <strong data-pairing>{pairing}</strong>
        </p>
      )}
      {!isWaiting && <Progress check={check} state={state} />}
      {canReturn && (
        <p class="actions">
          <button type="button" onClick={() => here(check, isUnpaired)}>
            {say('check.scan.here')}
          </button>
        </p>
      )}
    </Screen>
  );
}

/** A check that waits is paired with this browser; one that runs goes on in it. */
function here(check: Check, isUnpaired: boolean): void {
  if (isUnpaired) check.start('here');
  else check.move('here');
}

/** The code of a check that runs, which is asked for while it is displayed. */
function CodeAgain({ children }: { readonly children: ComponentChildren }) {
  const { say } = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{say('check.scan.show')}</summary>
      {isOpen && children}
    </details>
  );
}

/** No event says that a code was used. */
const askMs = 10_000;

/** The fragment by which another device joins: another one once it is used or old. */
function usePairFragment({ call, session }: Check): string | null {
  const [fragment, setFragment] = useState<string | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const renew = async (): Promise<void> => {
      const { body } = await call<{ pair_url: string }>('pair-token', { method: 'POST' });
      if (isOver) return;
      if (body) setFragment(new URL(body.pair_url).hash);
      timer = setTimeout(() => void renew(), askMs);
    };
    void renew();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [session?.id]);
  return fragment;
}

/** Drawn in the browser: the token in the address never reaches the service by it. */
function Code({ facts, check }: Omit<Props, 'state'>) {
  const fragment = usePairFragment(check);
  return (
    <>
      {fragment !== null && <CodeOf facts={facts} fragment={fragment} />}
      <SendLink facts={facts} check={check} />
    </>
  );
}

function CodeOf({ facts, fragment }: JoinProps) {
  // A phone without the app goes on in its browser, which asks for the page by its format.
  const address = `${facts.url}${facts.isWebAllowed ? '?format_type=H' : ''}${fragment}`;
  const [code, setCode] = useState<QrCodeGenerateResult | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (): Promise<void> =>
      import('uqr').then(
        ({ encode }) => setCode(encode(address, { border: 2 })),
        () => {
          timer = setTimeout(() => void draw(), askMs);
        },
      );
    void draw();
    return () => clearTimeout(timer);
  }, [address]);
  return (
    <>
      <JoinCode facts={facts} fragment={fragment} code={code} />
      <Copy address={address} />
    </>
  );
}

interface JoinProps {
  readonly facts: CheckFacts;
  /** Of the address by which another device joins. */
  readonly fragment: string;
}

/** The code to scan; on a phone before it the way to the app. */
export function JoinCode({
  facts,
  fragment,
  code,
}: JoinProps & { readonly code: QrCodeGenerateResult | null }) {
  const { say } = useWords();
  const target = useTarget();
  return (
    <>
      {facts.isPhone && (
        <p class="actions">
          <a id="app" class="button main" href={`${facts.appUrl}${fragment}`} target={target}>
            {say('check.welcome.app', { app: facts.app })}
          </a>
        </p>
      )}
      <div id="code">
        {code && (
          <svg
            role="img"
            aria-label={say('check.scan.code')}
            viewBox={`0 0 ${code.size} ${code.size}`}
            shape-rendering="crispEdges"
          >
            <path d={pathOf(code)} />
          </svg>
        )}
      </div>
    </>
  );
}

/** A square for each dark module. */
const pathOf = ({ data }: QrCodeGenerateResult): string =>
  data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : ''))).join('');

function Copy({ address }: { readonly address: string }) {
  const [isCopied, setCopied] = useState(false);
  if (!navigator.clipboard) return null;
  const copy = (): void =>
    void navigator.clipboard.writeText(address).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return <CopyButton isCopied={isCopied} copy={copy} />;
}

interface CopyProps {
  readonly isCopied: boolean;
  readonly copy: () => void;
}

export function CopyButton({ isCopied, copy }: CopyProps) {
  const { say } = useWords();
  return (
    <p class="actions">
      <button type="button" onClick={copy}>
        {say(isCopied ? 'check.scan.copied' : 'check.scan.copy')}
      </button>
    </p>
  );
}

/** The link in a text message, for a phone that cannot scan. */
export function SendLink({ facts, check }: Omit<Props, 'state'>) {
  const { say, sayOf } = useWords();
  const [typed, setTyped] = useState<Typed>(() => untyped(facts));
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    setSentTo(null);
    const call = { method: 'POST', key: newKey(), body: bodyOf(typed) } as const;
    const answer = await check.call<{ sent_to: string }>('hand-over', call);
    setBusy(false);
    setSentTo(answer.body?.sent_to ?? null);
    setFault(answer.fault ?? null);
  };
  return (
    <details id="sms">
      <summary>{say('check.scan.sms')}</summary>
      {fault && <Notice tone="bad">{sayOf('fault', fault.reason ?? fault.code)}</Notice>}
      {sentTo !== null && <p role="status">{say('check.scan.sent', { number: sentTo })}</p>}
      <form onSubmit={(event) => void send(event)}>
        <NumberFields facts={facts} typed={typed} setTyped={setTyped} />
        <p class="actions">
          <button type="submit" disabled={isBusy}>
            {say('check.scan.send')}
          </button>
        </p>
      </form>
    </details>
  );
}
