import { firstOf, statement, transaction, type Db, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { sql } from '../schema/drizzle.ts';
import { memberMails } from '../schema/member-mails.ts';

export type MemberMailRow = typeof memberMails.$inferSelect;

const { mail_id, mailed_at } = memberMails;

/** NOTIFY channel for mails to send. */
export const memberMailsChannel = 'member_mails';

/** Mails are kept as long as they count against the daily limits. */
const keptFor = "interval '1 day'";
/** Lifetime of an invitation. */
const invitedFor = "interval '30 days'";
const sweptMax = 20;

/**
 * Mails that no longer count and will not be sent. An admitted mail is sent within the hour, unless
 * its workflow was terminated.
 */
const oldMails = (now: string, lengthMax: string): string =>
  `DELETE FROM member_mails WHERE mail_id IN (
     SELECT mail_id FROM member_mails
     WHERE created_at < ${now}::timestamptz - ${keptFor} AND NOT awaits_start
       AND greatest(created_at, admitted_at, mailed_at) < ${now}::timestamptz - CASE
         WHEN address_sealed IS NULL OR admitted_at IS NOT NULL THEN ${keptFor}
         ELSE ${invitedFor} END
     ORDER BY created_at LIMIT ${lengthMax} FOR UPDATE SKIP LOCKED)`;

/**
 * An account mails an address at most once a day; the caller holds the account's lock. A further
 * invitation sends no mail. A mail that was not sent, or that was for a placeholder removed since,
 * does not prevent a new one.
 */
const insert = statement<{ mail_id: string }>(
  'member_mails.insert',
  `WITH swept AS (${oldMails(':created_at', `${sweptMax}`)})
   INSERT INTO member_mails (mail_id, account_id, poly_user_id, email_blind, address_sealed, locale,
     return_to, created_at)
   SELECT :mail_id, :account_id::int, :poly_user_id, :email_blind, :address_sealed, :locale,
     :return_to, :created_at
   WHERE NOT EXISTS (
     SELECT FROM member_mails WHERE account_id = :account_id::int AND email_blind = :email_blind
       AND kind = 'invitation' AND (mailed_at > :created_at::timestamptz - ${keptFor}
         OR address_sealed IS NOT NULL AND poly_user_id = :poly_user_id))
   RETURNING mail_id, pg_notify('${memberMailsChannel}', '')`,
);
/** A notice is always sent, because it warns its recipient. */
const insertNotice = statement<{ mail_id: string }>(
  'member_mails.insert_notice',
  `INSERT INTO member_mails (mail_id, account_id, poly_user_id, email_blind, address_sealed, kind,
     locale, created_at)
   VALUES (:mail_id, :account_id, :poly_user_id, :email_blind, :address_sealed, :kind, :locale,
     :created_at)
   RETURNING mail_id, pg_notify('${memberMailsChannel}', '')`,
);
const removeOld = statement<{ mail_id: string }>(
  'member_mails.remove_old',
  `${oldMails(':now', ':lengthMax')} RETURNING mail_id`,
);
const ofAccount = statement<{ mails: number }>(
  'member_mails.of_account',
  `SELECT count(*)::int AS mails FROM member_mails
   WHERE account_id = :accountId AND created_at > :now::timestamptz - ${keptFor}`,
);
const unstarted = statement<MemberMailRow>(
  'member_mails.unstarted',
  `SELECT * FROM member_mails
   WHERE awaits_start AND mail_id <> ALL (:without::text[]) ORDER BY created_at LIMIT :lengthMax`,
);
const started = prepare('member_mails.started', { mail_id }, ({ equals }) =>
  build.update(memberMails).set({ awaits_start: false }).where(equals.mail_id),
);
const find = statement<InvitedMail>(
  'member_mails.find',
  `SELECT m.*, a.name AS account_name, EXISTS (
       SELECT FROM memberships s JOIN invited_addresses i USING (account_id, poly_user_id)
       WHERE s.account_id = m.account_id AND s.poly_user_id = m.poly_user_id) AS is_pending
   FROM member_mails m JOIN accounts a USING (account_id) WHERE m.mail_id = :mailId`,
);
/** Serializes the counting of mails per address, including mails that arrive meanwhile. */
const lockAddress = statement(
  'member_mails.lock_address',
  `SELECT pg_advisory_xact_lock(hashtextextended('member_mails ' || encode(email_blind, 'hex'), 0))
   FROM member_mails WHERE mail_id = :mailId`,
);
/** An admitted mail counts as sent until it is known to have failed. */
const admit = statement<{ mail_id: string }>(
  'member_mails.admit',
  `UPDATE member_mails m SET admitted_at = coalesce(admitted_at, :now)
   WHERE mail_id = :mailId AND (admitted_at IS NOT NULL OR :dailyMax::int > (
     SELECT count(*) FROM member_mails o WHERE o.email_blind = m.email_blind
       AND o.kind = 'invitation' AND (o.mailed_at > :now::timestamptz - ${keptFor}
         OR o.address_sealed IS NOT NULL AND o.admitted_at > :now::timestamptz - ${keptFor})))
   RETURNING mail_id`,
);
const close = prepare('member_mails.close', { mail_id, mailed_at }, ({ by, equals }) =>
  build
    .update(memberMails)
    .set({ address_sealed: null, mailed_at: sql`coalesce(${mailed_at}, ${by.mailed_at})` })
    .where(equals.mail_id),
);

/** A mail with the data that decides whether it is sent. */
export interface InvitedMail extends MemberMailRow {
  readonly account_name: string;
  /** True if a placeholder person still holds the membership of the address. */
  readonly is_pending: boolean;
}

/**
 * Stores the mail of an invitation, and deletes a few old ones. The caller holds the lock of the
 * account. Stores none if the account sent or will send one to this address within a day.
 */
export async function addMemberMail(
  tx: Tx,
  row: Omit<MemberMailRow, 'kind' | 'awaits_start' | 'admitted_at' | 'mailed_at'>,
): Promise<void> {
  await insert(tx, row);
}

/** Stores the mail of a notice about a recovery. */
export async function addNotice(
  tx: Tx,
  row: Omit<MemberMailRow, 'return_to' | 'awaits_start' | 'admitted_at' | 'mailed_at'>,
): Promise<void> {
  await insertNotice(tx, row);
}

/**
 * Deletes at most `lengthMax` mails that no longer count and will not be sent. Returns how many.
 */
export async function removeOldMails(on: Queryable, now: Date, lengthMax: number): Promise<number> {
  return (await removeOld(on, { now, lengthMax })).length;
}

/** Counts the mails of an account within a day. */
export async function countMemberMails(tx: Tx, accountId: number, now: Date): Promise<number> {
  return firstOf(await ofAccount(tx, { accountId, now }))?.mails ?? 0;
}

/**
 * Lists at most `lengthMax` mails whose workflow must be started, oldest first, except the given
 * ids.
 */
export async function listUnstartedMails(
  on: Queryable,
  lengthMax: number,
  without: readonly string[],
): Promise<MemberMailRow[]> {
  return unstarted(on, { lengthMax, without });
}

export async function markMailStarted(on: Queryable, mailId: string): Promise<void> {
  await started(on, { mail_id: mailId });
}

export async function findMemberMail(on: Queryable, mailId: string): Promise<InvitedMail | null> {
  return firstOf(await find(on, { mailId }));
}

/**
 * Returns true if a mail is within the daily limit of its address, over all accounts. Serializes
 * concurrent calls. An admitted mail stays admitted.
 */
export function admitMemberMail(
  db: Db,
  mailId: string,
  now: Date,
  dailyMax: number,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    await lockAddress(tx, { mailId });
    // A separate statement, so that it counts mails admitted while the lock was awaited.
    return (await admit(tx, { mailId, now, dailyMax })).length === 1;
  });
}

/** Clears the address of a mail. If `mailed_at` is not set, the mail will never be sent. */
export async function closeMemberMail(
  on: Queryable,
  mailId: string,
  mailedAt: Date | null,
): Promise<void> {
  await close(on, { mail_id: mailId, mailed_at: mailedAt });
}
