// Begins the session of a page, or takes up the one this browser has begun on the same link.

const finals = new Set(['passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled']);
const waitMsMax = 5_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Returns `{session, forget}`, or `{fault}` with an error code. While the service is unavailable the
 * request is repeated under the same key, so that no second session begins. The key is stored until
 * the answer is there: a page that is reloaded before it repeats the same request.
 */
export async function begin(link, onLine) {
  const kept = keptFor(link.link_uuid);
  const earlier = link.shown ? null : kept.read();
  const found = await findOpen(earlier, onLine);
  if (found.session) return { session: found.session, forget: kept.forget };
  const key = earlier?.key ?? newKey();
  if (!link.shown) kept.write({ key });
  const answer = await beginOrResume(link, { key, resume: found.resume }, onLine);
  if (answer.fault) {
    kept.forget();
    return answer;
  }
  const { link_session_id: id, check_token: token, socket, status, pair_url } = answer.body;
  const { resume_token: resume } = answer.body;
  const session = { id, token, resume, stream: socket.stream, pair: new URL(pair_url).hash };
  if (status === 'created') {
    const opened = await ask(
      `/v2/trust-checks/${id}/open`,
      { method: 'POST', token, body: {} },
      onLine,
    );
    if (opened.fault) {
      kept.forget();
      return opened;
    }
  }
  kept.write(session);
  return { session, forget: kept.forget };
}

/** The stored session if it is open, or its resume token if its check token is good no longer. */
async function findOpen(session, onLine) {
  if (!session?.token) return {};
  const { id, token, resume } = session;
  const answer = await ask(`/v2/trust-checks/${id}`, { method: 'GET', token }, onLine);
  if (answer.fault) return { resume };
  return finals.has(answer.body.status) ? {} : { session };
}

async function beginOrResume(link, { key, resume }, onLine) {
  const body = {
    link_uuid: link.link_uuid,
    app_id: link.app_id,
    client: 'web',
    ...(link.token ? { link_token: link.token } : {}),
    ...(link.shown ? { pair_token: link.shown } : {}),
  };
  const post = (more, its) =>
    ask('/v2/trust-checks', { method: 'POST', key: its, body: { ...body, ...more } }, onLine);
  if (resume) {
    const answer = await post({ resume_token: resume }, newKey());
    // The session has ended: another one may begin.
    if (answer.fault !== 'invalid_state') return answer;
  }
  return post({}, key);
}

async function ask(path, { method, token, key, body }, onLine) {
  const headers = {
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(key ? { 'idempotency-key': key } : {}),
  };
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch(() => null);
    const answer = await response?.json().catch(() => null);
    if (response?.ok && answer) {
      onLine(true);
      return { body: answer };
    }
    const code = answer?.code ?? '';
    const isPassing = !response || response.status >= 429 || code === 'idempotency_in_progress';
    if (!isPassing) return { fault: code || 'unexpected' };
    if (attempt > 0) onLine(false);
    const askedMs = Number(response?.headers.get('retry-after') ?? 0) * 1000;
    await pause(Math.max(askedMs, Math.min(250 * 2 ** attempt, waitMsMax)));
  }
}

/** Where a browser lets nothing be kept, every load begins anew. */
function keptFor(linkUuid) {
  const name = `check/${linkUuid}`;
  const tried = (act) => {
    try {
      return act();
    } catch {
      return null;
    }
  };
  return {
    read: () => tried(() => JSON.parse(localStorage.getItem(name))),
    write: (session) => tried(() => localStorage.setItem(name, JSON.stringify(session))),
    forget: () => tried(() => localStorage.removeItem(name)),
  };
}

function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
