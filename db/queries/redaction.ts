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

/** In one order, so that two redactions never wait for each other in a ring. */
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
/** Names and results of the checks stay; a detail may tell a nationality or a date. */
const submissions = statement(
  'redaction.submissions',
  `UPDATE proof_submissions SET input_sealed = NULL, claims_sealed = NULL, evidence_sealed = NULL,
     verdict = (verdict - 'capture_signals') || jsonb_build_object('checks', (
       SELECT coalesce(jsonb_agg(c - 'detail'), '[]')
       FROM jsonb_array_elements(coalesce(verdict->'checks', '[]')) c))
   WHERE link_session_id = :id`,
);
/** Whoever uploads chooses the names. */
const names = statement(
  'redaction.evidence_names',
  'UPDATE evidence SET name = evidence_id WHERE link_session_id = :id',
);
const marks = statement(
  'redaction.face_marks',
  // In the order in which frames that are shown again lock them.
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
 * An answer that is gone is as one that was never given: its key can be used again, and goes on
 * under its own seed. One that is still to come is not kept either.
 */
const answers = statement(
  'redaction.answers',
  `UPDATE idempotency_keys SET response_sealed = NULL, is_redacted = true, state = 'running',
     locked_until = CASE state WHEN 'done' THEN :now ELSE locked_until END
   WHERE link_session_id = :id`,
);
/** The development outbox: the codes of the session, and with its own link the invitation. */
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
 * One session, locked until the transaction ends, or null; with it every session of its single-use
 * link. Whoever locks the affidavit too does so before, the link afterwards.
 */
export async function lockForRedaction(tx: Tx, id: string): Promise<TrustCheckRow | null> {
  const locked = await lockSessions(tx, { id });
  return locked.find((row) => row.link_session_id === id) ?? null;
}

/**
 * Removes every value about a person that belongs to one session: what was handed in, what it was
 * judged on, the number codes were sent to, the claims, what was expected of them, the copy of the
 * affidavit's content, answers kept for repeated requests. Hashes, states and checks stay: they
 * prove what was done without saying about whom. Gives the session, and the events of its link.
 * Throws `invalid_state` while another session runs on its single-use link; until the transaction
 * ends none can begin on it.
 * docs/decisions/018-claims-and-retention.md
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
 * A single-use link is its person's: what it expects of them goes too, also from what its other
 * sessions noted of it, and where it could still be used it ends, since the next session on it
 * would be held against nothing. On one that was deleted a session can still be running.
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
