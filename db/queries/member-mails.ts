import { firstOf, statement, transaction, type Db, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { sql } from '../schema/drizzle.ts';
import { memberMails } from '../schema/member-mails.ts';

export type MemberMailRow = typeof memberMails.$inferSelect;

const { mail_id, mailed_at } = memberMails;

/** The channel on which a commit says that an invitation is to be mailed. */
export const memberMailsChannel = 'member_mails';

/** What is kept for as long as mails are counted. */
const keptFor = "interval '1 day'";
/** For so long an invitation is good. */
const invitedFor = "interval '30 days'";
const sweptMax = 20;

/**
 * What is counted no more and nobody will send: a mail that was admitted is sent within the hour,
 * or its workflow was ended by force.
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
 * An address is mailed once a day by one account, which is locked: again it is invited alone. What
 * was not sent, or is to somebody who was removed before, does not stand for it.
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
/** A notice is always sent: it warns its person. */
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
/** Whoever counts the mails of an address has it for themselves, mails that come meanwhile too. */
const lockAddress = statement(
  'member_mails.lock_address',
  `SELECT pg_advisory_xact_lock(hashtextextended('member_mails ' || encode(email_blind, 'hex'), 0))
   FROM member_mails WHERE mail_id = :mailId`,
);
/** One that is on its way counts as one that was sent, until it is known not to be. */
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

/** A mail with what decides whether it goes out. */
export interface InvitedMail extends MemberMailRow {
  readonly account_name: string;
  /** Whether somebody still holds the place of the address. */
  readonly is_pending: boolean;
}

/**
 * Keeps the mail of an invitation, under the lock of its account, and sweeps out a few old ones.
 * One that the account sent to this address within a day, or is to send yet, stands for it.
 */
export async function addMemberMail(
  tx: Tx,
  row: Omit<MemberMailRow, 'kind' | 'awaits_start' | 'admitted_at' | 'mailed_at'>,
): Promise<void> {
  await insert(tx, row);
}

/** Keeps the mail of a notice about a recovery. */
export async function addNotice(
  tx: Tx,
  row: Omit<MemberMailRow, 'return_to' | 'awaits_start' | 'admitted_at' | 'mailed_at'>,
): Promise<void> {
  await insertNotice(tx, row);
}

/** Removes mails that are counted no more and not to be sent, at most so many; says how many. */
export async function removeOldMails(on: Queryable, now: Date, lengthMax: number): Promise<number> {
  return (await removeOld(on, { now, lengthMax })).length;
}

/** How many mails an account was given in a day. */
export async function countMemberMails(tx: Tx, accountId: number, now: Date): Promise<number> {
  return firstOf(await ofAccount(tx, { accountId, now }))?.mails ?? 0;
}

/** Mails whose workflow is to be started: at most so many, oldest first, without these. */
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
 * Whether a mail is one of so many that its address may have in a day, by all accounts together:
 * those that ask at once ask in turn. One that was admitted stays so.
 */
export function admitMemberMail(
  db: Db,
  mailId: string,
  now: Date,
  dailyMax: number,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    await lockAddress(tx, { mailId });
    // By itself: what was admitted while the lock was waited for is counted.
    return (await admit(tx, { mailId, now, dailyMax })).length === 1;
  });
}

/** Forgets the address of a mail: it was sent then, or is sent to nobody if it was not before. */
export async function closeMemberMail(
  on: Queryable,
  mailId: string,
  mailedAt: Date | null,
): Promise<void> {
  await close(on, { mail_id: mailId, mailed_at: mailedAt });
}
