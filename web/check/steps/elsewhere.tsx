import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { encode, type QrCodeGenerateResult } from 'uqr';
import type { CheckFacts, CheckPhrase } from '../../../api/links/visitor/pages/check-facts.ts';
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

/** The check runs on another device. Shows how to join, and the state as it changes. */
export function Elsewhere(props: Props) {
  const { facts, check } = props;
  const pairing = usePairingCode(check.session?.id ?? null);
  return <HandOver {...props} pairing={pairing} code={<Code facts={facts} check={check} />} />;
}

interface HandOverProps extends Props {
  /** Empty until it is computed. */
  readonly pairing: string;
  /** With which another device joins. */
  readonly code: ComponentChildren;
}

export function HandOver({ facts, check, state, pairing, code }: HandOverProps) {
  const { say } = useWords();
  const isUnpaired = isBeforePairing(state.status);
  // No event reports that a device joined. The next event of the check counts as that.
  const isWaiting = isUnpaired || check.session?.offered === state.sequence;
  const { account, app, isWebAllowed: canReturn } = facts;
  const offer = offerOf(facts);
  return (
    <Screen
      name={isWaiting ? 'scan' : 'elsewhere'}
      {...(isWaiting ? {} : { icon: 'device' as const })}
      title={say(isWaiting ? offer.title : 'check.elsewhere.title')}
      lead={say(isWaiting ? offer.lead : 'check.elsewhere.lead', { account, app })}
    >
      {isWaiting && code}
      {!isWaiting && canReturn && (
        <Folded label={say(facts.isPhone ? 'check.move' : 'check.scan.show')}>{code}</Folded>
      )}
      {pairing && (canReturn || !facts.isPhone) && (
        <p class="pairing">
          {say('check.scan.pairing')} <strong data-pairing>{pairing}</strong>
        </p>
      )}
      {!isWaiting && <Progress check={check} state={state} />}
      {canReturn && (
        <p class="actions">
          <button type="button" onClick={() => void here(check, isUnpaired)}>
            {say('check.scan.here')}
          </button>
        </p>
      )}
    </Screen>
  );
}

/** The request to the person. A phone cannot scan its own screen. */
function offerOf({
  isWebAllowed,
  isPhone,
  appUrl,
}: CheckFacts): Record<'title' | 'lead', CheckPhrase> {
  if (isWebAllowed) return { title: 'check.move', lead: 'check.scan.web' };
  if (!isPhone) return { title: 'check.scan.title', lead: 'check.scan.app' };
  return {
    title: 'check.welcome.title',
    lead: appUrl === null ? 'check.welcome.get' : 'check.scan.open',
  };
}

/** Continues the check here. A waiting check is first paired with this browser. */
async function here(check: Check, isUnpaired: boolean): Promise<void> {
  if (isUnpaired) return check.start('here');
  // The other device may have requested a code. Only a read reports it.
  await check.refresh();
  check.move('here');
}

interface FoldedProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Content for another device, requested from the service only while it is displayed. */
function Folded({ label, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && children}
    </details>
  );
}

/** Polling interval. No event reports that a code was used. */
const askMs = 10_000;

/**
 * Returns the fragment with which another device joins. It is replaced once it is used or expired.
 */
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

/** Drawn in the browser, so that the token in the address never reaches the service. */
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
  // A phone without the app continues in its browser. `format_type` requests the page.
  const address = `${facts.url}${facts.isWebAllowed ? '?format_type=H' : ''}${fragment}`;
  const code = useMemo(() => encode(address, { border: 2 }), [address]);
  return (
    <JoinCode facts={facts} fragment={fragment} code={code}>
      <Copy address={address} />
    </JoinCode>
  );
}

interface JoinProps {
  readonly facts: CheckFacts;
  /** Fragment of the address with which another device joins. */
  readonly fragment: string;
}

interface CodeProps extends JoinProps {
  readonly code: QrCodeGenerateResult;
  /** A button that copies the link. */
  readonly children: ComponentChildren;
}

/**
 * The code to scan. A phone cannot scan its own screen, so there the app comes first. The code is
 * displayed on request, if another device can continue.
 */
export function JoinCode({ facts, fragment, code, children }: CodeProps) {
  const { say } = useWords();
  const target = useTarget();
  const { isPhone, isWebAllowed, appUrl, app } = facts;
  const drawn = (
    <div id="code">
      <svg
        role="img"
        aria-label={say('check.scan.code')}
        viewBox={`0 0 ${code.size} ${code.size}`}
        shape-rendering="crispEdges"
      >
        <path d={pathOf(code)} />
      </svg>
    </div>
  );
  if (!isPhone) {
    return (
      <>
        {drawn}
        {children}
      </>
    );
  }
  return (
    <>
      {appUrl !== null && (
        <p class="actions">
          <a id="app" class="button main" href={`${appUrl}${fragment}`} target={target}>
            {say('check.welcome.app', { app })}
          </a>
        </p>
      )}
      {children}
      {isWebAllowed && <Folded label={say('check.scan.show')}>{drawn}</Folded>}
    </>
  );
}

/** Draws a square for each dark module. */
const pathOf = ({ data }: QrCodeGenerateResult): string =>
  data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : ''))).join('');

function Copy({ address }: { readonly address: string }) {
  const [copied, setCopied] = useState('');
  const [isRefused, setRefused] = useState(!navigator.clipboard);
  const copy = (): void =>
    void navigator.clipboard.writeText(address).then(
      () => setCopied(address),
      () => setRefused(true),
    );
  return (
    <>
      {navigator.clipboard && <CopyButton isCopied={copied === address} copy={copy} />}
      {/* The person can select the text if the browser cannot copy it. */}
      <p role="status">{isRefused && <code>{address}</code>}</p>
    </>
  );
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
