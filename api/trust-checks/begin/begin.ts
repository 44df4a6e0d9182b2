import { mintCheckToken } from '../../../activities/tokens/check-token.ts';
import { makeResumeToken } from '../../../activities/tokens/resume-token.ts';
import { startOf } from '../../../activities/trust-checks/start.ts';
import { derivedId } from '../../../db/ids.ts';
import { trustCheckStream } from '../../../db/queries/events.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import { markStarted } from '../../../db/queries/orphaned-checks.ts';
import { findTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { writeResumeHash } from '../../../db/queries/waiting-checks.ts';
import { isLinkToken } from '../../../domain/tokens/link-token.ts';
import { Failure } from '../../../workflows/failures.ts';
import { beginUpdate } from '../../../workflows/trust-check/messages.ts';
import type { Deps } from '../../deps.ts';
import { handler, type Input } from '../../http/contract.ts';
import { findLinkOrThrow } from '../../links/find.ts';
import { checkSubject } from '../../links/sandbox-subject.ts';
import { trustCheckContracts } from '../contract.ts';
import { personOf } from '../person.ts';
import { presentToSubject } from '../present.ts';
import { createSession, type Beginner } from './create-session.ts';
import { findJoining, joinSession } from './join-session.ts';
import { checkApp, checkSigningKey, pairWith } from './pair.ts';
import { pairAddressOf } from '../hand-over/pair-tokens.ts';
import { alreadyBegun, findResumable, joinOpen, presentedSession, type Joiner } from './resume.ts';
import { checkReturnTo } from './return-to.ts';
import { holdUseOf } from './uses.ts';

type BeginDeps = Pick<Deps, 'db' | 'temporal' | 'sealer' | 'ids' | 'keys' | 'settings' | 'clock'>;
type BeginInput = Input<typeof trustCheckContracts.begin>;

/**
 * Begins a session, or continues an open one. Writes the row, then starts the workflow. Both ids
 * are derived from the request, so a repeated request finds them. A relay starts the workflow if
 * the request is not repeated. An `attest` signature pairs the phone. The check belongs to the
 * person of the caller's session token. docs/decisions/003-sessions-of-links.md
 */
export const begin = handler(trustCheckContracts.begin)(async (input, deps: BeginDeps) => {
  const link = await findLinkOrThrow(deps, input.body.link_uuid, input.body.app_id);
  if (!input.reaches(link)) throw new Failure('not_found');
  const phone = input.body.client === 'mobile' ? input.attested : null;
  const shown = await presentedSession(deps, link, input.body, phone, input.call.now);
  // A resume token or pair token needs no link token: the client that began the session had one.
  if (!shown) checkLinkToken(deps, link, input);
  await checkReturnTo(deps, link, input.body.return_to);
  // Checked before anything is written, so that a refused phone does not lease the link.
  if (phone) {
    checkSigningKey(phone, input.clientKey);
    await checkApp(deps, link, phone);
  }
  checkSubject(input.body.sandbox_subject, link);
  const person = await personOf(deps, input.caller, phone, link.account_id);
  const joining = await findJoining(deps, link, input.body.join_token, input.call.now);
  const isAnonymous = input.caller.kind === 'anonymous' && input.attested === null;
  const by = { shown, person, phone, joining, isAnonymous };
  const { session, resumeToken } = await beginOrResume(deps, link, input, by);
  if (joining) await joinSession(deps, session, joining, input.call.now);
  // A phone opens its session when it begins.
  const opens = input.body.client === 'mobile' && session.status === 'created';
  if (opens) await holdUseOf(deps, session, input.call.now);
  const started = await startWorkflow(deps, session, input);
  const begun = phone ? await pairWith(deps, started, phone) : started;
  const { token, expiresAt } = await mintCheckToken(
    deps.keys.tokens,
    deps.settings.baseUrl,
    { linkSessionId: begun.link_session_id, jkt: input.clientKey },
    input.call.now,
  );
  return {
    status: 201,
    body: {
      ...(await presentToSubject(deps, begun)),
      client: begun.client,
      check_token: token,
      check_token_expires_at: expiresAt.toISOString(),
      resume_token: resumeToken,
      socket: { url: deps.settings.baseUrl, stream: trustCheckStream(begun.link_session_id) },
      ...(await pairAddressOf(deps, begun, link, input.call.now)),
    },
  };
});

function checkLinkToken(deps: BeginDeps, link: LinkRow, { body, call }: BeginInput): void {
  if (!link.emailed) return;
  const secrets = deps.keys.acceptedSecrets('link-token', call.now);
  const { link_token: offered } = body;
  if (offered === undefined || !isLinkToken(secrets, link.link_uuid, offered)) {
    throw new Failure('link_token_required');
  }
}

/** A session, with the resume token for its caller; null for a caller that did not begin it. */
interface Begun {
  readonly session: TrustCheckRow;
  readonly resumeToken: string | null;
}

async function beginOrResume(
  deps: BeginDeps,
  link: LinkRow,
  input: BeginInput,
  by: Joiner & Beginner,
): Promise<Begun> {
  const join = async (open: TrustCheckRow): Promise<Begun> => ({
    session: await joinOpen(deps, open, input, by),
    resumeToken: input.body.resume_token ?? null,
  });
  const id = derivedId('tc', input.seed);
  const own = await findTrustCheck(deps.db, id);
  // A repeated request. Its client never got the first token, and only the hash is stored.
  if (own) return { session: own, resumeToken: await renewResumeToken(deps, id) };
  const open = by.shown ?? (await findResumable(deps, link, input, by));
  if (open) return join(open);
  const created = await createSession(deps, link, id, input, by);
  if (created) return created;
  // Another request began first. It may be one of the same person.
  const latest = await findLinkOrThrow(deps, link.link_uuid, link.app_id);
  const resumable = await findResumable(deps, latest, input, by);
  if (resumable) return join(resumable);
  // The session that leased the link may have ended in the meantime.
  const second = await createSession(deps, latest, id, input, by);
  if (!second) throw alreadyBegun();
  return second;
}

async function renewResumeToken({ db, ids }: BeginDeps, id: string): Promise<string> {
  const { token, hash } = makeResumeToken(ids, id);
  await writeResumeHash(db, id, hash);
  return token;
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
    // An app is open when it begins. A page calls `open` after it has loaded.
    [{ opened: input.body.client === 'mobile' }],
    `begin/${session.link_session_id}/${input.body.client}`,
  );
  await started.catch((error: unknown) => {
    // The link was deleted in the meantime, so its session was canceled before the start.
    const hasEnded = error instanceof Failure && error.code === 'invalid_state';
    throw hasEnded ? new Failure('link_not_active', { cause: error }) : error;
  });
  const begun = (await findTrustCheck(deps.db, session.link_session_id)) ?? session;
  // The begin of a page takes no step, so no step has marked the start.
  if (begun.awaits_start) await markStarted(deps.db, begun.link_session_id);
  return begun;
}
