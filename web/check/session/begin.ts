import { ask, newKey, type Answer, type Fault } from './ask.ts';
import type { Service } from './connection.ts';
import type { StoredSession, Place, Session, Store } from './stored-session.ts';
import type { CheckState } from './state.ts';

/** The link of a page, with the parameters in the fragment of its address. */
export interface LinkOfPage {
  readonly link_uuid: string;
  readonly app_id: string;
  readonly locale: string;
  /** Token of a mailed link. */
  readonly token: string | null;
  /** Pair token of the session of another page, which this page joins. */
  readonly pairToken: string | null;
}

interface BegunBody extends CheckState {
  readonly check_token: string;
  readonly resume_token: string | null;
  readonly socket: { readonly stream: string };
}

export interface Opened {
  readonly session: Session;
  readonly state: CheckState;
  readonly fault?: undefined;
}
export type Begun = Opened | { readonly fault: Fault };

/**
 * Returns the session that this browser stored for the link; null if there is none that can be
 * read. Begins nothing. An expired check token is replaced with the resume token.
 */
export async function findOpen(
  link: LinkOfPage,
  store: Store,
  service: Service,
): Promise<Opened | null> {
  const session = store.read()?.session;
  if (!session) return null;
  const { id, token } = session;
  const path = `/v2/trust-checks/${id}`;
  const answer = await ask<CheckState>(path, { method: 'GET', token }, service);
  if (answer.body) return { session, state: answer.body };
  if (session.resume === null) return null;
  const resumed = await post(link, { key: newKey(), resume: session.resume }, service);
  if (!resumed.body) return null;
  const begun = storeBegun(resumed.body, session.place, store);
  const call = { method: 'GET', token: begun.session.token } as const;
  const read = await ask<CheckState>(path, call, service);
  return { ...begun, state: read.body ?? begun.state };
}

/**
 * Begins a session of the link, joins that of another page, or resumes the stored one with its
 * resume token. A reloaded page repeats the same request: the key of a begin is stored until the
 * answer arrives, and that of a join until this browser is paired. Tabs take turns, so that a second
 * one continues the session of the first.
 */
export function begin(
  link: LinkOfPage,
  place: Place,
  store: Store,
  service: Service,
): Promise<Begun> {
  const work = () => beginInTurn(link, place, store, service);
  // Browsers before 2022 have no locks.
  return navigator.locks ? navigator.locks.request(`check/${link.link_uuid}`, work) : work();
}

async function beginInTurn(
  link: LinkOfPage,
  place: Place,
  store: Store,
  service: Service,
): Promise<Begun> {
  const kept = store.read();
  // A stored begin of another session is not continued.
  const earlier = (kept?.pairToken ?? null) === link.pairToken ? kept : null;
  const key = earlier?.key ?? newKey();
  const resume = earlier?.session?.resume ?? null;
  const joining = link.pairToken === null ? {} : { key, pairToken: link.pairToken };
  store.write({ ...earlier, key, ...joining });
  const answer = await resumeOrBegin(link, { key, resume }, service);
  if (answer.fault) {
    // A refusal can be temporary. A rejected code ends no other check of this browser.
    store.write(kept?.session ? { session: kept.session } : {});
    return answer;
  }
  const begun = storeBegun(answer.body, place, store, joining);
  const state = await open(begun.session, answer.body, service);
  return state.fault ? state : { ...begun, state: state.body };
}

function storeBegun(body: BegunBody, place: Place, store: Store, joining: StoredSession = {}) {
  const { link_session_id: id, check_token: token, resume_token: resume, socket } = body;
  const session: Session = { id, token, resume, stream: socket.stream, place };
  store.write({ ...joining, session });
  return { session, state: body };
}

interface Tokens {
  readonly key: string;
  readonly resume: string | null;
}

async function resumeOrBegin(
  link: LinkOfPage,
  { key, resume }: Tokens,
  service: Service,
): Promise<Answer<BegunBody>> {
  if (resume !== null) {
    const answer = await post(link, { key: newKey(), resume }, service);
    // The session has ended, so another one may begin.
    if (answer.fault?.code !== 'invalid_state') return answer;
  }
  return post(link, { key, resume: null }, service);
}

function post(
  link: LinkOfPage,
  { key, resume }: Tokens,
  service: Service,
): Promise<Answer<BegunBody>> {
  const body = {
    link_uuid: link.link_uuid,
    app_id: link.app_id,
    client: 'web',
    locale: link.locale,
    ...(link.token === null ? {} : { link_token: link.token }),
    ...(link.pairToken === null ? {} : { pair_token: link.pairToken }),
    ...(resume === null ? {} : { resume_token: resume }),
  };
  return ask('/v2/trust-checks', { method: 'POST', key, body }, service);
}

function open(session: Session, state: CheckState, service: Service): Promise<Answer<CheckState>> {
  if (state.status !== 'created') return Promise.resolve({ body: state });
  const { id, token } = session;
  const path = `/v2/trust-checks/${id}/open`;
  return ask(path, { method: 'POST', token, key: `open-${id}`, body: {} }, service);
}
