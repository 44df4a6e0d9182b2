// Follows the events of one session: by socket, and by asking while the socket is away.
import { io } from '/assets/socket.js';

const askMs = 2_000;
const silentMs = 1_500;
const answerMsMax = 5_000;
const comeBackMs = 250;
const comeBackMsMax = 2_000;
const gone = new Set([401, 403, 404]);

/**
 * Calls `onEvent` with every event of the session once and in order, from its first, whatever
 * breaks in between. `onLine` is told when the line is lost (false) and is there again (true),
 * `onGone` when the session can be followed no longer.
 */
export function follow(session, { onEvent, onLine, onGone }) {
  const state = { last: 0, isOver: false };
  const end = (act) => {
    if (state.isOver) return;
    state.isOver = true;
    asker.stop();
    socket.disconnect();
    onLine(true);
    act?.();
  };
  const take = (event) => {
    if (state.isOver || event.sequence <= state.last) return;
    state.last = event.sequence;
    onEvent(event);
  };
  const leave = () => end(onGone);
  const asker = createAsker(session, state, { take, leave, onLine });
  const socket = connect(session, state, {
    take,
    leave,
    lose: () => state.isOver || asker.start(),
    find() {
      asker.stop();
      onLine(true);
    },
  });
  asker.start();
  return { stop: () => end() };
}

/** The socket, come back to after every break; each time from the last event that was taken. */
function connect({ token, stream }, state, { take, leave, lose, find }) {
  const socket = io(location.origin, {
    transports: ['websocket'],
    auth: { token },
    timeout: answerMsMax,
    reconnectionDelay: comeBackMs,
    reconnectionDelayMax: comeBackMsMax,
  });
  const again = () => void socket.disconnect().connect();
  const later = (act, ms) => setTimeout(() => state.isOver || act(), ms);
  socket.on('connect', () => {
    socket.emit('subscribe', { stream, after: state.last }, (answer) => {
      if (answer.ok) find();
      else if (answer.code === 'not_found') leave();
      else later(again, comeBackMsMax);
    });
  });
  socket.on('event', (event) => {
    // A gap cannot be; were there one, everything after the last is asked for again.
    if (event.sequence > state.last + 1) again();
    else take(event);
  });
  socket.on('bye', ({ code }) => {
    if (code === 'expired') leave();
  });
  socket.on('connect_error', (error) => {
    if (error.data?.code?.startsWith('credential_')) return leave();
    lose();
    if (!socket.active) later(() => socket.connect(), comeBackMsMax);
  });
  socket.on('disconnect', () => {
    lose();
    // A server that ends on purpose is not come back to by itself.
    if (!socket.active) later(() => socket.connect(), comeBackMs);
  });
  return socket;
}

/** Asks for the same events while there is no socket; a blink of it is not worth asking. */
function createAsker({ id, token }, state, { take, leave, onLine }) {
  let timer = null;
  const ask = async () => {
    const path = `/v2/trust-checks/${id}/events?after=${state.last}`;
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(path, { headers }).catch(() => null);
    if (response && gone.has(response.status)) return leave();
    onLine(Boolean(response?.ok));
    const page = response?.ok ? await response.json().catch(() => null) : null;
    for (const event of page?.items ?? []) take(event);
    if (timer !== null && !state.isOver) timer = setTimeout(ask, askMs);
  };
  return {
    start() {
      timer ??= setTimeout(ask, silentMs);
    },
    stop() {
      clearTimeout(timer);
      timer = null;
    },
  };
}
