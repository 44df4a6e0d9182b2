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

/** What a page knows of its check. */
export interface RunnerState {
  /** `welcome` until the person begins, or the stored session is found. */
  readonly phase: 'welcome' | 'beginning' | 'running' | 'stuck';
  readonly place: Place;
  readonly session: Session | null;
  readonly state: CheckState | null;
  /** Why the page can go no further. */
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

/** What a page can do with its check. */
export interface Runner {
  /** Reads the address and resumes the stored session; nothing begins by it. */
  readonly load: () => void;
  readonly start: (place: Place) => void;
  /** Goes on with the open session in another place. */
  readonly move: (place: Place) => void;
  readonly call: <Body>(path: string, call: Omit<Call, 'token'>) => Promise<Answer<Body>>;
  readonly show: (state: CheckState) => void;
  /** Reads the state from the service. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => void;
}

/**
 * Runs the check of a link: begins or resumes its session, and follows its events.
 * @param render called with everything that is known, after each change
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
  /** Follows the session no longer, and knows nothing of it. */
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
    if (held.session) return; // The stored session was found meanwhile.
    const begun = await beginAt(place, linkOf(facts, address), store, service);
    // The address names the session of the other page once; what begins after it is another.
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

/** Called before the state is displayed: what was submitted is reported before the outcome. */
function reportSubmitted(before: CheckState | null, after: CheckState | null): void {
  for (const proof of submittedSince(before, after)) tellHost({ type: 'submitted', proof });
}

/** The next check of a reusable link may belong to another person. */
const endIn = (store: Store, { isSingleUse }: CheckFacts, session: Session): void =>
  isSingleUse ? store.end(session) : store.forget(session);

/**
 * The stored session that the page continues; null without one. A reusable link continues no check
 * that has ended: the next person at this browser would see its outcome.
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

/** The session in another place, with the step at which it was moved there. */
const sessionAt = (place: Place, { session, state }: RunnerState): Session | null =>
  session && { ...session, place, offered: state?.sequence };

const isRunning = ({ session, state }: RunnerState, { id }: Session): boolean =>
  session?.id === id && !(state !== null && isEnded(state.status));

const againMs = 500;

/**
 * Goes on with a session whose token has ended, by its resume token. Not at once: a token that is
 * refused each time would be replaced without end.
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
    // With the first call: the server renders this page too, and a mere visit makes no key.
    get browser() {
      return (key ??= keyOf(facts));
    },
  };
}

/** The key of this browser with the nonce of the page; rejected where no key can be made. */
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
    // Another screen began it: only a read reports the code that it had sent.
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

/** The tokens of the address: that of a mailed link, and that of another page's session. */
function tokensOfAddress(): Tokens {
  const hash = new URLSearchParams(location.hash.slice(1));
  return { token: hash.get('t'), pairToken: hash.get('p') };
}

/** The check that the address joins; null for none, and for the one that this browser runs. */
function joinedBy({ pairToken }: Tokens, kept: StoredSession | null): string | null {
  const id = pairToken?.split('.', 1)[0] ?? null;
  return !kept?.key && kept?.session?.id === id ? null : id;
}

/**
 * Removes the token of a session from the address bar and its history, since it is good once. Until
 * the answer is there it stays in the address, by which a page that is reloaded joins again.
 */
function withoutPairToken({ token }: Tokens): Tokens {
  const hash = new URLSearchParams(location.hash.slice(1));
  hash.delete('p');
  const rest = String(hash);
  history.replaceState(null, '', rest ? `#${rest}` : location.pathname + location.search);
  return { token, pairToken: null };
}
