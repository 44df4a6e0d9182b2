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

/** The credentials with which a begin can continue an open session. */
export interface Joiner {
  /** The session of its resume token or pair token. */
  readonly shown: TrustCheckRow | null;
  readonly person: string | null;
  readonly phone: AttestedDevice | null;
}

/** How long a phone can join a waiting page. */
const joinableMs = 30 * 60_000;

/**
 * Returns the open session of a begin's resume token or pair token; null without both.
 * @throws Failure `not_found` for a pair token of no session of this link, `already_paired` and
 *   `invalid_state` for one of a session that cannot be joined; `resumed` has those of a resume
 *   token
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
 * Returns the open session of a resume token.
 * @throws Failure for an invalid token: `already_begun` while another client holds the single-use
 *   link, else `invalid_state`
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
 * Returns the open session that a begin continues without a token; null if a new one may begin. A
 * single-use link has one session, which only its person or its paired phone continues. Sessions of
 * a reusable link are never joined by address, because many people share one. In development, page
 * and phone are programs on one machine: a local phone joins the only local page that waits.
 * @throws Failure `already_begun` if another client holds the single-use link
 */
export async function findResumable(
  deps: ResumeDeps,
  link: LinkRow,
  input: BeginInput,
  { person, phone }: Joiner,
): Promise<TrustCheckRow | null> {
  if (link.single_use) {
    const holder = link.reserved_by ? await findTrustCheck(deps.db, link.reserved_by) : null;
    if (!holder || isTrustCheckFinal(holder.status)) return null;
    if (isWith(holder, phone) || (await isOf(deps, holder, person))) return holder;
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
 * Continues an open session. The joiner may set the return address and the person if these are not
 * set, but never the forced outcome. A person's session is joined only by that person, known by
 * session or phone, or by its first client with the resume token. A pair token is used up.
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
  // The paired phone has already used its token.
  const isShown = body.resume_token === undefined && !isWith(open, phone);
  if (isShown && pair_token !== undefined) await usePairToken(deps, pair_token, seed, call.now);
  const joined =
    caller.kind === 'session' && person !== null ? await bindTo(deps, open, person) : open;
  if (return_to !== undefined) await writeReturnTo(deps.db, open.link_session_id, return_to);
  return joined;
}

/** The only response to a client that may not continue the session of a single-use link. */
export const alreadyBegun = (): Failure =>
  new Failure('already_begun', {
    detail: 'Continue in the browser or on the phone that began, or ask for a new link',
  });

/** A phone that missed the response to its pairing continues its check. */
const isWith = ({ status, device_id }: TrustCheckRow, phone: AttestedDevice | null): boolean =>
  device_id !== null && device_id === phone?.deviceId && !isTrustCheckFinal(status);

/** A check that runs in a browser can continue in another browser, at any step. */
const isOfBrowser = (session: TrustCheckRow): boolean =>
  captureOf(session) === 'browser' && !isTrustCheckFinal(session.status);

const isUnpaired = ({ status, device_id }: TrustCheckRow): boolean =>
  device_id === null && (status === 'created' || status === 'opened');
