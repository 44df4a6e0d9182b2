// Begins the session of a page, or takes up the one this browser has begun on the same link.

const finals = new Set(['passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled']);
const waitMsMax = 5_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Gives `{session, forget}`, or `{fault}` with the code of what stands against it. While the service
 * is away it is asked again, under the same key, so that no second session comes of it.
 */
export async function begin(link, onLine) {
  const kept = keptFor(link.link_uuid);
  const taken = await takeUp(kept.read(), onLine);
  if (taken) return { session: taken, forget: kept.forget };
  const answer = await ask(
    '/v2/trust-checks',
    {
      method: 'POST',
      key: newKey(),
      body: {
        link_uuid: link.link_uuid,
        app_id: link.app_id,
        client: 'web',
        ...(link.token ? { link_token: link.token } : {}),
        ...(link.shown ? { pair_token: link.shown } : {}),
      },
    },
    onLine,
  );
  if (answer.fault) return answer;
  const { link_session_id: id, check_token: token, socket, status, pair_url } = answer.body;
  const session = { id, token, stream: socket.stream, pair: new URL(pair_url).hash };
  if (status === 'created') {
    const opened = await ask(
      `/v2/trust-checks/${id}/open`,
      { method: 'POST', token, body: {} },
      onLine,
    );
    if (opened.fault) return opened;
  }
  kept.write(session);
  return { session, forget: kept.forget };
}

/** A session that still runs is gone on with: a page that is loaded again begins no second one. */
async function takeUp(session, onLine) {
  // What an earlier release has kept names no way for a phone to join.
  if (!session?.pair) return null;
  const { id, token } = session;
  const answer = await ask(`/v2/trust-checks/${id}`, { method: 'GET', token }, onLine);
  return answer.fault || finals.has(answer.body.status) ? null : session;
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
