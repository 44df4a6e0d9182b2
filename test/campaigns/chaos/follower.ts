import { io } from 'socket.io-client';

/** A client that follows one stream over every restart, as the documentation tells clients to. */
export interface Follower {
  readonly stream: string;
  /** The sequences of the received events, in order of arrival. */
  places(): readonly number[];
  isConnected(): boolean;
  stop(): void;
}

const pauseMs = 200;
const answerMsMax = 5_000;

/** Follows a stream from its beginning, and resumes after each break behind the last event. */
export function follow(baseUrl: string, token: string, stream: string): Follower {
  const places: number[] = [];
  let isStopped = false;
  const socket = io(baseUrl, {
    transports: ['websocket'],
    auth: { token },
    forceNew: true,
    reconnectionDelay: pauseMs,
    reconnectionDelayMax: pauseMs,
  });
  const retry = (work: () => unknown): void => {
    if (!isStopped) setTimeout(work, pauseMs);
  };
  const subscribe = async (): Promise<void> => {
    if (isStopped || !socket.connected) return;
    const request = { stream, after: places.at(-1) ?? 0 };
    try {
      const { ok } = await socket.timeout(answerMsMax).emitWithAck('subscribe', request);
      if (!ok) retry(subscribe);
    } catch {
      // The server may have received it: a new connection is sure to be subscribed once.
      socket.disconnect().connect();
    }
  };
  socket.on('connect', () => void subscribe());
  socket.on('event', (event: { position: number }) => places.push(event.position));
  // The client library does not reconnect when the server ends or refuses the connection.
  const connect = (): void => {
    if (!isStopped && !socket.active) socket.connect();
  };
  socket.on('disconnect', () => retry(connect));
  socket.on('connect_error', () => retry(connect));
  return {
    stream,
    places: () => places,
    isConnected: () => socket.connected,
    stop() {
      isStopped = true;
      socket.disconnect();
    },
  };
}
