import { Failure } from '../../workflows/failures.ts';
import { firstOf, statement, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { affidavits } from '../schema/affidavits.ts';
import { and, isNotNull } from '../schema/drizzle.ts';
import { links } from '../schema/links.ts';
import { tickets } from '../schema/tickets.ts';
import { trustChecks } from '../schema/trust-checks.ts';
import type { NewEvent } from './events.ts';
import { removeEvidenceImages } from './evidence-files.ts';
import { linkEvent } from './link-leases.ts';
import type { LinkRow } from './links.ts';
import { listRunningOfLink, type TrustCheckRow } from './trust-checks.ts';

const { single_use } = links;
const { link_session_id } = affidavits;
const { matching_sealed } = trustChecks;

/** Locks in a fixed order, so that two redactions do not deadlock. */
const lockSessions = statement<TrustCheckRow>(
  'redaction.lock_sessions',
  `SELECT * FROM trust_checks
   WHERE link_session_id = :id OR link_uuid = (
     SELECT l.link_uuid FROM trust_checks t JOIN links l USING (link_uuid)
     WHERE t.link_session_id = :id AND l.single_use)
   ORDER BY link_session_id FOR UPDATE`,
);
const lockOwnLink = prepare(
  'redaction.lock_own_link',
  { link_uuid: links.link_uuid },
  ({ equals }) => build.select().from(links).where(and(equals.link_uuid, single_use)).for('update'),
);
/**
 * Names and results of the checks stay. Details are removed, because they may contain a nationality
 * or a date.
 */
const submissions = statement(
  'redaction.submissions',
  `UPDATE proof_submissions SET input_sealed = NULL, claims_sealed = NULL, evidence_sealed = NULL,
     verdict = (verdict - 'capture_signals') || jsonb_build_object('checks', (
       SELECT coalesce(jsonb_agg(c - 'detail'), '[]')
       FROM jsonb_array_elements(coalesce(verdict->'checks', '[]')) c))
   WHERE link_session_id = :id`,
);
/** The uploader chooses the file names, so they may contain personal data. */
const names = statement(
  'redaction.evidence_names',
  'UPDATE evidence SET name = evidence_id WHERE link_session_id = :id',
);
const marks = statement(
  'redaction.face_marks',
  // The same order as for frames that are submitted again.
  `DELETE FROM face_marks WHERE mark = ANY (ARRAY(
     SELECT mark FROM face_marks WHERE link_session_id = :id ORDER BY mark FOR UPDATE))`,
);
const codes = statement('redaction.codes', 'DELETE FROM phone_codes WHERE link_session_id = :id');
const content = prepare('redaction.affidavit_content', { link_session_id }, ({ equals }) =>
  build.update(affidavits).set({ content_sealed: null }).where(equals.link_session_id),
);
const notes = statement(
  'redaction.notes',
  `WITH undecided AS (DELETE FROM reviews WHERE link_session_id = :id AND decided_at IS NULL)
   UPDATE reviews SET note_sealed = NULL WHERE link_session_id = :id AND decided_at IS NOT NULL`,
);
/**
 * A removed response counts as never given: its key can be used again, with the same seed. A
 * response that is still pending is not stored either.
 */
const answers = statement(
  'redaction.answers',
  `UPDATE idempotency_keys SET response_sealed = NULL, is_redacted = true, state = 'running',
     locked_until = CASE state WHEN 'done' THEN :now ELSE locked_until END
   WHERE link_session_id = :id`,
);
/** Development outbox: the codes of the session and, for a single-use link, the invitation. */
const messages = statement(
  'redaction.messages',
  `DELETE FROM outbox_messages
   WHERE starts_with(idempotency_key, 'sms-code/' || :id || '/')
     OR idempotency_key = :idempotency_key`,
);
const session = statement<TrustCheckRow>(
  'redaction.trust_check',
  `UPDATE trust_checks SET claims_sealed = NULL, names_blind = '{}', document_blind = NULL,
     cancel_reason_sealed = NULL, begun_from = NULL,
     matching_sealed = NULL, return_to = NULL, redacted_at = :now
   WHERE link_session_id = :id RETURNING *`,
);
const copies = prepare('redaction.copies', { link_uuid: trustChecks.link_uuid }, ({ equals }) =>
  build
    .update(trustChecks)
    .set({ matching_sealed: null })
    .where(and(equals.link_uuid, isNotNull(matching_sealed))),
);
const reports = prepare('redaction.tickets', { link_uuid: tickets.link_uuid }, ({ equals }) =>
  build.update(tickets).set({ report_sealed: null }).where(equals.link_uuid),
);
const expectations = statement<LinkRow>(
  'redaction.link',
  `UPDATE links SET matching_sealed = NULL, recipient_sealed = NULL, recipient_blind = NULL,
     updated_at = :now, version = version + 1, awaits_invitation = false,
     status = CASE WHEN status IN ('scheduled', 'active', 'paused') THEN 'expired'
              ELSE status END
   WHERE link_uuid = :link_uuid RETURNING *`,
);

/**
 * Returns a session, locked until the transaction ends, or null. Also locks every session of its
 * single-use link. Lock order: affidavit, session, link.
 */
export async function lockForRedaction(tx: Tx, id: string): Promise<TrustCheckRow | null> {
  const locked = await lockSessions(tx, { id });
  return locked.find((row) => row.link_session_id === id) ?? null;
}

/**
 * Removes all personal data of one session: submissions, evidence, the phone number, the claims,
 * the expected values, the copy of the affidavit's content, and stored idempotent responses.
 * Hashes, states and checks stay: they prove what was done, but not for whom. Returns the session,
 * and the events of its link. Until the transaction ends, no session can begin on its single-use
 * link.
 * See docs/decisions/018-claims-and-retention.md.
 * @throws `invalid_state` while another session runs on its single-use link
 */
export async function redactSession(
  tx: Tx,
  id: string,
  now: Date,
): Promise<{ session: TrustCheckRow; linkEvents: NewEvent[] }> {
  const row = firstOf(await session(tx, { id, now }));
  if (!row) throw new Error('the session to redact does not exist');
  const link = firstOf(await lockOwnLink(tx, { link_uuid: row.link_uuid }));
  const linkEvents = link ? await redactLink(tx, link, now) : [];
  await submissions(tx, { id });
  await removeEvidenceImages(tx, id, now);
  await names(tx, { id });
  await codes(tx, { id });
  await marks(tx, { id });
  await content(tx, { link_session_id: id });
  await notes(tx, { id });
  await messages(tx, { id, idempotency_key: link ? `link-invite/${row.link_uuid}` : null });
  await answers(tx, { id, now });
  return { session: row, linkEvents };
}

/**
 * A single-use link belongs to one person, so its expected values are removed too, also the copies
 * in its other sessions. If the link is still usable it ends, because the next session would have
 * nothing to compare with. On a deleted link a session can still be running.
 */
async function redactLink(tx: Tx, link: LinkRow, now: Date): Promise<NewEvent[]> {
  const [running] = await listRunningOfLink(tx, link.link_uuid, 1);
  if (link.status === 'reserved' || running) {
    throw new Failure('invalid_state', { detail: 'Another check runs on the link of this one' });
  }
  await copies(tx, { link_uuid: link.link_uuid });
  await reports(tx, { link_uuid: link.link_uuid });
  const after = firstOf(await expectations(tx, { link_uuid: link.link_uuid, now }));
  if (!after || after.status === link.status) return [];
  return [linkEvent(after, 'link.expired', link.status)];
}
