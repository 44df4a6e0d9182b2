import type { Tx } from '../../../db/client.ts';
import type { Ids } from '../../../db/ids.ts';
import { addMemberMail, countMemberMails } from '../../../db/queries/member-mails.ts';
import { accountOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import type { Address } from '../../../domain/identity/email-address.ts';
import { Failure } from '../../../workflows/failures.ts';
import { blindOf } from '../email/requests.ts';

/** Mails of one account in a day. */
export const dailyMailsMax = 500;
const daySeconds = 24 * 3600;

/** Returns the context under which the address of a mail is sealed. */
export const addressContext = (mailId: string): string => `member_mails|address|${mailId}`;

export interface InvitedByMail {
  readonly accountId: number;
  readonly polyUserId: string;
  readonly address: Address;
  readonly locale: string | null;
  readonly returnTo: string | null;
}

/** @throws Failure `rate_limited` if the account has used up its mails of the day */
export async function assertMailsLeft(tx: Tx, accountId: number, now: Date): Promise<void> {
  if ((await countMemberMails(tx, accountId, now)) < dailyMailsMax) return;
  throw new Failure('rate_limited', { retryAfterSeconds: daySeconds });
}

/**
 * Queues the mail of an invitation; a relay starts its workflow after the commit. Call it under the
 * account's lock, with the account's data key prepared.
 * @throws Failure `rate_limited` if the account has used up its mails of the day
 */
export async function mailInvitation(
  tx: Tx,
  { sealer, ids }: { readonly sealer: Sealer; readonly ids: Ids },
  { accountId, polyUserId, address, locale, returnTo }: InvitedByMail,
  now: Date,
): Promise<void> {
  await assertMailsLeft(tx, accountId, now);
  const mailId = ids.make('mm');
  const owner = accountOwner(accountId);
  await addMemberMail(tx, {
    mail_id: mailId,
    account_id: accountId,
    poly_user_id: polyUserId,
    email_blind: blindOf(sealer, address),
    address_sealed: await sealer.seal(owner, addressContext(mailId), address.deliverable),
    locale,
    return_to: returnTo,
    created_at: now,
  });
}
