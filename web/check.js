// The page of a link: begins a session, waits for the phone, and shows each state as it comes.
import { io } from '/assets/socket.js';

const script = document.querySelector('script[data-link]');
const state = document.getElementById('state');
const final = new Set(['passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled']);
const words = {
  created: 'waiting for your phone',
  opened: 'waiting for your phone',
  paired: 'your phone is here; it asks for your consent',
  collecting: 'working on the proofs',
  processing: 'deciding',
  in_review: 'a person is looking at it',
  requires_retry: 'please try again',
  passed: 'passed',
  failed: 'failed',
  declined: 'declined',
  expired: 'expired',
  abandoned: 'abandoned',
  canceled: 'canceled',
};

async function post(path, body, token) {
  const headers = { 'content-type': 'application/json' };
  if (token) headers.authorization = `Bearer ${token}`;
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

function show(session) {
  state.textContent = words[session.status] ?? session.status;
  state.dataset.state = session.status;
  for (const proof of session.proofs) {
    const output = document.querySelector(`[data-proof="${proof.type}"] output`);
    if (output)
      output.textContent = proof.status === 'waiting_for_prerequisite' ? '' : proof.status;
  }
}

async function begin() {
  const fragment = new URLSearchParams(location.hash.slice(1)).get('t');
  const session = await post('/v2/trust-checks', {
    link_uuid: script.dataset.link,
    app_id: script.dataset.app,
    client: 'web',
    ...(fragment ? { link_token: fragment } : {}),
  });
  const opened = await post(
    `/v2/trust-checks/${session.link_session_id}/open`,
    {},
    session.check_token,
  );
  show(opened);
  let last = 0;
  const socket = io(location.origin, {
    transports: ['websocket'],
    auth: { token: session.check_token },
  });
  socket.on('connect', () => {
    socket.emit('subscribe', { stream: session.socket.stream, after: last }, () => undefined);
  });
  socket.on('event', (event) => {
    if (event.position <= last) return;
    last = event.position;
    show(event.data.object);
    if (final.has(event.data.object.status) && event.type === 'affidavit.available') {
      socket.disconnect();
    }
  });
}

begin().catch(() => {
  state.textContent = 'this link cannot be used from here right now';
});
