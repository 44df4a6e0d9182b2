import { firstOf, statement, type Tx } from '../client.ts';
import type { LinkRow } from './link-leases.ts';

const withdraw = statement<LinkRow>(
  'links.withdraw_mail',
  `UPDATE links SET delivery = delivery || :delivery::jsonb, awaits_invitation = false,
   updated_at = :now,
     version = version + 1
   WHERE link_uuid = :linkUuid AND mail_admitted_at IS NULL AND delivery->>'status' = 'queued'
   RETURNING *`,
);
const queueAgain = statement<LinkRow>(
  'links.queue_mail_again',
  `UPDATE links SET delivery = delivery || :delivery::jsonb, awaits_invitation = true,
   updated_at = :now,
     version = version + 1
   WHERE link_uuid = :linkUuid AND mail_admitted_at IS NULL AND delivery->>'status' = 'failed'
     AND status <> 'deleted'
   RETURNING *`,
);

/** Cancels the mail of a link. Returns null if it is being sent, was sent or has failed. */
export async function withdrawMail(tx: Tx, linkUuid: string, now: Date): Promise<LinkRow | null> {
  return firstOf(await withdraw(tx, { linkUuid, delivery: deliveryOf('failed', now), now }));
}

/** Queues a canceled mail of a link again. Returns null if it was not canceled. */
export async function queueMailAgain(tx: Tx, linkUuid: string, now: Date): Promise<LinkRow | null> {
  return firstOf(await queueAgain(tx, { linkUuid, delivery: deliveryOf('queued', now), now }));
}

const deliveryOf = (status: 'failed' | 'queued', now: Date): string =>
  JSON.stringify({ status, at: now.toISOString() });
