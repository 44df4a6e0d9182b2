import { statesBefore } from '../../workflows/link-invitation/state.ts';
import { firstOf, statement, transaction, type Db, type Queryable, type Tx } from '../client.ts';
import { build, limit, prepare, without } from '../prepare.ts';
import { and, sql } from '../schema/drizzle.ts';
import { links } from '../schema/links.ts';
import type { LinkRow } from './link-leases.ts';

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
     reference_sealed, job_id, locale, created_by, not_before, expires_at, created_at, updated_at,
     delivery, awaits_invitation, sandbox_subject, recipient_blind, metadata_digests,
     reference_blind, words_blind)
   VALUES (:link_uuid, :app_id, :account_id, :link_type, :title_sealed, :status, :single_use,
     :emailed, :livemode, :max_uses, :max_attempts, :required_proofs, :requested_claims,
     :matching_sealed, :recipient_sealed, :policy::jsonb, :transaction_data_sealed,
     :meeting::jsonb, :metadata_sealed, :redirect_url, :reference_sealed, :job_id, :locale,
     :created_by, :not_before, :expires_at, :created_at, :created_at, :delivery::jsonb, :emailed,
     :sandbox_subject, :recipient_blind, :metadata_digests, :reference_blind, :words_blind)
   ON CONFLICT (link_uuid) DO NOTHING RETURNING *`,
);
const patch = statement<LinkRow>(
  'links.update',
  `UPDATE links SET title_sealed = :title_sealed, required_proofs = :required_proofs,
     matching_sealed = :matching_sealed, expires_at = :expires_at, not_before = :not_before,
     status = :status, redirect_url = :redirect_url, metadata_sealed = :metadata_sealed,
     policy = :policy::jsonb, updated_at = :now, metadata_digests = :metadata_digests,
     words_blind = :words_blind, version = version + 1
   WHERE link_uuid = :linkUuid RETURNING *`,
);
const remove = statement<LinkRow>(
  'links.remove',
  `UPDATE links SET status = 'deleted', ends_sessions = true, updated_at = :now,
     version = version + 1
   WHERE link_uuid = :linkUuid AND status <> 'deleted' RETURNING *`,
);
const tellDeleted = statement('links.tell_deleted', "SELECT pg_notify(:deletedLinksChannel, '')");
const sessionsEnded = statement(
  'links.sessions_ended',
  `UPDATE links SET ends_sessions = false WHERE ends_sessions AND NOT EXISTS (
     SELECT 1 FROM trust_checks t WHERE t.link_uuid = links.link_uuid AND t.status NOT IN
       ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled'))`,
);
const deliver = statement<LinkRow>(
  'links.set_delivery',
  `UPDATE links SET delivery = coalesce(delivery, '{}') || :delivery::jsonb, updated_at = :now,
     version = version + 1, awaits_invitation = false
   WHERE link_uuid = :linkUuid
     AND (delivery IS NULL OR delivery->>'status' = ANY (:statesBefore::text[]))
   RETURNING *`,
);

/**
 * Lists at most `limit` links created by `made_until` whose mail workflow is not known to be
 * started, except those in `without`, oldest first.
 */
export const listUninvited = prepare(
  'links.uninvited',
  { made_until: links.created_at, limit, without },
  ({ by }) => sql<UninvitedLink>`SELECT link_uuid, account_id, app_id FROM links
   WHERE awaits_invitation AND created_at <= ${by.made_until}
     AND link_uuid <> ALL (${by.without}::text[])
   ORDER BY created_at LIMIT ${by.limit}`,
);
const invited = prepare('links.invited', { link_uuid }, ({ equals }) =>
  build
    .update(links)
    .set({ awaits_invitation: false })
    .where(and(equals.link_uuid, awaits_invitation)),
);

/** Serializes the counting of mails per address. */
const lockRecipient = statement(
  'links.lock_recipient',
  `SELECT pg_advisory_xact_lock(hashtextextended('links ' || encode(recipient_blind, 'hex'), 0))
   FROM links WHERE link_uuid = :linkUuid`,
);
const admit = statement<{ link_uuid: string }>(
  'links.admit_mail',
  `WITH spent AS (
     SELECT count(*) AS by_all, count(*) FILTER (WHERE o.account_id = l.account_id) AS by_account
     FROM links l JOIN links o
       ON o.recipient_blind = l.recipient_blind AND o.link_uuid <> l.link_uuid
     WHERE l.link_uuid = :linkUuid AND o.mail_admitted_at > :now::timestamptz - interval '1 day'
   )
   UPDATE links l SET mail_admitted_at = coalesce(l.mail_admitted_at, :now) FROM spent
   WHERE l.link_uuid = :linkUuid AND l.delivery->>'status' IS DISTINCT FROM 'failed'
     AND (l.mail_admitted_at IS NOT NULL OR (spent.by_account < :byAccount
       AND spent.by_all < :byAll))
   RETURNING l.link_uuid`,
);

const ended = statement<{ link_uuid: string }>(
  'links.ended',
  `SELECT link_uuid FROM links
   WHERE status IN ('scheduled', 'active', 'paused') AND expires_at IS NOT NULL
     AND expires_at <= :now
     AND link_uuid <> ALL (:without::text[])
   ORDER BY expires_at LIMIT :limit`,
);

const expire = statement<LinkRow>(
  'links.expire',
  `UPDATE links SET status = 'expired', version = version + 1, updated_at = :now
   WHERE link_uuid = :linkUuid AND status IN ('scheduled', 'active', 'paused')
     AND expires_at <= :now
   RETURNING *`,
);

export type { LinkRow };

/** Lists links past their end that are not marked expired, except some ids, earliest end first. */
export async function listEnded(
  on: Queryable,
  now: Date,
  limit: number,
  without: readonly string[],
): Promise<string[]> {
  return (await ended(on, { now, limit, without })).map(({ link_uuid }) => link_uuid);
}

/**
 * Expires a link past its end. Returns null if its end is in the future, or if it is already
 * expired.
 */
export async function expireLink(tx: Tx, linkUuid: string, now: Date): Promise<LinkRow | null> {
  return firstOf(await expire(tx, { linkUuid, now }));
}

/** Returns a link by its id, deleted ones included, or null. */
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
 * Inserts a link. Returns null if the id exists (a repeated request). An emailed link is queued for
 * its mail workflow.
 */
export async function insertLink(tx: Tx, link: NewLink): Promise<LinkRow | null> {
  return firstOf(
    await insert(tx, {
      link_uuid: link.link_uuid,
      app_id: link.app_id,
      account_id: link.account_id,
      link_type: link.link_type,
      title_sealed: link.title_sealed,
      status: link.status,
      single_use: link.single_use,
      emailed: link.emailed,
      livemode: link.livemode,
      max_uses: link.max_uses,
      max_attempts: link.max_attempts,
      required_proofs: link.required_proofs,
      requested_claims: link.requested_claims,
      matching_sealed: link.matching_sealed,
      recipient_sealed: link.recipient_sealed,
      policy: JSON.stringify(link.policy),
      transaction_data_sealed: link.transaction_data_sealed,
      meeting: json(link.meeting),
      metadata_sealed: link.metadata_sealed,
      redirect_url: link.redirect_url,
      reference_sealed: link.reference_sealed,
      job_id: link.job_id,
      locale: link.locale,
      created_by: link.created_by,
      not_before: link.not_before,
      expires_at: link.expires_at,
      created_at: link.created_at,
      delivery: json(link.delivery),
      sandbox_subject: link.sandbox_subject,
      recipient_blind: link.recipient_blind,
      metadata_digests: link.metadata_digests,
      reference_blind: link.reference_blind,
      words_blind: link.words_blind,
    }),
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
  const policy = JSON.stringify(change.policy);
  return firstOf(await patch(tx, { ...change, policy, linkUuid, now }));
}

/** NOTIFY channel for deleted links. */
export const deletedLinksChannel = 'deleted_links';

/**
 * Deletes a link. Returns null if it is already deleted. Notifies the workers, which cancel its
 * running sessions. The link's lock prevents new sessions on it.
 */
export async function removeLink(tx: Tx, linkUuid: string, now: Date): Promise<LinkRow | null> {
  const removed = firstOf(await remove(tx, { linkUuid, now }));
  if (removed) await tellDeleted(tx, { deletedLinksChannel });
  return removed;
}

/** Removes deleted links without running sessions from the outbox. */
export async function markSessionsEnded(on: Queryable): Promise<void> {
  await sessionsEnded(on, []);
}

/** Columns of a link that its mail workflow needs to start. */
export type UninvitedLink = Pick<LinkRow, 'link_uuid' | 'account_id' | 'app_id'>;

/**
 * Returns true if the mail of a link is within the daily limits of its address, per account and in
 * total. Serializes concurrent calls. An admitted mail stays admitted and counts.
 */
export function admitLinkMail(
  db: Db,
  linkUuid: string,
  now: Date,
  { byAccount, byAll }: { readonly byAccount: number; readonly byAll: number },
): Promise<boolean> {
  return transaction(db, async (tx) => {
    await lockRecipient(tx, { linkUuid });
    // A separate statement, so that it counts mails admitted while the lock was awaited.
    return (await admit(tx, { linkUuid, now, byAccount, byAll })).length === 1;
  });
}

/** Records that the mail workflow of a link is started. */
export async function markInvited(on: Queryable, linkUuid: string): Promise<void> {
  await invited(on, { link_uuid: linkUuid });
}

/**
 * Records the delivery state of the mail of a link. Returns null if the known state says as much or
 * more.
 */
export async function setLinkDelivery(
  tx: Tx,
  linkUuid: string,
  delivery: NonNullable<LinkRow['delivery']>,
  now: Date,
): Promise<LinkRow | null> {
  const states = {
    delivery: JSON.stringify(delivery),
    statesBefore: statesBefore(delivery.status),
  };
  return firstOf(await deliver(tx, { linkUuid, now, ...states }));
}

function json(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
