import { statesBefore } from '../../workflows/link-invitation/state.ts';
import { firstOf, statement, transaction, type Db, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import type { LinkRow } from './link-leases.ts';
import { links } from '../schema/links.ts';
import { and } from '../schema/drizzle.ts';

const { awaits_invitation, link_uuid } = links;

const byId = prepare('links.by_id', { link_uuid }, ({ equals }) =>
  build.select().from(links).where(equals.link_uuid),
);
const lockById = prepare('links.lock', { link_uuid }, ({ equals }) =>
  build.select().from(links).where(equals.link_uuid).for('update'),
);
const insert = statement<LinkRow>(
  'links.insert',
  `INSERT INTO links (link_uuid, app_id, account_id, link_type, title_sealed, status, single_use,
     emailed, livemode, max_uses, max_attempts, required_proofs, requested_claims, matching_sealed,
     recipient_sealed, policy, transaction_data_sealed, meeting, metadata_sealed, redirect_url,
     reference_sealed,
     job_id, locale, created_by, not_before, expires_at, created_at, updated_at, delivery,
     awaits_invitation, sandbox_subject, recipient_blind, metadata_digests,
     reference_blind, words_blind)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16::jsonb, $17,
     $18::jsonb, $19, $20, $21, $22, $23, $24, $25, $26, $27, $27, $28::jsonb, $8, $29, $30,
     $31, $32, $33)
   ON CONFLICT (link_uuid) DO NOTHING RETURNING *`,
);
const patch = statement<LinkRow>(
  'links.update',
  `UPDATE links SET title_sealed = $2, required_proofs = $3, matching_sealed = $4, expires_at = $5,
     not_before = $6, status = $7, redirect_url = $8, metadata_sealed = $9,
     policy = $10::jsonb, updated_at = $11, metadata_digests = $12,
     words_blind = $13, version = version + 1
   WHERE link_uuid = $1 RETURNING *`,
);
const remove = statement<LinkRow>(
  'links.remove',
  `UPDATE links SET status = 'deleted', ends_sessions = true, updated_at = $2, version = version + 1
   WHERE link_uuid = $1 AND status <> 'deleted' RETURNING *`,
);
const tellDeleted = statement('links.tell_deleted', "SELECT pg_notify($1, '')");
const sessionsEnded = statement(
  'links.sessions_ended',
  `UPDATE links SET ends_sessions = false WHERE ends_sessions AND NOT EXISTS (
     SELECT 1 FROM trust_checks t WHERE t.link_uuid = links.link_uuid AND t.status NOT IN
       ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled'))`,
);
const deliver = statement<LinkRow>(
  'links.set_delivery',
  `UPDATE links SET delivery = coalesce(delivery, '{}') || $2::jsonb, updated_at = $3,
     version = version + 1, awaits_invitation = false
   WHERE link_uuid = $1 AND (delivery IS NULL OR delivery->>'status' = ANY ($4::text[]))
   RETURNING *`,
);

const uninvited = statement<UninvitedLink>(
  'links.uninvited',
  `SELECT link_uuid, account_id, app_id FROM links
   WHERE awaits_invitation AND created_at <= $1 AND link_uuid <> ALL ($3::text[])
   ORDER BY created_at LIMIT $2`,
);
const invited = prepare('links.invited', { link_uuid }, ({ equals }) =>
  build
    .update(links)
    .set({ awaits_invitation: false })
    .where(and(equals.link_uuid, awaits_invitation)),
);

/** Whoever counts the mails of an address has it for themselves. */
const lockRecipient = statement(
  'links.lock_recipient',
  `SELECT pg_advisory_xact_lock(hashtextextended('links ' || encode(recipient_blind, 'hex'), 0))
   FROM links WHERE link_uuid = $1`,
);
const admit = statement<{ link_uuid: string }>(
  'links.admit_mail',
  `WITH spent AS (
     SELECT count(*) AS by_all, count(*) FILTER (WHERE o.account_id = l.account_id) AS by_account
     FROM links l JOIN links o
       ON o.recipient_blind = l.recipient_blind AND o.link_uuid <> l.link_uuid
     WHERE l.link_uuid = $1 AND o.mail_admitted_at > $2::timestamptz - interval '1 day'
   )
   UPDATE links l SET mail_admitted_at = coalesce(l.mail_admitted_at, $2) FROM spent
   WHERE l.link_uuid = $1 AND l.delivery->>'status' IS DISTINCT FROM 'failed'
     AND (l.mail_admitted_at IS NOT NULL OR (spent.by_account < $3 AND spent.by_all < $4))
   RETURNING l.link_uuid`,
);

const ended = statement<{ link_uuid: string }>(
  'links.ended',
  `SELECT link_uuid FROM links
   WHERE status IN ('scheduled', 'active', 'paused') AND expires_at IS NOT NULL AND expires_at <= $1
     AND link_uuid <> ALL ($3::text[])
   ORDER BY expires_at LIMIT $2`,
);

const expire = statement<LinkRow>(
  'links.expire',
  `UPDATE links SET status = 'expired', version = version + 1, updated_at = $2
   WHERE link_uuid = $1 AND status IN ('scheduled', 'active', 'paused') AND expires_at <= $2
   RETURNING *`,
);

export type { LinkRow };

/** Links whose end has come and that do not say so yet, without those named, oldest end first. */
export async function listEnded(
  on: Queryable,
  now: Date,
  limit: number,
  without: readonly string[],
): Promise<string[]> {
  return (await ended(on, [now, limit, without])).map(({ link_uuid }) => link_uuid);
}

/** Ends a link by its date; null where its end has not come, or another has been quicker. */
export async function expireLink(tx: Tx, linkUuid: string, now: Date): Promise<LinkRow | null> {
  return firstOf(await expire(tx, [linkUuid, now]));
}

/** One link by its id, or null; deleted ones are found too. */
export async function findLink(on: Queryable, linkUuid: string): Promise<LinkRow | null> {
  return firstOf(await byId(on, { link_uuid: linkUuid }));
}

export async function lockLink(tx: Tx, linkUuid: string): Promise<LinkRow | null> {
  return firstOf(await lockById(tx, { link_uuid: linkUuid }));
}

export type NewLink = Omit<
  LinkRow,
  | 'use_count'
  | 'reserved_by'
  | 'version'
  | 'last_used_at'
  | 'updated_at'
  | 'ends_sessions'
  | 'awaits_invitation'
  | 'mail_admitted_at'
>;

/**
 * Inserts a link; null when one with this id is there already (a request that is run again). One
 * that is emailed is to be mailed from then on.
 */
export async function insertLink(tx: Tx, link: NewLink): Promise<LinkRow | null> {
  return firstOf(
    await insert(tx, [
      link.link_uuid,
      link.app_id,
      link.account_id,
      link.link_type,
      link.title_sealed,
      link.status,
      link.single_use,
      link.emailed,
      link.livemode,
      link.max_uses,
      link.max_attempts,
      link.required_proofs,
      link.requested_claims,
      link.matching_sealed,
      link.recipient_sealed,
      JSON.stringify(link.policy),
      link.transaction_data_sealed,
      json(link.meeting),
      link.metadata_sealed,
      link.redirect_url,
      link.reference_sealed,
      link.job_id,
      link.locale,
      link.created_by,
      link.not_before,
      link.expires_at,
      link.created_at,
      json(link.delivery),
      link.sandbox_subject,
      link.recipient_blind,
      link.metadata_digests,
      link.reference_blind,
      link.words_blind,
    ]),
  );
}

export type LinkChange = Pick<
  LinkRow,
  | 'title_sealed'
  | 'words_blind'
  | 'required_proofs'
  | 'matching_sealed'
  | 'expires_at'
  | 'not_before'
  | 'status'
  | 'redirect_url'
  | 'metadata_sealed'
  | 'metadata_digests'
  | 'policy'
>;

export async function updateLink(
  tx: Tx,
  linkUuid: string,
  change: LinkChange,
  now: Date,
): Promise<LinkRow | null> {
  return firstOf(
    await patch(tx, [
      linkUuid,
      change.title_sealed,
      change.required_proofs,
      change.matching_sealed,
      change.expires_at,
      change.not_before,
      change.status,
      change.redirect_url,
      change.metadata_sealed,
      JSON.stringify(change.policy),
      now,
      change.metadata_digests,
      change.words_blind,
    ]),
  );
}

/** The channel on which a commit says that a link was deleted. */
export const deletedLinksChannel = 'deleted_links';

/**
 * Deletes a link; null when it was deleted before. What runs on it is then canceled by the workers,
 * who hear of it: under the link's lock nothing new begins on it.
 */
export async function removeLink(tx: Tx, linkUuid: string, now: Date): Promise<LinkRow | null> {
  const removed = firstOf(await remove(tx, [linkUuid, now]));
  if (removed) await tellDeleted(tx, [deletedLinksChannel]);
  return removed;
}

/** Forgets the deleted links on which nothing runs any more. */
export async function markSessionsEnded(on: Queryable): Promise<void> {
  await sessionsEnded(on, []);
}

/** A link as far as the workflow that mails it can be started from it. */
export type UninvitedLink = Pick<LinkRow, 'link_uuid' | 'account_id' | 'app_id'>;

/**
 * Links made by then whose mailing is not known to be started, at most so many and none of those
 * that are named, the oldest first.
 */
export async function listUninvited(
  on: Queryable,
  values: readonly [Date, number, readonly string[]],
): Promise<UninvitedLink[]> {
  return uninvited(on, values);
}

/**
 * Whether the mail of a link is one of so many that its address may have in a day, by its account
 * and by all: those that ask at once ask in turn. One that was admitted stays so, and counts.
 */
export function admitLinkMail(
  db: Db,
  linkUuid: string,
  now: Date,
  { byAccount, byAll }: { readonly byAccount: number; readonly byAll: number },
): Promise<boolean> {
  return transaction(db, async (tx) => {
    await lockRecipient(tx, [linkUuid]);
    // By itself: what was admitted while the lock was waited for is counted.
    return (await admit(tx, [linkUuid, now, byAccount, byAll])).length === 1;
  });
}

/** Notes that the workflow that mails a link has been started. */
export async function markInvited(on: Queryable, linkUuid: string): Promise<void> {
  await invited(on, { link_uuid: linkUuid });
}

/**
 * Notes what became of the mail that carries a link; null where as much is known already, or more.
 */
export async function setLinkDelivery(
  tx: Tx,
  linkUuid: string,
  delivery: NonNullable<LinkRow['delivery']>,
  now: Date,
): Promise<LinkRow | null> {
  return firstOf(
    await deliver(tx, [linkUuid, JSON.stringify(delivery), now, statesBefore(delivery.status)]),
  );
}

function json(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
