import type { Queryable, Tx } from '../../../db/client.ts';
import type { Ids } from '../../../db/ids.ts';
import { listLoginEmails } from '../../../db/queries/login-emails.ts';
import { addNotice } from '../../../db/queries/member-mails.ts';
import type { RecoveryRow } from '../../../db/queries/recoveries.ts';
import { accountOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import type { MemberMailKind } from '../../../domain/identity/recovery-names.ts';
import { openLoginEmail } from '../email/answer.ts';
import { addressContext } from './mails.ts';

/** Addresses of one person that get a notice, including the primary one. */
const addressesMax = 20;

/** An active login email, opened. */
export interface NoticeAddress {
  readonly address: string;
  readonly blind: Buffer;
}

export type Notice = Exclude<MemberMailKind, 'invitation'>;

/**
 * Returns the active login emails of a person, the primary one first. Prepares the key that
 * `queueNotices` seals them with, so call it before the transaction.
 */
export async function openNoticeAddresses(
  { db, sealer }: { readonly db: Queryable; readonly sealer: Sealer },
  polyUserId: string,
  accountId: number,
): Promise<NoticeAddress[]> {
  await sealer.prepare(accountOwner(accountId));
  const { rows } = await listLoginEmails(db, polyUserId, [addressesMax, 0]);
  const active = rows.filter(({ status }) => status === 'ACTIVE');
  return Promise.all(
    active
      .toSorted((a, b) => Number(b.is_primary) - Number(a.is_primary))
      .map(async (row) => ({
        address: await openLoginEmail({ sealer }, row),
        blind: row.email_blind,
      })),
  );
}

/** Queues a notice about a recovery to each address; a relay sends them after the commit. */
export async function queueNotices(
  tx: Tx,
  { ids, sealer }: { readonly ids: Ids; readonly sealer: Sealer },
  { account_id, poly_user_id, locale }: RecoveryRow,
  kind: Notice,
  addresses: readonly NoticeAddress[],
  now: Date,
): Promise<void> {
  const owner = accountOwner(account_id);
  for (const { address, blind } of addresses) {
    const mail_id = ids.make('mm');
    await addNotice(tx, {
      mail_id,
      account_id,
      poly_user_id,
      email_blind: blind,
      address_sealed: await sealer.seal(owner, addressContext(mail_id), address),
      kind,
      locale,
      created_at: now,
    });
  }
}
