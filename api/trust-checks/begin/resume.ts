import { isResumeToken, sessionNamedBy } from '../../../activities/tokens/resume-token.ts';
import { isLoopback } from '../../../activities/vendors/secure-urls.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import { findTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { findJoinable, writeReturnTo } from '../../../db/queries/waiting-checks.ts';
import { readPairToken } from '../../../domain/tokens/pair-token.ts';
import { captureOf } from '../../../domain/trust-checks/capture.ts';
import { Failure } from '../../../workflows/failures.ts';
import { isTrustCheckFinal } from '../../../workflows/trust-check/state.ts';
import type { Deps } from '../../deps.ts';
import type { AttestedDevice } from '../../http/auth/caller.ts';
import type { Input } from '../../http/contract.ts';
import { networkOf } from '../../http/server/network-of.ts';
import type { trustCheckContracts } from '../contract.ts';
import { bindTo, isOf, mayBeOf, assertPersonOfCheck } from '../person.ts';
import { usePairToken } from '../hand-over/pair-tokens.ts';

type ResumeDeps = Pick<Deps, 'db' | 'keys' | 'settings'>;
type BeginInput = Input<typeof trustCheckContracts.begin>;

/** What a begin shows of the right to go on with an open session. */
export interface Joiner {
  /** The session that its resume token or pair token is of. */
  readonly shown: TrustCheckRow | null;
  readonly person: string | null;
  readonly phone: AttestedDevice | null;
}

/** How long a page that waits for a phone can be joined by one. */
const joinableMs = 30 * 60_000;

/**
 * The open session that the resume token or the pair token of a begin is of; null where it sends
 * neither.
 * @throws `not_found` for a pair token of no session of this link, `already_paired` and
 *   `invalid_state` for one of a session that nobody can join; for a bad resume token see `resumed`
 */
export async function presentedSession(
  deps: ResumeDeps,
  link: LinkRow,
  { resume_token, pair_token, client }: BeginInput['body'],
  phone: AttestedDevice | null,
  now: Date,
): Promise<TrustCheckRow | null> {
  if (resume_token !== undefined) return resumed(deps, link, resume_token);
  if (pair_token === undefined) return null;
  const named = readPairToken(deps.keys.acceptedSecrets('pair-token', now), pair_token);
  const session = named && (await findTrustCheck(deps.db, named.linkSessionId));
  if (session?.link_uuid !== link.link_uuid) throw new Failure('not_found');
  if (isUnpaired(session) || isWith(session, phone)) return session;
  if (client === 'web' && isOfBrowser(session)) return session;
  if (session.device_id !== null) throw new Failure('already_paired');
  const inBrowser = 'A browser runs the check. Continue in a browser';
  const detail = isOfBrowser(session) ? inBrowser : `The check is ${session.status}`;
  throw new Failure('invalid_state', { detail });
}

/**
 * The open session of a resume token.
 * @throws `already_begun` for a token of none while another client holds the single-use link, and
 *   `invalid_state` otherwise
 */
async function resumed({ db }: ResumeDeps, link: LinkRow, token: string): Promise<TrustCheckRow> {
  const id = sessionNamedBy(token);
  const session = id === null ? null : await findTrustCheck(db, id);
  const isGood = session !== null && isResumeToken(session.resume_hash, token);
  const isOpen = session?.link_uuid === link.link_uuid && !isTrustCheckFinal(session.status);
  if (isGood && isOpen) return session;
  if (link.reserved_by !== null) throw alreadyBegun();
  throw new Failure('invalid_state', {
    detail: 'The resume token belongs to no open session of this link. Begin without it',
  });
}

/**
 * The open session that a begin goes on with without a token; null where a new one may begin. A
 * single-use link has one session: only its person, or the phone paired with it, goes on with it.
 * A reusable link never joins strangers, since many share an address. In development, where page
 * and phone are programs on one machine, a phone there joins the only page that waits there.
 * @throws `already_begun` where somebody else holds the single-use link
 */
export async function findResumable(
  deps: ResumeDeps,
  link: LinkRow,
  input: BeginInput,
  { person, phone }: Joiner,
): Promise<TrustCheckRow | null> {
  if (link.single_use) {
    const held = link.reserved_by ? await findTrustCheck(deps.db, link.reserved_by) : null;
    if (!held || isTrustCheckFinal(held.status)) return null;
    if (isWith(held, phone) || (await isOf(deps, held, person))) return held;
    throw alreadyBegun();
  }
  const isHere = deps.settings.isDevelopment && isLoopback(input.call.address);
  if (input.body.client !== 'mobile' || !isHere) return null;
  const since = new Date(input.call.now.getTime() - joinableMs);
  const network = networkOf(input.call.address);
  const [first, ...others] = await findJoinable(deps.db, link.link_uuid, since, network);
  const isLone = first?.client === 'web' && others.length === 0;
  return isLone && (await mayBeOf(deps, first, person)) ? first : null;
}

/**
 * Goes on with an open session. A joiner may say where it leads on and whose it is, as long as
 * nobody has, but never how it comes out. A person's session is joined by that person only, known
 * by session or phone, unless its first client resumes it by token. A pair token is used up.
 */
export async function joinOpen(
  deps: ResumeDeps,
  open: TrustCheckRow,
  { body, caller, seed, call }: BeginInput,
  { person, phone }: Joiner,
): Promise<TrustCheckRow> {
  const isFirstClient = body.resume_token !== undefined && person === null;
  if (!isFirstClient) await assertPersonOfCheck(deps, open, person);
  const { return_to, sandbox_subject, pair_token } = body;
  if (sandbox_subject !== undefined && sandbox_subject !== open.sandbox_subject) {
    throw new Failure('invalid_state', { detail: 'The check has another sandbox_subject' });
  }
  // The phone that the check is paired with has used its token before.
  const isShown = body.resume_token === undefined && !isWith(open, phone);
  if (isShown && pair_token !== undefined) await usePairToken(deps, pair_token, seed, call.now);
  const joined =
    caller.kind === 'session' && person !== null ? await bindTo(deps, open, person) : open;
  if (return_to !== undefined) await writeReturnTo(deps.db, open.link_session_id, return_to);
  return joined;
}

/** The one answer for everybody who may not go on with the session that holds a single-use link. */
export const alreadyBegun = (): Failure =>
  new Failure('already_begun', {
    detail: 'Continue in the browser or on the phone that began, or ask for a new link',
  });

/** A phone that did not hear that it is paired goes on with its check. */
const isWith = ({ status, device_id }: TrustCheckRow, phone: AttestedDevice | null): boolean =>
  device_id !== null && device_id === phone?.deviceId && !isTrustCheckFinal(status);

/** A check that a browser runs goes on in another browser, at any step. */
const isOfBrowser = (session: TrustCheckRow): boolean =>
  captureOf(session) === 'browser' && !isTrustCheckFinal(session.status);

const isUnpaired = ({ status, device_id }: TrustCheckRow): boolean =>
  device_id === null && (status === 'created' || status === 'opened');
