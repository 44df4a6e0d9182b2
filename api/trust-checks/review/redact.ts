import { transaction, type Tx } from '../../../db/client.ts';
import { findAffidavit, lockAffidavit, type AffidavitRow } from '../../../db/queries/affidavits.ts';
import { appendAudit } from '../../../db/queries/audit.ts';
import { appendEvents } from '../../../db/queries/events.ts';
import { markEvidenceRemoved } from '../../../db/queries/evidence.ts';
import { removePhotos } from '../../../db/queries/photos.ts';
import { redactInMeetings } from '../../../db/queries/redact-meetings.ts';
import { lockForRedaction, redactSession } from '../../../db/queries/redaction.ts';
import { sessionEvent } from '../../../db/queries/session-event.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { Failure } from '../../../workflows/failures.ts';
import { isTrustCheckFinal } from '../../../workflows/trust-check/state.ts';
import type { Deps } from '../../deps.ts';
import { callerName } from '../../http/auth/caller.ts';
import { handler } from '../../http/contract.ts';
import { findSessionOrThrow } from '../../running-checks/find.ts';
import { trustCheckContracts } from '../contract.ts';
import { presentSession } from '../present.ts';

type RedactDeps = Pick<Deps, 'db' | 'ids' | 'sealer' | 'files'>;

/** An affidavit in these states still needs its inputs. */
const unfinished = new Set(['pending', 'signing']);

/**
 * Removes the stored personal data of one session: claims, inputs, evidence, numbers, and the
 * expected values of its single-use link. Uploaded files are removed last, but before the commit: a
 * refused redaction removes no file, and a redacted session has none. The affidavit stays and still
 * verifies, as the requester's proof. Repeating it completes an interrupted redaction.
 */
export const redact = handler(trustCheckContracts.redact)(async (input, deps: RedactDeps) => {
  const { id } = input.path;
  const session = await findSessionOrThrow(deps, id, input.caller, input.authorize);
  const known = session.affidavit_id && (await findAffidavit(deps.db, session.affidavit_id));
  checkSettled(session, known || null);
  const { now } = input.call;
  const redacted = await transaction(deps.db, async (tx) => {
    const affidavit = await lockAffidavit(tx, id);
    const before = await lockForRedaction(tx, id);
    if (!before) throw new Failure('not_found');
    if (before.redacted_at) return before;
    checkSettled(before, affidavit);
    return removeAll(deps, tx, id, callerName(input.caller), now);
  });
  return { status: 200, body: await presentSession(deps, redacted, input.caller) };
});

/**
 * Checks the affidavit too: while it is made again, its session still has `failed`.
 * @throws Failure `invalid_state`
 */
function checkSettled(session: TrustCheckRow, affidavit: AffidavitRow | null): void {
  if (session.redacted_at) return;
  const { status, affidavit_status } = session;
  if (!isTrustCheckFinal(status)) {
    throw new Failure('invalid_state', { detail: `The check is ${status}` });
  }
  if (unfinished.has(affidavit_status) || (affidavit && unfinished.has(affidavit.status))) {
    throw new Failure('invalid_state', { detail: 'The affidavit is being issued' });
  }
}

async function removeAll(
  deps: RedactDeps,
  tx: Tx,
  id: string,
  actor: string,
  now: Date,
): Promise<TrustCheckRow> {
  const { session, linkEvents } = await redactSession(tx, id, now);
  const files = await markEvidenceRemoved(tx, id, now);
  const photos = await removePhotos(tx, id);
  const reports = await redactInMeetings(tx, id);
  // Removed in parallel, because a long idle transaction is ended. This comes before the events,
  // which are written under the lock of the account.
  await Promise.all([
    deps.files.evidence.erase(id),
    ...[...photos, ...reports].map((key) => deps.files.objects.erase(key)),
  ]);
  const details = { files: files.length + photos.length };
  const entry = { accountId: session.account_id, objectId: id, details };
  await appendAudit(tx, { ...entry, action: 'trust_check.redacted', actor }, now);
  const events = [sessionEvent(session, 'trust_check.redacted'), ...linkEvents];
  await appendEvents(tx, { ids: deps.ids, now }, events);
  return session;
}
