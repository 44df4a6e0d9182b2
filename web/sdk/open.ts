import { connectMessage, type CheckEvent, type FrameMessage, type Result } from './messages.ts';

export type { CheckError, CheckEvent, Outcome, Result } from './messages.ts';

export interface OpenOptions {
  /** The address of a link: `link.url` of the API. */
  readonly url: string;
  readonly onEvent?: ((event: CheckEvent) => void) | undefined;
  /** Closes the frame when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Displays the check in this element instead of a dialog. */
  readonly container?: HTMLElement | undefined;
  /** The language of the check (BCP 47). Default: of the link, else of the browser. */
  readonly locale?: string | undefined;
}

/** Maximum load time of the page in the frame. Its program answers before the load event. */
const loadMs = 10_000;
const answerMs = 5_000;

/** A check that is displayed. */
interface OpenedFrame {
  readonly result: Promise<Result>;
  readonly frame: HTMLIFrameElement;
  readonly cancel: () => void;
}
const opened = new Map<string, OpenedFrame>();

/**
 * Displays the check of a link in a modal dialog, or in `container`. A second call for the same
 * `url` while it is displayed returns the same promise, and its other options are ignored. The
 * promise is rejected only if `onEvent` throws.
 */
export function open(options: OpenOptions): Promise<Result> {
  const address = addressOf(options);
  const refuse = (code: string, detail: string): Result => {
    options.onEvent?.({ type: 'error', error: { code, detail } });
    return failed(code, detail);
  };
  if (!address) return Promise.resolve(refuse('invalid_url', 'url is no address of a link.'));
  if (options.signal?.aborted) return Promise.resolve({ status: 'canceled' });
  const known = opened.get(options.url);
  if (known?.frame.isConnected) return known.result;
  // The container of the frame was removed.
  known?.cancel();
  let ended: Ended = () => undefined;
  const result = new Promise<Result>((resolve) => (ended = resolve));
  const end = (given: Result): void => {
    if (opened.get(options.url)?.result === result) opened.delete(options.url);
    ended(given);
  };
  try {
    opened.set(options.url, { result, ...display(address, options, end) });
  } catch (error) {
    end(refuse('unsupported_browser', String(error)));
  }
  return result;
}

function addressOf({ url, locale }: OpenOptions): URL | null {
  const address = parsed(url);
  if (!address || !/^https?:$/.test(address.protocol)) return null;
  // A frame always gets the page, regardless of the content types that the browser accepts.
  address.searchParams.set('format_type', 'H');
  if (locale) address.searchParams.set('locale', locale);
  return address;
}

/** `URL.parse` exists only in browsers since 2024. */
function parsed(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

const failed = (code: string, detail: string): Result => ({
  status: 'error',
  error: { code, detail },
});

const blocked = (origin: string): Result =>
  failed(
    'frame_blocked',
    `The page of ${origin} did not answer. Check that the link exists, that allowed_origins of ` +
      `the app lists ${location.origin} (and every page around it), that the ` +
      `Content-Security-Policy of this page allows frame-src ${origin}, and that ${origin} can be ` +
      `reached.`,
  );

type Ended = (result: Result) => void;

function display(
  address: URL,
  { onEvent, signal, container }: OpenOptions,
  ended: Ended,
): Pick<OpenedFrame, 'frame' | 'cancel'> {
  const frame = frameOf(address);
  const dialog = container ? null : dialogOf(frame);
  let result: Result = { status: 'canceled' };
  let port: MessagePort | undefined;
  let isOver = false;
  const end = (given = result): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    port?.close();
    signal?.removeEventListener('abort', cancel);
    // Closing a dialog returns the focus. Removing it alone does not.
    dialog?.close();
    (dialog ?? frame).remove();
    ended(given);
    if (given.status === 'canceled') onEvent?.({ type: 'canceled' });
    // An error of the page was already reported when it arrived.
    else if (given.status === 'error' && given !== result)
      onEvent?.({ type: 'error', error: given.error });
  };
  const cancel = (): void => end();
  let timer: ReturnType<typeof setTimeout>;
  const expectAnswer = (ms: number): void => {
    clearTimeout(timer);
    // A page that fails to load after the end does not change the result.
    const given = (): Result => (result.status === 'finished' ? result : blocked(address.origin));
    timer = setTimeout(() => end(given()), ms);
  };
  expectAnswer(loadMs);
  const take = (message: FrameMessage): void => {
    if (isOver) return;
    if (message.type === 'close') return end();
    if (message.type === 'ready') {
      clearTimeout(timer);
      name(message.title, frame, dialog);
      return onEvent?.({ type: 'ready' });
    }
    result = resultAfter(message, result);
    onEvent?.(message);
  };
  // Also connects a later page, for example in another language, which may fail to load.
  frame.addEventListener('load', () => {
    expectAnswer(answerMs);
    const channel = new MessageChannel();
    port?.close();
    port = channel.port1;
    port.addEventListener('message', ({ data }: MessageEvent<FrameMessage>) => take(data));
    port.start();
    // Only a page of this origin receives the port. No listener accepts messages of other windows.
    frame.contentWindow?.postMessage(connectMessage, address.origin, [channel.port2]);
  });
  signal?.addEventListener('abort', cancel);
  dialog?.addEventListener('close', cancel);
  (container ?? document.body).append(dialog ?? frame);
  dialog?.showModal();
  return { frame, cancel };
}

/** Returns the result of `open` if the person leaves after this message. */
function resultAfter(message: FrameMessage, before: Result): Result {
  if (message.type === 'error') return { status: 'error', error: message.error };
  if (message.type === 'finished') {
    const { link_session_id, outcome } = message;
    return { status: 'finished', link_session_id, outcome };
  }
  const isOtherStep = message.type === 'step_changed' && before.status === 'error';
  return isOtherStep ? { status: 'canceled' } : before;
}

function frameOf(address: URL): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.src = address.href;
  frame.allow = `camera ${address.origin}; clipboard-write ${address.origin}`;
  // Terms and the app open in their own windows, without these limits. Without allow-forms a
  // browser does not even report that a form is submitted, and the page's script handles forms.
  frame.setAttribute(
    'sandbox',
    'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox',
  );
  Object.assign(frame.style, {
    display: 'block',
    inlineSize: '100%',
    blockSize: '100%',
    // For an element without its own height.
    minBlockSize: 'min(40rem, 100dvh)',
    border: '0',
  });
  name('trustcheck', frame, null);
  return frame;
}

/** Styled by properties: the policy of the embedding page may forbid style elements. */
function dialogOf(frame: HTMLIFrameElement): HTMLDialogElement {
  const dialog = document.createElement('dialog');
  // Checked here, because a dialog that is displayed before the error would stay in the page.
  if (!('showModal' in dialog)) throw new Error('The browser has no dialog element.');
  Object.assign(dialog.style, {
    inlineSize: '30rem',
    maxInlineSize: '100vw',
    blockSize: '46rem',
    maxBlockSize: '100dvh',
    padding: '0',
    border: '0',
    borderRadius: '0.75rem',
    overflow: 'hidden',
    boxShadow: '0 0 0 100vmax rgb(0 0 0 / 50%)',
  });
  dialog.append(frame);
  return dialog;
}

function name(title: string, frame: HTMLIFrameElement, dialog: HTMLDialogElement | null): void {
  frame.title = title;
  dialog?.setAttribute('aria-label', title);
}
