import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import type { BrowserKey } from '../../../client/browser-key.ts';
import { ask, newKey, type Answer, type Fault } from './ask.ts';
import { begin, findOpen, type Begun, type LinkOfPage, type Opened } from './begin.ts';
import { keyOfBrowser } from './browser-key.ts';
import type { Call, OnLine, Service } from './connection.ts';
import { follow, type CheckEvent } from './follow.ts';
import { tellHost } from './host.ts';
import {
  storeOf,
  type StoredSession,
  type Place,
  type Session,
  type Store,
} from './stored-session.ts';
import { isEnded, submittedSince, type CheckState } from './state.ts';

/** The state of a page and its check. */
export interface RunnerState {
  /** `welcome` until the person begins, or until the stored session is found. */
  readonly phase: 'welcome' | 'beginning' | 'running' | 'stuck';
  readonly place: Place;
  readonly session: Session | null;
  readonly state: CheckState | null;
  /** The reason why the page cannot continue. */
  readonly fault: Fault | null;
  readonly events: readonly CheckEvent[];
  /** Whether the service can be reached. */
  readonly isOnline: boolean;
  /** Id of the check that the address joins; null for none. */
  readonly joins: string | null;
  /** Whether the address of a mailed link lacks its token. */
  readonly isTokenMissing: boolean;
  /** True as soon as the page knows that this browser has no session to continue. */
  readonly isLoaded: boolean;
}

export const nothing: RunnerState = {
  phase: 'welcome',
  place: 'here',
  session: null,
  state: null,
  fault: null,
  events: [],
  isOnline: true,
  joins: null,
  isTokenMissing: false,
  isLoaded: false,
};

/** Operations of a page on its check. */
export interface Runner {
  /** Reads the address and resumes the stored session. Begins nothing. */
  readonly load: () => void;
  readonly start: (place: Place) => void;
  /** Continues the open session in another place. */
  readonly move: (place: Place) => void;
  readonly call: <Body>(path: string, call: Omit<Call, 'token'>) => Promise<Answer<Body>>;
  readonly show: (state: CheckState) => void;
  /** Reads the state from the service. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => void;
}

/**
 * Runs the check of a link: begins or resumes its session, and follows its events.
 * @param render called with the whole state after each change
 */
export function createRunner(facts: CheckFacts, render: (held: RunnerState) => void): Runner {
  const store = storeOf(facts.link_uuid);
  let held = nothing;
  let line: ReturnType<typeof follow> | null = null;
  let address: Tokens = { token: null, pairToken: null };
  let loading = Promise.resolve();
  const change = (more: Partial<RunnerState>): void => {
    reportSubmitted(held.state, more.state ?? null);
    held = { ...held, ...more };
    render(held);
  };
  const service = serviceOf(facts, (isOnline) => {
    if (held.isOnline !== isOnline) change({ isOnline });
  });
  /** Stops following the session and clears its state. */
  const restart = (more: Partial<RunnerState>): void => {
    line?.stop();
    change({ session: null, state: null, fault: null, events: [], ...more });
  };
  const show = (state: CheckState): void => change(newer(held, state));
  const revive = async (session: Session): Promise<void> => {
    const found = await findAgain(session, linkOf(facts, address), store, service);
    if (isRunning(held, session)) run(found);
  };
  const run = (begun: Begun | null): void => {
    if (begun === null) return change({ isLoaded: true });
    if (begun.fault) return restart({ phase: 'stuck', fault: begun.fault });
    const { session, state } = begun;
    restart({ phase: 'running', place: session.place, session, state });
    line = follow(session, {
      service,
      onGone: () => void revive(session),
      onEvent(event) {
        change({ events: [...held.events, event], ...newer(held, event.data.object) });
        if (!isEnded(event.data.object.status)) return;
        endIn(store, facts, session);
        if (!isAffidavitAwaited(event.data.object)) line?.stop();
      },
    });
  };
  const start = async (place: Place): Promise<void> => {
    if (held.session && held.state && isEnded(held.state.status)) store.forget(held.session);
    restart({ phase: 'beginning', place, joins: null });
    await loading;
    if (held.session) return; // The stored session was found in the meantime.
    const begun = await beginAt(place, linkOf(facts, address), store, service);
    // The pair token in the address is for one session only. Any later session is another one.
    address = withoutPairToken(address);
    run(begun);
  };
  return {
    load() {
      address = tokensOfAddress();
      const joins = joinedBy(address, store.read());
      if (joins === null) address = withoutPairToken(address);
      change({ joins, isTokenMissing: facts.isEmailed && !joins && !address.token });
      if (joins === null) loading = findResumable(facts, address, store, service).then(run);
    },
    start: (place) => void start(place),
    move(place) {
      const session = sessionAt(place, held);
      if (session) store.write({ session });
      change({ place, session });
    },
    call: (path, more) => askOf(held.session, path, more, service),
    show,
    refresh: () => readState(held.session, service).then((state) => state && show(state)),
    stop: () => line?.stop(),
  };
}

/** Called before the state is displayed, so that submissions are reported before the outcome. */
function reportSubmitted(before: CheckState | null, after: CheckState | null): void {
  for (const proof of submittedSince(before, after)) tellHost({ type: 'submitted', proof });
}

/** The next check of a reusable link may belong to another person. */
const endIn = (store: Store, { isSingleUse }: CheckFacts, session: Session): void =>
  isSingleUse ? store.end(session) : store.forget(session);

/**
 * Returns the stored session that the page continues; null without one. A reusable link does not
 * continue an ended check, because the next person at this browser would see its outcome.
 */
async function findResumable(
  facts: CheckFacts,
  address: Tokens,
  store: Store,
  service: Service,
): Promise<Opened | null> {
  const found = await findOpen(linkOf(facts, address), store, service);
  if (!found || facts.isSingleUse || !isEnded(found.state.status)) return found;
  store.forget(found.session);
  return null;
}

/** Returns the session in another place, with the step at which it moved there. */
const sessionAt = (place: Place, { session, state }: RunnerState): Session | null =>
  session && { ...session, place, offered: state?.sequence };

const isRunning = ({ session, state }: RunnerState, { id }: Session): boolean =>
  session?.id === id && !(state !== null && isEnded(state.status));

const againMs = 500;

/**
 * Resumes a session with an expired token, using its resume token. It waits first: otherwise a
 * token that is always refused would be replaced in an endless loop.
 */
async function findAgain(
  { id, token }: Session,
  link: LinkOfPage,
  store: Store,
  service: Service,
): Promise<Begun> {
  await new Promise((resolve) => setTimeout(resolve, againMs));
  const found = await findOpen(link, store, service);
  const isNew = found?.session.id === id && found.session.token !== token;
  return isNew ? found : { fault: { code: 'gone' } };
}

/** Calls an operation of the session. */
function askOf<Body>(
  session: Session | null,
  path: string,
  more: Omit<Call, 'token'>,
  service: Service,
): Promise<Answer<Body>> {
  const { id = '', token } = session ?? {};
  return ask<Body>(`/v2/trust-checks/${id}${path && `/${path}`}`, { ...more, token }, service);
}

const readState = async (session: Session | null, service: Service) =>
  (await askOf<CheckState>(session, '', { method: 'GET' }, service)).body;

function serviceOf(facts: CheckFacts, onLine: OnLine): Service {
  let key: Promise<BrowserKey> | undefined;
  return {
    onLine,
    // Created with the first call: the server also renders this page, and a visit alone must not
    // create a key.
    get browser() {
      return (key ??= keyOf(facts));
    },
  };
}

/** Returns the key of this browser with the nonce of the page. Rejects if no key can be created. */
async function keyOf({ nonce }: CheckFacts): Promise<BrowserKey> {
  const key = await keyOfBrowser();
  key.takeNonce(nonce);
  return key;
}

async function beginAt(
  place: Place,
  link: LinkOfPage,
  store: Store,
  service: Service,
): Promise<Begun> {
  const begun = await begin(link, place, store, service);
  if (begun.fault || place === 'elsewhere') return begun;
  const paired = await pair(begun, service);
  if (!paired.fault) store.write({ session: paired.session });
  return paired;
}

/** Makes this browser the client of the check, unless a phone with the app already is. */
async function pair(opened: Opened, service: Service): Promise<Begun> {
  const { session } = opened;
  const call = { method: 'POST', token: session.token, key: newKey(), body: {} } as const;
  const path = `/v2/trust-checks/${session.id}`;
  const paired = await ask<CheckState>(`${path}/pair`, call, service);
  if (paired.body) {
    // Another screen began the check. Only a read reports the code which that screen requested.
    const isUnderWay = paired.body.status === 'collecting';
    const get = { method: 'GET', token: session.token } as const;
    const read = isUnderWay ? await ask<CheckState>(path, get, service) : paired;
    return { session, state: read.body ?? paired.body };
  }
  const isElsewhere = ['already_paired', 'invalid_state'].includes(paired.fault.code);
  return isElsewhere ? { ...opened, session: { ...session, place: 'elsewhere' } } : paired;
}

/** An older state never replaces a newer one. */
const newer = (held: RunnerState, state: CheckState): Pick<RunnerState, 'state'> =>
  held.state !== null && state.sequence < held.state.sequence ? { state: held.state } : { state };

const isAffidavitAwaited = ({ affidavit: { status } }: CheckState): boolean =>
  status === 'pending' || status === 'signing';

const linkOf = (
  { link_uuid, app_id, language: locale }: CheckFacts,
  tokens: Tokens,
): LinkOfPage => ({ link_uuid, app_id, locale, ...tokens });

type Tokens = Pick<LinkOfPage, 'token' | 'pairToken'>;

/** Reads the tokens in the address: of a mailed link, and of another page's session. */
function tokensOfAddress(): Tokens {
  const hash = new URLSearchParams(location.hash.slice(1));
  return { token: hash.get('t'), pairToken: hash.get('p') };
}

/**
 * Returns the check that the address joins; null for none, and for the check that this browser
 * runs.
 */
function joinedBy({ pairToken }: Tokens, kept: StoredSession | null): string | null {
  const id = pairToken?.split('.', 1)[0] ?? null;
  return !kept?.key && kept?.session?.id === id ? null : id;
}

/**
 * Removes the pair token, which is single-use, from the address bar and its history. It stays in
 * the address until the answer arrives, so that a reloaded page joins again.
 */
function withoutPairToken({ token }: Tokens): Tokens {
  const hash = new URLSearchParams(location.hash.slice(1));
  hash.delete('p');
  const rest = String(hash);
  history.replaceState(null, '', rest ? `#${rest}` : location.pathname + location.search);
  return { token, pairToken: null };
}
