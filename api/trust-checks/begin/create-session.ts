import { makeResumeToken } from '../../../activities/tokens/resume-token.ts';
import { transaction } from '../../../db/client.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import { appendEvents } from '../../../db/queries/events.ts';
import type { JoinSessionRow } from '../../../db/queries/join-sessions.ts';
import { reserveLink } from '../../../db/queries/link-leases.ts';
import { lockLink, type LinkRow } from '../../../db/queries/links.ts';
import { sessionEvent } from '../../../db/queries/session-event.ts';
import { insertTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { Failure } from '../../../workflows/failures.ts';
import { proofTypes, type ProofType } from '../../../workflows/proofs.ts';
import type { Deps } from '../../deps.ts';
import type { Input } from '../../http/contract.ts';
import { networkOf } from '../../http/server/network-of.ts';
import { stateOf } from '../../links/present.ts';
import type { trustCheckContracts } from '../contract.ts';
import { bindJoining } from './join-session.ts';
import { checkRoom } from './uses.ts';

/** The identity of the caller who begins, as far as the request proves it. */
export interface Beginner {
  readonly joining: JoinSessionRow | null;
  readonly person: string | null;
  /** Whether only the address identifies the caller. */
  readonly isAnonymous: boolean;
}

export interface CreatedSession {
  readonly session: TrustCheckRow;
  readonly resumeToken: string;
}

/**
 * Creates a session under the lock of its link. One transaction writes the session, its event and
 * the lease of a single-use link. Returns null if another session holds the single-use link.
 * @param id derived from the request, so that a repeated request finds the session
 */
export async function createSession(
  deps: Pick<Deps, 'db' | 'ids'>,
  link: LinkRow,
  id: string,
  input: Input<typeof trustCheckContracts.begin>,
  { joining, person, isAnonymous }: Beginner,
): Promise<CreatedSession | null> {
  // An archived app gets no new sessions. Its open sessions continue.
  if (!(await findApp(deps.db, link.app_id))) throw new Failure('not_found');
  const { now } = input.call;
  const network = networkOf(input.call.address);
  const resume = makeResumeToken(deps.ids, id);
  return transaction(deps.db, async (tx) => {
    const locked = await lockLink(tx, link.link_uuid);
    if (locked?.status === 'reserved') return null;
    if (!locked || stateOf(locked, now) !== 'active') {
      throw new Failure('link_not_active', {
        detail: `The link is ${locked ? stateOf(locked, now) : 'deleted'}`,
      });
    }
    await checkRoom(tx, locked, isAnonymous ? network : null, now);
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
      begun_from: network,
      sandbox_subject: input.body.sandbox_subject ?? locked.sandbox_subject,
      poly_user_id: input.caller.kind === 'session' ? person : null,
      resume_hash: resume.hash,
    });
    if (!session) throw new Failure('idempotency_in_progress', { retryAfterSeconds: 1 });
    if (joining) await bindJoining(tx, session, joining, now);
    await appendEvents(tx, { ids: deps.ids, now }, [
      sessionEvent(session, 'trust_check.created'),
      ...(lease?.events ?? []),
    ]);
    return { session, resumeToken: resume.token };
  });
}

function proofsOf(link: LinkRow): ProofType[] {
  return proofTypes.filter((type) => link.required_proofs.includes(type));
}
