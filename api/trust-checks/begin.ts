import { isLoopback } from '../../activities/secure-urls.ts';
import { mintCheckToken } from '../../activities/tokens/check-token.ts';
import { isLinkToken } from '../../activities/tokens/link-token.ts';
import { pairToken, sessionOfPairToken } from '../../activities/tokens/pair-token.ts';
import { projectAnswer } from '../../activities/trust-checks/project.ts';
import { startOf } from '../../activities/trust-checks/start.ts';
import { transaction } from '../../db/client.ts';
import { derivedId } from '../../db/ids.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { appendEvents, trustCheckStream } from '../../db/queries/events.ts';
import type { JoinSessionRow } from '../../db/queries/join-sessions.ts';
import { reserveLink } from '../../db/queries/link-leases.ts';
import { lockLink, type LinkRow } from '../../db/queries/links.ts';
import { markStarted } from '../../db/queries/orphaned-checks.ts';
import {
  findTrustCheck,
  insertTrustCheck,
  type TrustCheckRow,
} from '../../db/queries/trust-checks.ts';
import { findJoinable, writeReturnTo } from '../../db/queries/waiting-checks.ts';
import { sessionEvent } from '../../db/session-event.ts';
import { Failure } from '../../workflows/failures.ts';
import { proofTypes, type ProofType } from '../../workflows/proofs.ts';
import { beginUpdate } from '../../workflows/trust-check/messages.ts';
import { isTrustCheckFinal } from '../../workflows/trust-check/state.ts';
import type { AttestedDevice } from '../auth/caller.ts';
import { handler, type Input } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { mustFindLink } from '../links/find.ts';
import { linkUrl, stateOf } from '../links/present.ts';
import { checkSubject } from '../links/sandbox-subject.ts';
import { trustCheckContracts } from './contract.ts';
import { checkApp, pairWith } from './pair.ts';
import { bindTo, mayBeOf, mustBePerson, personOf } from './person.ts';
import { presentSession } from './present.ts';
import { bindJoining, joiningOf, letIn } from './let-in.ts';
import { checkReturnTo } from './return-to.ts';
import { checkUses } from './uses.ts';

type BeginDeps = Pick<Deps, 'db' | 'temporal' | 'sealer' | 'ids' | 'keys' | 'settings' | 'clock'>;
type BeginInput = Input<typeof trustCheckContracts.begin>;

/** Who may come to a check that waits. */
interface Joiner {
  /** The check they were shown. */
  readonly shown: TrustCheckRow | null;
  readonly person: string | null;
  readonly phone: AttestedDevice | null;
}

/** How long a page that waits for a phone can be joined by one. */
const joinableMs = 30 * 60_000;

/**
 * Begins a session: the row first, then its workflow, both under ids that a repeated request finds
 * again; what is begun and not repeated is started by a relay. A phone that was shown a page's pair
 * token joins the session of that page. One that signs the request is paired by it. Whoever has a
 * session is the person the check is of.
 */
export const begin = handler(trustCheckContracts.begin)(async (input, deps: BeginDeps) => {
  const link = await mustFindLink(deps, input.body.link_uuid, input.body.app_id);
  const phone = input.body.client === 'mobile' ? input.attested : null;
  const shown = await shownSession(deps, link, input.body.pair_token, phone);
  // Who was shown a session of a mailed link was shown it by who holds the link's own token.
  if (!shown) checkLinkToken(deps, link, input.body.link_token);
  await checkReturnTo(deps, link, input.body.return_to);
  // Before anything is begun: a phone that may not take part holds no link.
  if (phone) await checkApp(deps, link, phone);
  checkSubject(input.body.sandbox_subject, link);
  const person = await personOf(deps, input.caller, phone, link.account_id);
  const joining = await joiningOf(deps, link, input.body.join_token, input.call.now);
  const session =
    (await joinWaiting(deps, link, input, { shown, person, phone })) ??
    (await createSession(deps, link, input, { joining, person }));
  if (joining) await letIn(deps, session, joining, input.call.now);
  const started = await startWorkflow(deps, session, input);
  const begun = phone ? await pairWith(deps, started, phone) : started;
  const { token, expiresAt } = await mintCheckToken(
    deps.keys.tokens,
    deps.settings.baseUrl,
    begun.link_session_id,
    input.call.now,
  );
  const url = linkUrl(deps.settings.baseUrl, link);
  const pair = pairToken(deps.keys.secret('pair-token'), begun.link_session_id);
  return {
    status: 201,
    body: {
      ...(await presentSession(deps, begun)),
      client: begun.client,
      check_token: token,
      check_token_expires_at: expiresAt.toISOString(),
      socket: { url: deps.settings.baseUrl, stream: trustCheckStream(begun.link_session_id) },
      pair_url: `${url}#p=${pair}`,
      qr_svg_url: `${url}?format_type=S&pair_token=${pair}`,
    },
  };
});

function checkLinkToken(deps: BeginDeps, link: LinkRow, offered: string | undefined): void {
  if (!link.emailed) return;
  const secret = deps.keys.secret('link-token');
  if (offered === undefined || !isLinkToken(secret, link.link_uuid, offered)) {
    throw new Failure('link_token_required');
  }
}

/**
 * Whoever joins may say where it leads on and whose it is, as long as nobody has; never how it is
 * to come out. One that is a person's is joined by them alone, known by their session or phone.
 */
async function joinWaiting(
  deps: BeginDeps,
  link: LinkRow,
  input: BeginInput,
  { shown, person, phone }: Joiner,
): Promise<TrustCheckRow | null> {
  // Who names a session is told; who only holds the link learns nothing of it.
  if (shown) await mustBePerson(deps, shown, person);
  const waiting = shown ?? (await findWaiting(deps, link, input, phone));
  if (!waiting || !(await mayBeOf(deps, waiting, person))) return null;
  const { return_to, sandbox_subject } = input.body;
  if (sandbox_subject !== undefined && sandbox_subject !== waiting.sandbox_subject) {
    throw new Failure('invalid_state', { detail: 'The check has another sandbox_subject' });
  }
  const joined =
    input.caller.kind === 'session' && person !== null
      ? await bindTo(deps, waiting, person)
      : waiting;
  if (return_to !== undefined) await writeReturnTo(deps.db, waiting.link_session_id, return_to);
  return joined;
}

/**
 * The session a page has open on this link and nobody has paired. A single-use link is its holder's
 * alone, however long they have waited: its one session also gets its workflow here if that was
 * away before. On a reusable one whoever joins was shown the page's pair token: many hold the link,
 * and whose page waits with it is nothing an address tells. In development, where page and phone
 * are programs on one machine, a phone there joins the lone page that waits there.
 */
async function findWaiting(
  deps: BeginDeps,
  link: LinkRow,
  input: BeginInput,
  phone: AttestedDevice | null,
): Promise<TrustCheckRow | null> {
  if (link.single_use) {
    const held = link.reserved_by ? await findTrustCheck(deps.db, link.reserved_by) : null;
    return held && (isUnpaired(held) || isWith(held, phone)) ? held : null;
  }
  const isHere = deps.settings.isDevelopment && isLoopback(input.call.address);
  if (input.body.client !== 'mobile' || !isHere) return null;
  const since = new Date(input.call.now.getTime() - joinableMs);
  const waiting = await findJoinable(deps.db, link.link_uuid, since, input.call.address);
  const [first] = waiting;
  return first?.client === 'web' && waiting.length === 1 ? first : null;
}

/** The session a pair token is of. Throws where it is none of this link, or has its phone. */
async function shownSession(
  { db, keys }: BeginDeps,
  link: LinkRow,
  token: string | undefined,
  phone: AttestedDevice | null,
): Promise<TrustCheckRow | null> {
  if (token === undefined) return null;
  const id = sessionOfPairToken(keys.secret('pair-token'), token);
  const session = id === null ? null : await findTrustCheck(db, id);
  if (session?.link_uuid !== link.link_uuid) throw new Failure('not_found');
  if (isUnpaired(session) || isWith(session, phone)) return session;
  throw new Failure(session.device_id === null ? 'invalid_state' : 'already_paired');
}

/** A phone that never heard that it is paired goes on with its check. */
const isWith = ({ status, device_id }: TrustCheckRow, phone: AttestedDevice | null): boolean =>
  device_id !== null && device_id === phone?.deviceId && !isTrustCheckFinal(status);

const isUnpaired = ({ status, device_id }: TrustCheckRow): boolean =>
  device_id === null && (status === 'created' || status === 'opened');

async function createSession(
  deps: BeginDeps,
  link: LinkRow,
  input: BeginInput,
  { joining, person }: { joining: JoinSessionRow | null; person: string | null },
): Promise<TrustCheckRow> {
  const id = derivedId('tc', input.seed);
  const existing = await findTrustCheck(deps.db, id);
  if (existing) return existing;
  // Nothing begins on an app that was archived; what has begun on it goes on.
  if (!(await findApp(deps.db, link.app_id))) throw new Failure('not_found');
  const { now } = input.call;
  return transaction(deps.db, async (tx) => {
    const locked = await lockLink(tx, link.link_uuid);
    if (!locked || stateOf(locked, now) !== 'active') {
      throw new Failure('link_not_active', {
        detail: `The link is ${locked ? stateOf(locked, now) : 'deleted'}`,
      });
    }
    await checkUses(tx, locked);
    const lease = await reserveLink(tx, link.link_uuid, id, now);
    if (locked.single_use && !lease) throw new Failure('link_not_active');
    const session = await insertTrustCheck(tx, {
      link_session_id: id,
      link_uuid: locked.link_uuid,
      app_id: locked.app_id,
      account_id: locked.account_id,
      client: input.body.client,
      locale: input.body.locale ?? locked.locale,
      return_to: input.body.return_to ?? null,
      reference_id: locked.reference_id,
      proofs: proofsOf(locked).map((type) => ({
        type,
        status: 'waiting_for_prerequisite',
        attempt: 0,
        max_attempts: locked.max_attempts,
        reason_code: null,
        provider: null,
        evidence_hash: null,
      })),
      livemode: locked.livemode,
      created_at: now,
      begun_from: input.call.address,
      sandbox_subject: input.body.sandbox_subject ?? locked.sandbox_subject,
      poly_user_id: input.caller.kind === 'session' ? person : null,
    });
    if (!session) throw new Failure('idempotency_in_progress', { retryAfterSeconds: 1 });
    if (joining) await bindJoining(tx, session, joining, now);
    await appendEvents(tx, { ids: deps.ids, now }, [
      sessionEvent(session, 'trust_check.created'),
      ...(lease?.events ?? []),
    ]);
    return session;
  });
}

async function startWorkflow(
  deps: BeginDeps,
  session: TrustCheckRow,
  input: BeginInput,
): Promise<TrustCheckRow> {
  const started = deps.temporal.startWithUpdate(
    'trustCheck',
    startOf(session, deps.settings.timers, input.call.requestId),
    beginUpdate,
    // The app itself is what has loaded; a page says so by `open` once it shows.
    [{ opened: input.body.client === 'mobile' }],
    `begin/${session.link_session_id}/${input.body.client}`,
  );
  const snapshot = await started.catch((error: unknown) => {
    // The link was deleted meanwhile, and the session canceled before it had begun.
    const hasEnded = error instanceof Failure && error.code === 'invalid_state';
    throw hasEnded ? new Failure('link_not_active', { cause: error }) : error;
  });
  const begun = await projectAnswer(deps, snapshot);
  // A page's begin moves nothing, so that no projection has noted the start.
  if (begun.awaits_start) await markStarted(deps.db, begun.link_session_id);
  return begun;
}

function proofsOf(link: LinkRow): ProofType[] {
  return proofTypes.filter((type) => link.required_proofs.includes(type));
}
