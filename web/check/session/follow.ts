import { io, type Socket } from 'socket.io-client';
import type { BrowserKey } from '../../../client/browser-key.ts';
import { send, socketAuth, type Service } from './connection.ts';
import type { Session } from './stored-session.ts';
import type { CheckState } from './state.ts';

/** An event of the stream of a check (api/asyncapi.json). */
export interface CheckEvent {
  readonly type: string;
  readonly created_at: string;
  readonly sequence: number;
  readonly data: {
    readonly object: CheckState & { readonly proof?: string; readonly proof_status?: string };
  };
}

interface Followed {
  readonly onEvent: (event: CheckEvent) => void;
  readonly service: Service;
  /**
   * Called when the session can no longer be followed: its token has expired, or it does not exist.
   */
  readonly onGone: () => void;
}

interface Progress {
  last: number;
  isOver: boolean;
}

/** Callbacks of the socket and the poller to the follower. */
interface Line {
  readonly take: (event: CheckEvent) => void;
  readonly leave: () => void;
  readonly lose: () => void;
  readonly find: () => void;
}

const askMs = 2_000;
const silentMs = 1_500;
const answerMsMax = 5_000;
const comeBackMs = 250;
/** Maximum reconnect delay. A person sees within a second that the service is available again. */
const comeBackMsMax = 700;
const gone = [401, 403, 404];

/**
 * Calls `onEvent` with every event of the session, once and in order, starting with the first.
 * Events arrive by socket, and by HTTP while there is no socket.
 */
export function follow(session: Session, { onEvent, service, onGone }: Followed) {
  const { onLine } = service;
  const progress: Progress = { last: 0, isOver: false };
  let socket: Socket | null = null;
  const end = (act?: () => void): void => {
    if (progress.isOver) return;
    progress.isOver = true;
    removeEventListener('online', wake);
    document.removeEventListener('visibilitychange', wake);
    asker.stop();
    socket?.disconnect();
    onLine(true);
    act?.();
  };
  const line: Line = {
    take(event) {
      if (progress.isOver || event.sequence <= progress.last) return;
      progress.last = event.sequence;
      onEvent(event);
    },
    leave: () => end(onGone),
    lose: () => void (progress.isOver || asker.start()),
    find() {
      asker.stop();
      onLine(true);
    },
  };
  const asker = createPoller(session, progress, line, service);
  const listen = async (): Promise<void> => {
    socket = connect(session, progress, line, await service.browser);
    if (progress.isOver) socket.disconnect();
  };
  // Timers and sockets of a page that was hidden or offline can be suspended.
  const wake = (): void => {
    if (document.visibilityState === 'hidden') return;
    if (socket && !socket.connected) socket.disconnect().connect();
    asker.ask();
  };
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);
  void listen();
  asker.start();
  return { stop: () => end() };
}

/** Reconnects after every break, and subscribes from the last processed event. */
function connect(
  { token, stream }: Session,
  progress: Progress,
  line: Line,
  browser: BrowserKey,
): Socket {
  const socket = io(location.origin, {
    transports: ['websocket'],
    // A proof is valid for one connection.
    auth: (give) => void socketAuth(token, browser).then(give),
    timeout: answerMsMax,
    reconnectionDelay: comeBackMs,
    reconnectionDelayMax: comeBackMsMax,
  });
  const again = (): void => void socket.disconnect().connect();
  const later = (act: () => void, ms: number): void =>
    void setTimeout(() => progress.isOver || act(), ms);
  socket.on('connect', () => {
    const subscription = { stream, after: progress.last };
    socket.emit('subscribe', subscription, (answer: { ok: boolean; code?: string }) => {
      if (answer.ok) line.find();
      else if (answer.code === 'not_found') line.leave();
      else later(again, comeBackMsMax);
    });
  });
  socket.on('event', (event: CheckEvent) => {
    // After a gap, requests all events after the last one again.
    if (event.sequence > progress.last + 1) again();
    else line.take(event);
  });
  socket.on('bye', ({ code }: { code: string }) => {
    if (code === 'expired') line.leave();
  });
  socket.on('connect_error', (error: Error & { data?: { code?: string; nonce?: string } }) => {
    const { code = '', nonce } = error.data ?? {};
    browser.takeNonce(nonce);
    if (code.startsWith('credential_')) return line.leave();
    line.lose();
    const waitMs = code === 'use_dpop_nonce' ? 0 : comeBackMsMax;
    if (!socket.active) later(() => socket.connect(), waitMs);
  });
  socket.on('disconnect', () => {
    line.lose();
    // The client does not reconnect by itself after the server closes the socket on purpose.
    if (!socket.active) later(() => socket.connect(), comeBackMs);
  });
  return socket;
}

/** Requests events by HTTP while there is no socket, unless the break is short. */
function createPoller(
  { id, token }: Session,
  progress: Progress,
  line: Line,
  { browser, onLine }: Service,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  const get = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const path = `/v2/trust-checks/${id}/events?after=${progress.last}`;
    const call = { method: 'GET', token } as const;
    const response = await send(path, call, await browser).catch(() => null);
    isAsking = false;
    if (response && gone.includes(response.status)) return line.leave();
    // While a socket is open, one failed call does not mean that the service is unreachable.
    if (response?.ok || timer !== undefined) onLine(Boolean(response?.ok));
    const page: unknown = response?.ok ? await response.json().catch(() => null) : null;
    for (const event of (page as { items: CheckEvent[] } | null)?.items ?? []) line.take(event);
    if (timer === undefined || progress.isOver) return;
    clearTimeout(timer);
    timer = setTimeout(() => void get(), askMs);
  };
  return {
    ask: () => void (progress.isOver || get()),
    start() {
      timer ??= setTimeout(() => void get(), silentMs);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
